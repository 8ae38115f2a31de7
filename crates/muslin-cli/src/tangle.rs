//! A start that is not clean, in words.

use muslin::contact::{Faults, Inside, Intersection, Owner, RepairReport};
use muslin::math::Vec3;
use muslin_scene::Setup;

/// Faults of a kind that are listed at the most.
const MOST: usize = 20;

/// What is about to be repaired.
pub fn announce(faults: &Faults) -> String {
    format!("the start has {}; repairing it", count(faults))
}

/// What was wrong with a start, and what was done about it: a line or two.
pub fn tell(setup: &Setup, report: &RepairReport) -> Vec<String> {
    let mut lines = vec![format!("repair of the start: {}", moved(setup, report))];
    lines.extend(conflict(setup, &report.after));
    lines
}

/// Every fault of a start, and what a run would do about it.
pub fn list(setup: &Setup, report: &RepairReport) -> Vec<String> {
    let mut lines = vec![format!("warning: the start has {}", count(&report.before))];
    let Faults { pairs, inside } = &report.before;
    lines.extend(first_few(pairs, |pair| pair_in_words(setup, pair)));
    lines.extend(first_few(inside, |inside| inside_in_words(setup, inside)));
    lines.push(format!("  in a run: {}", moved(setup, report)));
    lines.extend(conflict(setup, &report.after).map(|line| format!("warning: {line}")));
    lines
}

fn first_few<T>(all: &[T], in_words: impl Fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> = all.iter().take(MOST).map(|one| format!("  {}", in_words(one))).collect();
    if all.len() > MOST {
        lines.push(format!("  and {} more", all.len() - MOST));
    }
    lines
}

fn count(faults: &Faults) -> String {
    let pairs =
        (!faults.pairs.is_empty()).then(|| format!("{} intersecting pairs of triangles", faults.pairs.len()));
    let inside =
        (!faults.inside.is_empty()).then(|| format!("{} particles inside solids", faults.inside.len()));
    let all: Vec<String> = pairs.into_iter().chain(inside).collect();
    all.join(" and ")
}

fn moved(setup: &Setup, report: &RepairReport) -> String {
    let Some(farthest) = report.farthest else { return "nothing can be moved to part them".to_owned() };
    let (particle, from) = (farthest.particle, place(farthest.from));
    format!(
        "untangled, {} particles moved by at most {:.4} m (particle {particle} of {} at {from})",
        report.moved,
        farthest.distance(),
        setup.body_of(particle)
    )
}

/// What is left, by the first of it; none if nothing is.
fn conflict(setup: &Setup, faults: &Faults) -> Option<String> {
    let pair = faults.pairs.first().map(|pair| pair_in_words(setup, pair));
    let first = pair.or_else(|| faults.inside.first().map(|inside| inside_in_words(setup, inside)))?;
    Some(format!("{} remain and are held as they are, the first: {first}", count(faults)))
}

fn pair_in_words(setup: &Setup, pair: &Intersection) -> String {
    let first = part_in_words(setup, pair.first);
    let second = match pair.with {
        Owner::Cloth => part_in_words(setup, pair.second),
        owner => solid_in_words(setup, owner),
    };
    format!("{first} and {second}, at {}", place(pair.at))
}

/// A triangle by its particles; a thread has two.
fn part_in_words(setup: &Setup, [a, b, c]: [u32; 3]) -> String {
    let body = setup.body_of(a);
    if b == c { format!("thread {a}-{b} of {body}") } else { format!("triangle {a}-{b}-{c} of {body}") }
}

fn inside_in_words(setup: &Setup, inside: &Inside) -> String {
    let Inside { particle, of, depth, at } = *inside;
    let (body, solid) = (setup.body_of(particle), solid_in_words(setup, of));
    format!("particle {particle} of {body}, {depth:.4} m inside {solid}, at {}", place(at))
}

fn solid_in_words(setup: &Setup, owner: Owner) -> String {
    match owner {
        Owner::Cloth => "cloth".to_owned(),
        Owner::Collider(k) => format!("collider[{k}] ({})", setup.model.colliders[k].shape.name()),
        Owner::Body(k) => format!("body[{k}] ({})", setup.model.bodies[k].shape.name()),
    }
}

fn place(x: Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4}) m", x.x, x.y, x.z)
}
