//! What to try of each solver: the table to add a line to.
//!
//! Left out are explicit Euler and the midpoint rule, which grow without damping; the other forms of Verlet, whose positions are
//! those of velocity Verlet; and rk45, which ends at the steps of rk4.

use super::search::Setting;
use super::{Bound, FRAME, Run, Trial};
use muslin::elements::{Spring, SpringFamily, SpringLaw};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::stability::largest_stable_step;
use muslin::world::World;

/// How many steps a frame is cut into.
#[derive(Clone, Copy)]
enum Steps {
    /// So many.
    Frame(u32),
    /// As many as it takes to stay below this part of the step that linear theory allows.
    Stable(Real),
}
use Steps::{Frame, Stable};

/// Parts of the stiffness that a bound is tried with, which leave a margin, at which every line is tried in this order: cloth
/// stretches by less than the bound without the margin, too, and softer cloth asks less of a solver.
const SOFTER: [Real; 2] = [0.65, 1.0];

/// What stands behind the name of a solver that runs on cloth whose particles are tied to the pins: one-sided springs of the
/// stiffness of the threads, as long as the straight way at the start.
const WITH_TETHERS: &str = " with tethers";
/// Pins that particles are tied to at the most.
const MOST_PINS: usize = 4;

/// Solver, steps, and its settings as a scene file has them under `[solver]`; of each solver the cheapest first.
const LADDERS: &[(&str, Steps, &str)] = &[
    ("symplectic-euler", Stable(0.9), ""),
    ("symplectic-euler", Stable(0.45), ""),
    ("velocity-verlet", Stable(0.9), ""),
    ("velocity-verlet", Stable(0.45), ""),
    ("rk4", Stable(0.9), ""),
    ("implicit-euler", Frame(1), "newton_iterations = 1\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(1), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(2), "newton_iterations = 1\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(1), "newton_iterations = 4\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(4), "newton_iterations = 1\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(4), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("implicit-euler", Frame(8), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("implicit-midpoint", Frame(1), "newton_iterations = 4\nlinear_solver = 'cholesky'"),
    ("implicit-midpoint", Frame(4), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(1), "newton_iterations = 1\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(1), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(2), "newton_iterations = 1\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(1), "newton_iterations = 4\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(2), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(4), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("bdf2", Frame(8), "newton_iterations = 2\nlinear_solver = 'cholesky'"),
    ("projective", Frame(1), "iterations = 1"),
    ("projective", Frame(1), "iterations = 10"),
    ("projective", Frame(1), "iterations = 100"),
    ("pbd", Frame(1), "iterations = 20"),
    ("pbd", Frame(1), "iterations = 100"),
    ("pbd", Frame(4), "iterations = 50"),
    ("pbd", Frame(16), "iterations = 20"),
    ("pbd", Frame(16), "iterations = 100"),
    ("xpbd", Frame(1), "substeps = 8"),
    ("xpbd", Frame(1), "substeps = 16"),
    ("xpbd", Frame(1), "substeps = 24"),
    ("xpbd", Frame(1), "substeps = 32"),
    ("xpbd", Frame(1), "substeps = 48"),
    ("xpbd", Frame(1), "substeps = 64"),
    ("xpbd", Frame(1), "substeps = 96"),
    ("xpbd", Frame(1), "substeps = 160"),
    ("xpbd with tethers", Frame(1), "substeps = 12"),
    ("xpbd with tethers", Frame(1), "substeps = 16"),
    ("xpbd with tethers", Frame(1), "substeps = 24"),
    ("xpbd with tethers", Frame(1), "substeps = 28"),
    ("xpbd with tethers", Frame(1), "substeps = 32"),
    ("xpbd with tethers", Frame(1), "substeps = 40"),
    ("xpbd with tethers", Frame(1), "substeps = 48"),
    ("xpbd with tethers", Frame(1), "substeps = 64"),
    ("xpbd with tethers", Frame(1), "substeps = 80"),
    ("xpbd with tethers", Frame(1), "substeps = 96"),
    ("xpbd with tethers", Frame(1), "substeps = 128"),
    ("pncg", Frame(1), "iterations = 4"),
    ("pncg", Frame(1), "iterations = 5"),
    ("pncg", Frame(1), "iterations = 6"),
    ("pncg", Frame(1), "iterations = 7"),
    ("pncg", Frame(1), "iterations = 8"),
    ("pncg", Frame(1), "iterations = 8\nscheme = 'implicit-euler'"),
    ("pncg", Frame(1), "iterations = 9"),
    ("pncg", Frame(1), "iterations = 10"),
    ("pncg", Frame(1), "iterations = 11"),
    ("pncg", Frame(1), "iterations = 12"),
    ("pncg", Frame(1), "iterations = 12\nscheme = 'implicit-euler'"),
    ("pncg", Frame(1), "iterations = 14"),
    ("pncg", Frame(1), "iterations = 16"),
    ("pncg", Frame(1), "iterations = 18"),
    ("pncg", Frame(1), "iterations = 20"),
    ("pncg", Frame(1), "iterations = 20\nscheme = 'implicit-euler'"),
    ("pncg", Frame(1), "iterations = 30"),
    ("pncg", Frame(2), "iterations = 15"),
    ("pncg", Frame(1), "iterations = 60"),
    ("pncg", Frame(2), "iterations = 30"),
    ("pncg", Frame(4), "iterations = 20"),
    ("pncg", Frame(4), "iterations = 40"),
];

/// The solvers that have a ladder, in the order of the table.
pub fn solvers() -> Vec<&'static str> {
    let mut names: Vec<&str> = LADDERS.iter().map(|(name, ..)| *name).collect();
    names.dedup();
    names
}

/// What to try of a solver for a bound, the cheapest first.
pub fn ladder(solver: &str, trial: &Trial, bound: &Bound) -> Vec<Setting> {
    let rows = LADDERS.iter().filter(|(name, ..)| *name == solver);
    let tries = rows.flat_map(|&row| SOFTER.map(|part| (row, part * bound.stiffness())));
    tries.map(|(row, stiffness)| setting(trial, stiffness, row)).collect()
}

fn setting(trial: &Trial, stiffness: Real, (name, steps, settings): (&str, Steps, &str)) -> Setting {
    let (solver, is_tethered) =
        name.strip_suffix(WITH_TETHERS).map_or((name, false), |solver| (solver, true));
    let config = configured(solver, settings);
    let substeps = match steps {
        Frame(steps) => steps,
        Stable(part) => {
            let (model, positions) = (trial.stiffened(stiffness), &trial.state.positions);
            let limit = largest_stable_step(&model, positions, &config).unwrap_or(FRAME);
            (FRAME / (part * limit)).ceil().max(1.0) as u32
        }
    };
    let words = settings.replace("newton_iterations", "iterations").replace("linear_solver = ", "");
    let words = words.replace('\n', ", ").replace(['\'', '_'], " ");
    let plural = if substeps == 1 { "" } else { "s" };
    let label = [format!("k × {stiffness}, {substeps} step{plural}"), words].join(", ");
    let label = label.trim_end_matches(", ").replace("  ", " ").replace(" = ", " ");
    let start = move |trial: &Trial| {
        let mut model = trial.stiffened(stiffness);
        if is_tethered {
            model = tethered(model, &trial.state.positions);
        }
        let mut world = World::new(model, trial.state.clone(), &config, FRAME);
        world.substeps = substeps;
        Box::new(WorldRun(world)) as Box<dyn Run>
    };
    Setting { label: label.trim().to_owned(), start: Box::new(start) }
}

/// A cloth whose particles are tied to its pins.
fn tethered(mut model: Model, positions: &[Vec3]) -> Model {
    let stiffness = model.elements.springs.iter().fold(0.0, |most: Real, spring| most.max(spring.stiffness));
    let (held, free): (Vec<usize>, Vec<usize>) = (0..model.len()).partition(|&p| model.is_held(p));
    for &pin in held.iter().take(MOST_PINS) {
        for &particle in &free {
            let way = positions[pin].distance(positions[particle]);
            model.change(|data| {
                data.elements.springs.push(Spring {
                    slack: SpringLaw::TensionOnly.slack(way),
                    family: SpringFamily::Tether,
                    ..Spring::new([pin as u32, particle as u32], way, stiffness)
                });
            });
        }
    }
    model
}

/// A solver with settings as in a scene file.
fn configured(name: &str, settings: &str) -> SolverConfig {
    let text = format!("[[rope]]\nparticles = 2\n[solver]\nname = '{name}'\n{settings}\n");
    let setup = muslin_scene::Source::text("the table of ladders", &text).load();
    setup.unwrap_or_else(|error| panic!("{error}")).solver
}

/// A world of this library at work on a trial.
struct WorldRun(World);

impl Run for WorldRun {
    fn advance(&mut self) -> Result<(), String> {
        self.0.step().map(|_| ()).map_err(|_| "diverged".to_owned())
    }

    fn read_positions(&self, positions: &mut Vec<Vec3>) {
        positions.clone_from(&self.0.state.positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_can_be_run() {
        let trial = Trial::hang(4);
        for solver in solvers() {
            let mut labels: Vec<String> = Vec::new();
            for setting in ladder(solver, &trial, &Bound::ALL[0]) {
                (setting.start)(&trial).advance().unwrap_or_else(|_| panic!("{solver}: {}", setting.label));
                assert!(!labels.contains(&setting.label), "{solver}: {} stands twice", setting.label);
                labels.push(setting.label);
            }
        }
    }

    #[test]
    fn labels_read_well() {
        let ladder = ladder("implicit-euler", &Trial::hang(4), &Bound::ALL[1]);
        assert_eq!(ladder[0].label, "k × 0.65, 1 step, iterations 1, cholesky");
    }
}
