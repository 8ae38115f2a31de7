//! What the tests share: small cloths and ways to run them.

use muslin::builder::{Builder, Drag, Mass, Net, NetSpring, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::material::{Fabric, FabricName, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::Precision;
use muslin::solvers::Scheme;
use muslin::solvers::*;
use muslin::solvers::{LinearConfig, LinearSolver};
use muslin::state::State;
use muslin::world::World;

pub const G: Real = 9.81;
pub const DOWN: Vec3 = Vec3::new(0.0, 0.0, -G);

/// Every method, and every form of it that means to be correct, with a label.
pub fn every_solver() -> Vec<(String, SolverConfig)> {
    let mut all: Vec<(String, SolverConfig)> = SolverConfig::NAMES
        .iter()
        .map(|name| ((*name).to_owned(), SolverConfig::named(name).unwrap()))
        .collect();
    for (label, linear) in linear_solvers() {
        let config = ImplicitEulerConfig { linear, ..Default::default() };
        all.push((format!("implicit-euler/{label}"), SolverConfig::ImplicitEuler(config.clone())));
    }
    let newton = ImplicitEulerConfig { newton_iterations: 20, newton_tolerance: 1e-12, ..Default::default() };
    all.push(("implicit-euler/newton".to_owned(), SolverConfig::ImplicitEuler(newton)));
    for (label, config) in [
        ("xpbd/double", XpbdConfig { precision: Precision::Double, ..Default::default() }),
        ("xpbd/converged", XpbdConfig { substeps: 1, iterations: 60, precision: Precision::Double }),
    ] {
        all.push((label.to_owned(), SolverConfig::Xpbd(config)));
    }
    for (label, config) in converged_minimisers() {
        all.push((label.to_owned(), config));
    }
    let weight = VerletWeight::AsPrinted;
    all.push((
        "time-corrected-verlet/as-printed".to_owned(),
        SolverConfig::TimeCorrectedVerlet(TimeCorrectedVerletConfig { weight }),
    ));
    let accurate_start = RodsConfig { accurate_start: true, ..RodsConfig::default() };
    all.push(("rods/accurate-start".to_owned(), SolverConfig::Rods(accurate_start)));
    all.push(("propagation/exact".to_owned(), exact_propagation()));
    all
}

/// Propagation without thresholds: every force acts, and passes the walk on.
pub fn exact_propagation() -> SolverConfig {
    SolverConfig::Propagation(PropagationConfig {
        strain_threshold: 0.0,
        speed_threshold: 0.0,
        acceleration_threshold: 0.0,
        ..PropagationConfig::default()
    })
}

/// The methods that minimise, in double precision and to the end: implicit Euler or BDF2 to rounding.
pub fn converged_minimisers() -> Vec<(&'static str, SolverConfig)> {
    let (iterations, tolerance, precision) = (200, 1e-13, Precision::Double);
    let projective = ProjectiveConfig { iterations, tolerance, precision, ..Default::default() };
    let pncg = |scheme| PncgConfig { iterations, tolerance, precision, scheme, ..Default::default() };
    let newton = NewtonConfig { iterations, tolerance, scheme: Scheme::Bdf2, ..Default::default() };
    vec![
        ("projective/double", SolverConfig::Projective(projective)),
        ("pncg/double", SolverConfig::Pncg(pncg(Scheme::Bdf2))),
        ("pncg/implicit-euler", SolverConfig::Pncg(pncg(Scheme::ImplicitEuler))),
        ("newton/bdf2", SolverConfig::Newton(newton)),
    ]
}

/// Order of the differences that a method takes in time, if it minimises.
pub fn scheme(config: &SolverConfig) -> Option<Scheme> {
    match config {
        SolverConfig::Projective(_) => Some(Scheme::ImplicitEuler),
        SolverConfig::Pncg(config) => Some(config.scheme),
        SolverConfig::Newton(config) => Some(config.scheme),
        _ => None,
    }
}

/// Whether a method rounds its inner work to single precision.
pub fn is_single(config: &SolverConfig) -> bool {
    match config {
        SolverConfig::Projective(config) => config.precision == Precision::Single,
        SolverConfig::Pncg(config) => config.precision == Precision::Single,
        _ => false,
    }
}

/// Rounding to single precision, relative.
pub const SINGLE: Real = 6e-8;

/// How far rounding to single precision moves a sheet of [`small_sheet`] [m].
///
/// Lengths of 0.25 m are off by 6e-8 of themselves. Over a step a damper is a spring of stiffness c/γ, so that its rounding
/// weighs c/(kγ) times that of the spring, with c/k = 0.02 s; and there are five springs in a row from pin to hem.
pub fn small_sheet_rounding(config: &SolverConfig, dt: Real) -> Real {
    let gamma = if scheme(config) == Some(Scheme::Bdf2) { 2.0 / 3.0 * dt } else { dt };
    if is_single(config) { 5.0 * SINGLE * 0.25 * (1.0 + 0.02 / gamma) } else { 0.0 }
}

/// The linear solvers other than the default, each solving to the end.
pub fn linear_solvers() -> Vec<(&'static str, LinearConfig)> {
    let with =
        |linear_solver, sweeps| LinearConfig { linear_solver, sweeps, tolerance: 1e-13, relaxation: 1.0 };
    vec![
        ("jacobi", with(LinearSolver::Jacobi, 200)),
        ("sor", with(LinearSolver::Sor, 500)),
        ("cholesky", with(LinearSolver::Cholesky, 1)),
    ]
}

/// One particle a position, all of 1 kg, held together by undamped springs; `held` are fixed.
pub fn net(
    particles: Vec<Vec3>,
    springs: &[([u32; 2], Real, Link)],
    held: &[u32],
    gravity: Vec3,
) -> (Model, State) {
    let spring = |&(ends, rest, link): &([u32; 2], Real, Link)| NetSpring {
        ends,
        link,
        rest_length: Some(rest),
        family: None,
    };
    let pins = if held.is_empty() { vec![] } else { vec![Pin::at(Place::Particles(held.to_vec()))] };
    let net = Net {
        particles,
        springs: springs.iter().map(spring).collect(),
        mass: Mass::Each(1.0),
        pins,
        ..Net::default()
    };
    let mut builder = Builder::default();
    builder.add_net(&net).unwrap();
    builder.finish(&Surroundings { gravity, ..Surroundings::default() }).unwrap()
}

/// A spring without damping.
pub fn stiff(stiffness: Real) -> Link {
    Link { stiffness, ..Link::default() }
}

/// A sheet and its surroundings, built.
pub fn build(sheet: &Sheet, surroundings: &Surroundings) -> (Model, State) {
    let mut builder = Builder::default();
    builder.add_sheet(sheet).unwrap();
    builder.finish(surroundings).unwrap()
}

/// Scene 1 of Carvalho 2012: 2 m × 2 m, 10 × 10, held at (0,0) and (0,9).
pub fn two_point_drop() -> (Model, State) {
    let sheet = Sheet {
        size: [2.0, 2.0],
        resolution: Resolution::Particles([10, 10]),
        fabric: FabricName::Study.fabric(),
        drag: Drag::Places { corner: 0.005, edge: 0.01, interior: 0.02 },
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 9]]))],
        ..Sheet::default()
    };
    build(&sheet, &Surroundings { gravity: DOWN, ..Surroundings::default() })
}

/// A small sheet of soft, damped, two-sided springs, 5 × 4 particles, free or held at two corners.
pub fn small_sheet(held: bool, damping: Real, gravity: Vec3) -> (Model, State) {
    let link = |stiffness: Real| Link { stiffness, damping: damping * stiffness, ..Link::default() };
    let fabric =
        Fabric { structural: link(50.0), shear: link(20.0), flexion: link(5.0), ..Fabric::default() };
    let pins = if held { vec![Pin::at(Place::Grid(vec![[0, 0], [0, 3]]))] } else { vec![] };
    let sheet = Sheet {
        size: [1.0, 0.75],
        resolution: Resolution::Particles([5, 4]),
        fabric,
        mass: Mass::Each(0.05),
        pins,
        ..Sheet::default()
    };
    build(&sheet, &Surroundings { gravity, ..Surroundings::default() })
}

/// Numbers that look random, in −1 to 1.
pub fn noise(seed: u64, index: usize) -> Vec3 {
    let number = |k: u64| 2.0 * muslin::profile::uniform(seed, 3 * index as u64 + k) - 1.0;
    Vec3::new(number(0), number(1), number(2))
}

/// Runs for `duration` seconds.
pub fn run(model: &Model, state: &State, config: &SolverConfig, dt: Real, duration: Real) -> World {
    let mut world = World::new(model.clone(), state.clone(), config, dt);
    for _ in 0..(duration / dt).round() as u64 {
        world.step().unwrap_or_else(|error| panic!("{}: {error}", config.name()));
    }
    world
}

/// Largest distance between two sets of points [m].
pub fn max_distance(a: &[Vec3], b: &[Vec3]) -> Real {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, Real::max)
}

/// Fails with what was measured, what was expected and by how much they differ.
#[macro_export]
macro_rules! assert_close {
    ($measured:expr, $expected:expr, $tolerance:expr, $($label:tt)+) => {{
        let (measured, expected, tolerance) = ($measured, $expected, $tolerance);
        assert!(
            (measured - expected).abs() <= tolerance,
            "{}: measured {measured}, expected {expected}, off by {:e}, allowed {tolerance:e}",
            format!($($label)+),
            (measured - expected).abs()
        );
    }};
}
