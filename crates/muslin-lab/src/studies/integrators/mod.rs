//! Six integrators on three scenes: L. L. de Carvalho, MSc, UFC 2012, redone.

mod claims;
mod methods;
mod scan;

pub use methods::{Method, Scan, methods};
pub use scan::{is_stable, largest_stable_step};

use crate::report::{Axis, Block, Cell, Column, Figure, Picture, Report, Section, Series, Table};
use crate::study::Context;
use muslin::math::Real;
use muslin::stability::stiffest_modes;
use muslin_io::picture::{draw, strip};
use muslin_scene::{End, Frame, Runner, Schedule, Setup, Source};
use scan::{LARGEST, Run, timed_run, with};

/// The three scenes.
pub const SCENES: [&str; 3] = ["two-point-drop", "sphere-drape", "flag"];

/// Simulated time of a quick run [s].
const QUICK: Real = 0.5;

/// A built-in scene of the document.
pub fn scene(name: &str) -> Setup {
    Source::open(name).and_then(|source| source.load()).expect("built-in scenes are sound")
}

/// What one method did in one scene.
struct Entry {
    largest_step: Real,
    run: Option<Run>,
}

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let methods = methods();
    let mut setups = SCENES.map(scene);
    if context.quick {
        for setup in &mut setups {
            setup.duration = QUICK; // most runs that fail do so early
        }
    }
    context.expect(3 * methods.len() as u64 + 10);
    let mut entries: Vec<Vec<Entry>> = Vec::new();
    for method in &methods {
        entries.push(setups.iter().map(|setup| measure(setup, method, context)).collect());
    }
    let study = Results { methods, setups, entries, grid: grid_effect(context), still: still_air(context) };
    let mut sections = vec![study.stable_steps(), study.speed(), study.grid_section(), study.energies()];
    sections.push(pictures(&study.setups, context)?);
    sections.insert(0, study.verdicts());
    Ok(Report {
        title: "Six integrators on three scenes".to_owned(),
        lead: study.lead(),
        sections,
        manifest: crate::report::Manifest {
            settings: serde_json::json!({
                "criterion": "no NaN, every structural edge under 1.5 rest lengths at every step",
                "simulated_s": study.setups.each_ref().map(|setup| setup.duration),
                "first_step_and_increment_s": scan::INCREMENT,
                "largest_step_tried_s": LARGEST,
            }),
            ..Default::default()
        },
        ..Report::default()
    })
}

fn measure(setup: &Setup, method: &Method, context: &Context) -> Entry {
    // In a quick run implicit methods are tried at a few steps only.
    let largest_step = if context.quick && method.scan != Scan::Document {
        let tried = [0.001, 0.002, 0.004, 0.01, 0.02, 0.04];
        tried.into_iter().take_while(|&dt| is_stable(setup, &method.config, dt)).last().unwrap_or(0.0)
    } else {
        largest_stable_step(setup, &method.config, method.scan)
    };
    let run = (largest_step > 0.0).then(|| timed_run(setup, &method.config, largest_step)).flatten();
    context.advance(1);
    Entry { largest_step, run }
}

/// Limits of midpoint and RK4 on scene 1 without contact, on grids of 10, 17 and 25: (grid, midpoint, RK4, 2/λ, 2.785/λ).
fn grid_effect(context: &Context) -> Vec<(usize, [Real; 2], [Real; 2])> {
    let grids: &[usize] = if context.quick { &[10, 17] } else { &[10, 17, 25] };
    grids
        .iter()
        .map(|&n| {
            let mut source = Source::open("two-point-drop").expect("built in");
            source.set("grid", "sheet.0.resolution.particles", &format!("[{n}, {n}]"));
            source.set("grid", "sheet.0.pins.0.at.grid", &format!("[[0, 0], [0, {}]]", n - 1));
            let mut setup = source.load().expect("a sheet of another resolution");
            setup.duration = if context.quick { QUICK } else { setup.duration };
            let limits = ["midpoint", "rk4"].map(|name| {
                let config = muslin::solver::SolverConfig::named(name).expect("a solver of this name");
                let limit = largest_stable_step(&setup, &config, Scan::Document);
                context.advance(1);
                limit
            });
            let [_, damped] = stiffest_modes(&setup.model, &setup.state.positions);
            (n, limits, [2.0 / damped.lambda, 2.785 / damped.lambda])
        })
        .collect()
}

/// The limit of RK4 in scene 3 without its wind [s].
fn still_air(context: &Context) -> Real {
    let mut source = Source::open(SCENES[2]).expect("built in");
    source.set("still air", "wind.velocity", "[0.0, 0.0, 0.0]");
    let mut setup = source.load().expect("a flag without wind");
    setup.duration = if context.quick { QUICK } else { setup.duration };
    let config = muslin::solver::SolverConfig::named("rk4").expect("a solver of this name");
    let limit = largest_stable_step(&setup, &config, Scan::Document);
    context.advance(1);
    limit
}

struct Results {
    methods: Vec<Method>,
    setups: [Setup; 3],
    entries: Vec<Vec<Entry>>,
    grid: Vec<(usize, [Real; 2], [Real; 2])>,
    /// Limit of RK4 in scene 3 without its wind [s].
    still: Real,
}

impl Results {
    fn entry(&self, method: &str, scene: usize) -> &Entry {
        let place = self.methods.iter().position(|m| m.name == method).expect("a method of this name");
        &self.entries[place][scene]
    }

    /// Simulated over wall time of the slowest method in any scene.
    fn slowest(&self) -> (Real, &'static str, &'static str) {
        let mut slowest = (Real::INFINITY, "", "");
        for (method, entries) in self.methods.iter().zip(&self.entries) {
            for (scene, (entry, setup)) in entries.iter().zip(&self.setups).enumerate() {
                let factor = entry.run.as_ref().map_or(0.0, |run| setup.duration / run.seconds);
                if factor < slowest.0 {
                    slowest = (factor, method.name, SCENES[scene]);
                }
            }
        }
        slowest
    }

    fn lead(&self) -> String {
        let exact = self.entry("implicit Euler, PCG", 0).largest_step;
        format!(
            "Three scenes, each with every method at its own largest stable step. RK4's limits are {:.1}, {:.1} and {:.1} ms (published: 2.4, 0.5 and 0.4), and those of \
             linear theory say where they come from: the *damping* of springs at the lightest particles. Implicit Euler, solved to the end, is stable at {:.0} ms in scene 1, {:.0} times the \
             published 2.0 ms. At its own largest step every method simulates at least {:.1} seconds a second; on the machine of 2012 none did one.",
            1e3 * self.entry("RK4", 0).largest_step,
            1e3 * self.entry("RK4", 1).largest_step,
            1e3 * self.entry("RK4", 2).largest_step,
            1e3 * exact,
            exact / 0.002,
            self.slowest().0
        )
    }

    fn stable_steps(&self) -> Section {
        let mut table = Table {
            name: "largest-stable-step".to_owned(),
            caption: format!(
                "Largest stable step: from 0.1 ms on in increments of 0.1 ms until a run fails; the two published implicit methods in whole milliseconds above 6 ms, those that the document does not have in whole milliseconds throughout. Nothing above {:.0} ms is tried.",
                1e3 * LARGEST
            ),
            columns: vec![Column::plain("method")],
            rows: Vec::new(),
        };
        for name in SCENES {
            table.columns.push(Column::published(name).unit("ms"));
            table.columns.push(Column::measured(name).unit("ms"));
        }
        for (method, entries) in self.methods.iter().zip(&self.entries) {
            let mut row = vec![Cell::text(method.name)];
            for (scene, entry) in entries.iter().enumerate() {
                row.push(
                    method
                        .published_steps
                        .map_or_else(Cell::missing, |steps| Cell::number(1e3 * steps[scene]).digits(3)),
                );
                row.push(Cell::number(1e3 * entry.largest_step).digits(3));
            }
            table.rows.push(row);
        }
        let text = "A run counts as stable if no number is lost and every structural edge stays under 1.5 rest lengths at every step. A run can pass \
                    and still be irregular: the kinetic energies below tell.";
        Section {
            title: "Largest stable step".to_owned(),
            blocks: vec![Block::Text(text.to_owned()), Block::Table(table)],
        }
    }

    fn speed(&self) -> Section {
        let mut table = Table {
            name: "speed".to_owned(),
            caption: "CPU time for the whole scene at the method's own largest step, and simulated time over wall time; one thread.".to_owned(),
            columns: vec![Column::plain("method")],
            rows: Vec::new(),
        };
        for name in SCENES {
            table.columns.push(Column::published(name).unit("s"));
            table.columns.push(Column::measured(name).unit("s"));
            table.columns.push(Column::measured("× real time"));
        }
        for (method, entries) in self.methods.iter().zip(&self.entries) {
            let mut row = vec![Cell::text(method.name)];
            for (scene, (entry, setup)) in entries.iter().zip(&self.setups).enumerate() {
                row.push(
                    method.published_seconds.map_or_else(Cell::missing, |s| Cell::number(s[scene]).digits(4)),
                );
                match &entry.run {
                    None => row.extend([Cell::missing(), Cell::missing()]),
                    Some(run) => {
                        let factor = Cell::number(setup.duration / run.seconds).digits(3);
                        row.push(Cell::number(run.seconds).digits(3));
                        row.push(if setup.duration > run.seconds { factor.good() } else { factor.bad() });
                    }
                }
            }
            table.rows.push(row);
        }
        Section { title: "Speed".to_owned(), blocks: vec![Block::Table(table)] }
    }

    fn grid_section(&self) -> Section {
        let row = |(n, limits, linear): &(usize, [Real; 2], [Real; 2])| {
            let mut row = vec![Cell::text(format!("{n} × {n}"))];
            row.extend(
                [limits[0], linear[0], limits[1], linear[1]].map(|step| Cell::number(1e3 * step).digits(3)),
            );
            row
        };
        let table = Table {
            name: "grid-effect".to_owned(),
            caption: "Scene 1, without contact or wind, on finer grids: measured limits beside those of linear theory, 2/λ and 2.785/λ, λ being the largest \
                      eigenvalue of M⁻¹C."
                .to_owned(),
            columns: vec![
                Column::plain("grid"),
                Column::measured("midpoint").unit("ms"),
                Column::plain("2/λ").unit("ms"),
                Column::measured("RK4").unit("ms"),
                Column::plain("2.785/λ").unit("ms"),
            ],
            rows: self.grid.iter().map(row).collect(),
        };
        let [_, fine] = [&self.grid[0], &self.grid[1]];
        let text = format!(
            "The document puts the drop from scene 1 to scenes 2 and 3 down to contact and wind. But a finer grid alone has lighter particles on the same dampers. Scene 1 on scene 2's \
             grid, with nothing to touch, allows midpoint {:.1} ms and RK4 {:.1} ms; scene 2 itself {:.1} and {:.1} ms. Scene 3 allows RK4 {:.1} ms, and {:.1} ms without its wind.",
            1e3 * fine.1[0],
            1e3 * fine.1[1],
            1e3 * self.entry("midpoint", 1).largest_step,
            1e3 * self.entry("RK4", 1).largest_step,
            1e3 * self.entry("RK4", 2).largest_step,
            1e3 * self.still
        );
        Section {
            title: "Why the step drops".to_owned(),
            blocks: vec![Block::Text(text), Block::Table(table)],
        }
    }

    fn energies(&self) -> Section {
        let figure = |scene: usize| {
            let series = self.methods.iter().zip(&self.entries).filter_map(|(method, entries)| {
                let run = entries[scene].run.as_ref()?;
                Some(Series {
                    name: method.name.to_owned(),
                    points: run.kinetic.clone(),
                    ..Series::default()
                })
            });
            Block::Figure(Figure {
                name: format!("kinetic-{}", SCENES[scene]),
                caption: format!(
                    "Kinetic energy over time, {}, each method at its own largest step.",
                    SCENES[scene]
                ),
                x: Axis::linear("time").unit("s"),
                y: Axis::log("kinetic energy").unit("J"),
                series: series.collect(),
                ..Figure::default()
            })
        };
        Section { title: "Energy over time".to_owned(), blocks: (0..3).map(figure).collect() }
    }
}

/// A strip of pictures a scene, by RK4 at a fine step.
fn pictures(setups: &[Setup; 3], context: &Context) -> anyhow::Result<Section> {
    let mut blocks = Vec::new();
    for setup in setups {
        let times = [0.2, 0.4, 0.6, 0.8, 1.0].map(|part| part * setup.duration);
        let dt = if context.quick { 2e-4 } else { 1e-4 };
        let rk4 = muslin::solver::SolverConfig::named("rk4").expect("a solver");
        let scenery = setup.scenery();
        let mut shots = Vec::new();
        let mut shoot = |frame: &Frame| {
            if frame.number > 0 {
                let stage = scenery.stage(&frame.world.model, &frame.world.state, frame.collider_times);
                shots.push(draw(&stage, [320, 280]));
            }
            Ok(())
        };
        let schedule = Schedule::after(times.map(|time| (time / dt).round() as u64));
        let end = Runner::new(with(setup, &rk4, dt).world(), schedule).run(&mut [&mut shoot], || true)?;
        anyhow::ensure!(end == End::Done, "{}: {end:?} by RK4", setup.name);
        let moments: Vec<String> = times.iter().map(|time| format!("{time:.1}")).collect();
        blocks.push(Block::Picture(Picture {
            name: format!("strip-{}", setup.name),
            caption: format!("{} (RK4, {} ms) at {} s.", setup.description, 1e3 * dt, moments.join(", ")),
            png: strip(&shots).png()?,
        }));
        context.advance(1);
    }
    Ok(Section { title: "What it looks like".to_owned(), blocks })
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::solver::SolverConfig;

    /// The limits of an independent recomputation, to one increment.
    #[test]
    fn explicit_limits_are_those_of_an_independent_code() {
        let expected = [
            ("explicit-euler", 1.0, 0.3),
            ("midpoint", 1.3, 0.3),
            ("rk4", 1.5, 0.4),
            ("improved-verlet", 1.6, 0.5),
        ];
        for (name, first, second) in expected {
            let config = SolverConfig::named(name).unwrap();
            for (setup, expected) in [(scene(SCENES[0]), first), (scene(SCENES[1]), second)] {
                let limit = 1e3 * largest_stable_step(&setup, &config, Scan::Document);
                assert!(
                    (limit - expected).abs() < 0.11,
                    "{name} in {}: {limit} ms, expected {expected}",
                    setup.name
                );
            }
        }
    }

    #[test]
    fn implicit_euler_solved_to_the_end_takes_twenty_times_the_published_step() {
        for step in [0.02, 0.04, 0.05] {
            assert!(
                is_stable(&scene(SCENES[0]), &SolverConfig::named("implicit-euler").unwrap(), step),
                "{step}"
            );
        }
    }
}
