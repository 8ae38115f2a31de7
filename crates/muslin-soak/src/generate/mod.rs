//! Random cases, each from one number.
//!
//! Lengths follow the size of the cloth, and stiffnesses, speeds and accelerations its mass, its edges and the step, so that
//! scenes of any size are lively; a part of the accelerations and speeds is drawn in SI units instead.

mod cloth;
mod meshes;
mod motions;
mod settings;
mod solids;

use crate::actions::{Action, Kind};
use crate::case::Case;
use crate::random::Random;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Particles times steps of a scene, about, at the most.
const MOST_WORK: Real = 8000.0;

/// What all parts of a scene go by.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Size of the cloth [m].
    pub size: Real,
    /// Length of its edges, about [m].
    pub edge: Real,
    /// Cells along a side of a sheet, about.
    pub cells: u32,
    /// Middle of the scene [m].
    pub center: Vec3,
    /// Out of the first sheet.
    pub normal: Vec3,
    /// Step [s].
    pub dt: Real,
    /// Number of steps.
    pub steps: u32,
    /// Mass of a particle [kg].
    pub mass: Real,
    /// Thickness of contact [m].
    pub thickness: Real,
    /// The method.
    pub solver: &'static str,
    /// Whether the method needs small steps.
    pub is_explicit: bool,
}

/// Builds tables.
pub fn table<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// A vector as TOML has it.
pub fn vector(x: Vec3) -> Value {
    Value::Array(x.to_array().map(Value::Float).to_vec())
}

/// The case of a seed; `attempt` counts the draws that did not fit.
pub fn draw(seed: u64, attempt: u32) -> Case {
    let mut random = Random::new(seed.wrapping_add(u64::from(attempt).wrapping_mul(0xd1b5_4a32_d192_ed03)));
    random = random.child();
    let random = &mut random;
    let plan = plan(random);
    let mut scene = Table::new();
    let mut files = BTreeMap::new();
    settings::add(random, &plan, &mut scene);
    cloth::add(random, &plan, &mut scene, &mut files);
    solids::add(random, &plan, &mut scene, &mut files);
    let actions = actions(random, &plan, &scene);
    Case { scene, files, actions, without_contact: false }
}

fn plan(random: &mut Random) -> Plan {
    let solver = settings::solver(random);
    let is_explicit = SolverConfig::named(solver).is_some_and(|config| config.is_explicit());
    let size = match random.whole(0, 9) {
        0 => random.log(1e-5, 1e-2),
        1 => random.log(3.0, 100.0),
        _ => random.log(0.1, 2.0),
    };
    let cells = match random.whole(0, 9) {
        0..=4 => random.whole(2, 5),
        5..=8 => random.whole(5, 9),
        _ => random.whole(9, 15),
    };
    let edge = size / Real::from(cells);
    let dt = match random.whole(0, 4) {
        0 => random.log(1e-4, 0.1),
        1 => random.pick(&[1e-4, 1.0 / 60.0, 0.1]),
        _ => random.log(1e-3, 0.02),
    };
    // Coordinates must tell parts of an edge apart.
    let offset = match random.whole(0, 9) {
        0 => (1e7 * size).min(1e6),
        1 => random.log(1.0, 1e3).min(1e5 * size),
        _ => 0.0,
    };
    let thickness = match random.whole(0, 5) {
        0 => 1e-6,
        1 => edge * random.log(1.0, 10.0),
        2 => edge * random.log(1e-4, 1e-2),
        _ => edge * random.log(0.01, 0.5),
    };
    let most = MOST_WORK / Real::from(cells * cells);
    let steps = random.whole(10, 60).min(most as u32).max(10);
    Plan {
        size,
        edge,
        cells,
        center: random.direction() * offset,
        normal: if random.chance(0.5) { Vec3::Z } else { random.axis_or_direction() },
        dt,
        steps,
        mass: random.log(0.02, 2.0) * edge * edge,
        thickness: thickness.max(1e-6),
        solver,
        is_explicit,
    }
}

impl Plan {
    /// Simulated time [s].
    pub fn duration(&self) -> Real {
        self.dt * Real::from(self.steps)
    }

    /// Stiffness that moves a particle by as much as it is strained in a step [N/m].
    pub fn unit_stiffness(&self) -> Real {
        self.mass / (self.dt * self.dt)
    }

    /// An edge per step, or what is allowed [m/s].
    pub fn speed(&self, random: &mut Random, slowest: Real, fastest: Real) -> Real {
        let by_edges = self.edge / self.dt * random.log(slowest, fastest);
        if random.chance(0.2) { random.log(0.1, 300.0) } else { by_edges.min(300.0) }
    }

    /// Two directions that span the first sheet.
    pub fn axes(&self) -> [Vec3; 2] {
        let (x, y) = self.normal.any_orthonormal_pair();
        [x, y]
    }
}

fn actions(random: &mut Random, plan: &Plan, scene: &Table) -> Vec<Action> {
    if random.chance(0.6) {
        return Vec::new();
    }
    let has = |key: &str| scene.contains_key(key);
    let count = random.whole(1, 8);
    let mut actions: Vec<Action> = (0..count)
        .map(|_| {
            let step = random.whole(0, plan.steps - 1);
            let kind = match random.whole(0, 3) {
                0 if has("body") => Kind::MoveBody,
                _ => random.pick(&Kind::ALL),
            };
            Action { step, kind, seed: random.bits() }
        })
        .filter(|action| match action.kind {
            Kind::MoveBody => has("body"),
            Kind::Motion => has("collider"),
            _ => true,
        })
        .collect();
    actions.sort_by_key(|action| action.step);
    actions
}

/// Adds an entry to a list of the scene.
pub fn push(scene: &mut Table, key: &str, entry: Value) {
    let list = scene.entry(key.to_owned()).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(entry);
    }
}
