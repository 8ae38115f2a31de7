//! Makes a failing case smaller while it fails in the same way.
//!
//! The scene is a tree of TOML values, and all edits are of trees: leave out an entry, halve a whole number, round a number. An
//! edit is kept if the case still fails with the same kind of finding; what the scene reader refuses does not.

use crate::case::Case;
use crate::trial;
use crate::watch::{ThreadClock, Watch};
use toml::Value;

/// Bounds on the search.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Runs at the most.
    pub tries: u32,
    /// Processor time at the most [s]; no run is begun after it.
    pub seconds: f64,
}

/// A step on the way to a value.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    Key(String),
    Index(usize),
}

struct Search<'a> {
    best: Case,
    kind: &'a str,
    watch: &'a Watch,
    left: u32,
    clock: ThreadClock,
    end: f64,
}

/// The smallest case found that fails with a kind of finding.
pub fn shrink(case: &Case, kind: &str, bounds: Bounds, watch: &Watch) -> Case {
    let clock = ThreadClock::here();
    let end = clock.seconds() + bounds.seconds;
    let mut search = Search { best: case.clone(), kind, watch, left: bounds.tries, clock, end };
    search.shorten();
    loop {
        let before = search.best.clone();
        search.drop_actions();
        search.drop_entries();
        search.coarsen();
        search.shorten();
        search.round();
        if search.best == before || search.is_over() {
            return search.best;
        }
    }
}

impl Search<'_> {
    fn is_over(&self) -> bool {
        self.left == 0 || self.clock.seconds() >= self.end
    }

    /// Keeps a case if it fails as before.
    fn offer(&mut self, mut case: Case) -> bool {
        if self.is_over() || case == self.best {
            return false;
        }
        // Under another law nothing is promised.
        let has_surfaces = case.scene.get("contact").is_some_and(|law| law.get("surface").is_some());
        if !has_surfaces {
            return false;
        }
        self.left -= 1;
        case.drop_unused_files();
        let outcome = trial::run(&case, self.watch);
        let fails = outcome.failure.is_some_and(|(_, finding)| finding.kind == self.kind);
        if fails {
            self.best = case;
        }
        fails
    }

    /// Ends with the failing step.
    fn shorten(&mut self) {
        if self.is_over() {
            return;
        }
        self.left -= 1;
        let outcome = trial::run(&self.best, self.watch);
        let (Some((step, _)), Some(dt)) = (outcome.failure, number(self.best.scene.get("dt"))) else {
            return;
        };
        let mut case = self.best.clone();
        case.scene.insert("duration".to_owned(), Value::Float(dt * f64::from(step.max(1))));
        case.actions.retain(|action| action.step < step);
        self.offer(case);
    }

    fn drop_actions(&mut self) {
        if !self.best.actions.is_empty() {
            let none = Case { actions: Vec::new(), ..self.best.clone() };
            if self.offer(none) {
                return;
            }
        }
        for k in (0..self.best.actions.len()).rev() {
            let mut case = self.best.clone();
            case.actions.remove(k);
            self.offer(case);
        }
    }

    /// Leaves out entries of tables and lists, large ones first.
    fn drop_entries(&mut self) {
        for depth in 1..=6 {
            let scene = Value::Table(self.best.scene.clone());
            let mut places = Vec::new();
            collect(&scene, &mut Vec::new(), &mut places);
            // From the last on, so that what is left out does not move what is still to be tried.
            for place in places.iter().rev().filter(|place| place.len() == depth) {
                let mut case = self.best.clone();
                if remove(&mut case, place) {
                    self.offer(case);
                }
            }
        }
    }

    /// Halves whole numbers.
    fn coarsen(&mut self) {
        self.change_numbers(|value| match value {
            Value::Integer(n) if *n > 1 => {
                vec![Value::Integer(1), Value::Integer(n / 2), Value::Integer(n - 1)]
            }
            _ => Vec::new(),
        });
    }

    /// Rounds numbers to few digits.
    fn round(&mut self) {
        self.change_numbers(|value| match value {
            Value::Float(x) if *x != 0.0 => {
                let rounded = |digits: usize| format!("{x:.digits$e}").parse().unwrap_or(*x);
                [0.0, rounded(0), rounded(1), rounded(3)]
                    .into_iter()
                    .filter(|y| y != x)
                    .map(Value::Float)
                    .collect()
            }
            _ => Vec::new(),
        });
    }

    /// Offers other numbers, the first that does being kept.
    fn change_numbers(&mut self, others: impl Fn(&Value) -> Vec<Value>) {
        let scene = Value::Table(self.best.scene.clone());
        let mut places = Vec::new();
        collect(&scene, &mut Vec::new(), &mut places);
        for place in places.iter().filter(|place| **place != [Place::Key("duration".to_owned())]) {
            let mut scene = Value::Table(self.best.scene.clone());
            let Some(value) = find(&mut scene, place) else { continue };
            for other in others(value) {
                let mut case = self.best.clone();
                let mut scene = Value::Table(case.scene.clone());
                if let Some(value) = find(&mut scene, place) {
                    *value = other;
                }
                if let Value::Table(scene) = scene {
                    case.scene = scene;
                }
                if self.offer(case) {
                    break;
                }
            }
        }
    }
}

fn number(value: Option<&Value>) -> Option<f64> {
    value.and_then(|value| value.as_float().or(value.as_integer().map(|n| n as f64)))
}

/// All places below a value, parents before children.
fn collect(value: &Value, path: &mut Vec<Place>, places: &mut Vec<Vec<Place>>) {
    let mut descend = |place: Place, value: &Value| {
        path.push(place);
        places.push(path.clone());
        collect(value, path, places);
        path.pop();
    };
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                descend(Place::Key(key.clone()), value);
            }
        }
        Value::Array(items) => {
            for (k, value) in items.iter().enumerate() {
                descend(Place::Index(k), value);
            }
        }
        _ => {}
    }
}

fn find<'a>(value: &'a mut Value, path: &[Place]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, place| match (value, place) {
        (Value::Table(table), Place::Key(key)) => table.get_mut(key),
        (Value::Array(items), Place::Index(k)) => items.get_mut(*k),
        _ => None,
    })
}

/// Leaves out what is at a place; a list that becomes empty goes, too.
fn remove(case: &mut Case, path: &[Place]) -> bool {
    let Some((last, parents)) = path.split_last() else { return false };
    let mut scene = Value::Table(case.scene.clone());
    let removed = match (find(&mut scene, parents), last) {
        (Some(Value::Table(table)), Place::Key(key)) => table.remove(key).is_some(),
        // Coordinates are no entries.
        (Some(Value::Array(items)), Place::Index(k)) if *k < items.len() && !items[*k].is_float() => {
            items.remove(*k);
            true
        }
        _ => false,
    };
    if let Value::Table(mut scene) = scene {
        scene.retain(|_, value| value.as_array().is_none_or(|items| !items.is_empty()));
        case.scene = scene;
    }
    removed
}
