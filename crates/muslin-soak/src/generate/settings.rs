//! The method, its settings, gravity, wind and the law of contact.

use super::{Plan, table, vector};
use crate::random::Random;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use toml::{Table, Value};

/// One of the methods; half of the time one that people use.
pub fn solver(random: &mut Random) -> &'static str {
    if random.chance(0.5) {
        random.pick(&["pncg", "xpbd", "implicit-euler", "projective", "newton", "pbd"])
    } else {
        random.pick(SolverConfig::NAMES)
    }
}

/// All keys of the scene itself, the solver and the wind.
pub fn add(random: &mut Random, plan: &Plan, scene: &mut Table) {
    let mut put = |key: &str, value: Value| scene.insert(key.to_owned(), value);
    put("duration", Value::Float(plan.duration()));
    put("dt", Value::Float(plan.dt));
    if random.chance(0.1) {
        put("substeps", Value::Integer(random.whole(2, 4).into()));
    }
    put("gravity", vector(gravity(random, plan)));
    put("contact", table([("surface", law(random, plan))]));
    if random.chance(0.15) {
        let limit = [
            ("limit", Value::Float(random.log(0.01, 0.5))),
            ("sweeps", Value::Integer(random.whole(1, 20).into())),
        ];
        put("strain_limit", table(limit));
    }
    put("solver", solver_table(random, plan));
    if random.chance(0.15) {
        put("wind", wind(random, plan));
    }
}

fn gravity(random: &mut Random, plan: &Plan) -> Vec3 {
    let per_step = plan.edge / (plan.dt * plan.dt);
    let size = match random.whole(0, 9) {
        0 => 0.0,
        1..=3 => random.log(0.1, 100.0),
        4 => 9.81,
        _ => (per_step * random.log(1e-3, 1.0)).min(100.0),
    };
    let down = if random.chance(0.6) { -plan.normal } else { random.axis_or_direction() };
    down * size
}

fn law(random: &mut Random, plan: &Plan) -> Value {
    let mut law = Table::new();
    let mut put = |key: &str, value: Value| law.insert(key.to_owned(), value);
    if random.chance(0.85) {
        put("thickness", Value::Float(plan.thickness));
    }
    if random.chance(0.7) {
        put("friction", Value::Float(random.pick(&[0.0, 0.0, 0.1, 0.5, 1.0, 5.0])));
    }
    if random.chance(0.4) {
        put("restitution", Value::Float(random.pick(&[0.0, 0.3, 0.7, 1.0])));
    }
    if random.chance(0.4) {
        let names = ["brute-force", "spatial-hash", "tree", "sorted-blocks"];
        put("broad_phase", Value::String(random.pick(&names).to_owned()));
    }
    if random.chance(0.04) {
        put("self_contact", Value::Boolean(false));
    }
    Value::Table(law)
}

fn wind(random: &mut Random, plan: &Plan) -> Value {
    let velocity = random.direction() * plan.speed(random, 0.01, 3.0);
    let strength = plan.mass / plan.dt * random.log(1e-3, 0.3);
    let coefficient = table([("particle", Value::Float(strength))]);
    let mut wind = Table::new();
    wind.insert("velocity".to_owned(), vector(velocity));
    wind.insert("coefficient".to_owned(), coefficient);
    if random.chance(0.5) {
        let gusts = [
            ("period", Value::Float(plan.duration() * random.log(0.05, 1.0))),
            ("depth", Value::Float(random.unit())),
            ("seed", Value::Integer(random.whole(0, 1000).into())),
        ];
        wind.insert("profile".to_owned(), table([("gusts", table(gusts))]));
    }
    Value::Table(wind)
}

fn solver_table(random: &mut Random, plan: &Plan) -> Value {
    let mut settings = Table::new();
    settings.insert("name".to_owned(), Value::String(plan.solver.to_owned()));
    if random.chance(0.6) {
        for (key, value) in settings_of(plan.solver, random) {
            if random.chance(0.5) {
                settings.insert(key.to_owned(), value);
            }
        }
    }
    if plan.solver == "rk45" {
        // It would take forever where it cannot meet its tolerance.
        settings.insert("max_inner_steps".to_owned(), Value::Integer(20));
    }
    Value::Table(settings)
}

fn settings_of(solver: &str, random: &mut Random) -> Vec<(&'static str, Value)> {
    let mut whole = |low: u32, high: u32| Value::Integer(random.whole(low, high).into());
    let word = |random: &mut Random, words: &[&str]| Value::String(random.pick(words).to_owned());
    match solver {
        "xpbd" => vec![
            ("substeps", whole(1, 24)),
            ("iterations", whole(1, 4)),
            ("precision", word(random, &["single", "double"])),
        ],
        "pncg" => vec![
            ("iterations", whole(1, 20)),
            ("scheme", word(random, &["implicit-euler", "bdf2"])),
            ("precision", word(random, &["single", "double"])),
        ],
        "projective" => {
            vec![("iterations", whole(1, 20)), ("precision", word(random, &["single", "double"]))]
        }
        "newton" => vec![
            ("iterations", whole(1, 8)),
            ("scheme", word(random, &["implicit-euler", "bdf2"])),
            ("hessian", word(random, &["adaptive", "clamped", "raw"])),
        ],
        "implicit-euler" | "implicit-midpoint" | "bdf2" => vec![
            ("newton_iterations", whole(1, 4)),
            ("sweeps", whole(1, 200)),
            ("linear_solver", word(random, &["jacobi", "sor", "pcg", "cholesky"])),
        ],
        "pbd" => vec![
            ("iterations", whole(1, 20)),
            ("stiffness", Value::Float(random.between(0.05, 1.0))),
            ("damping", Value::Float(random.between(0.01, 0.5))),
        ],
        "rods" => vec![("sweeps", whole(1, 50)), ("damping", Value::Float(random.between(0.01, 0.5)))],
        "desbrun" => vec![("filter", word(random, &["sparse", "dense"]))],
        "velocity-verlet" => vec![("variant", word(random, &["textbook", "table", "lagged", "alg8"]))],
        "time-corrected-verlet" => vec![("weight", word(random, &["exact", "as-printed"]))],
        _ => Vec::new(),
    }
}

/// Part of the unit stiffness that fits the method.
pub fn stiffness(random: &mut Random, plan: &Plan) -> Real {
    plan.unit_stiffness() * if plan.is_explicit { random.log(1e-3, 0.08) } else { random.log(1e-2, 1e4) }
}
