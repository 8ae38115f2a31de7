//! The step as a minimum: its derivatives against differences, its constant matrix against what it bounds, its time budget.

use crate::support::{DOWN, net, noise, run, small_sheet, stiff};
use muslin::builder::{Builder, Mass, Net, NetSpring, Pin, Place, Surroundings};
use muslin::elements::{Element, SpringFamily, SpringLaw};
use muslin::forces::{PointLoad, Wind};
use muslin::internals::parts::constant_matrix::{Bending, ConstantMatrix};
use muslin::internals::parts::global_step::{FactorUse, GlobalStep};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{NewtonConfig, PncgConfig, ProjectiveConfig};
use muslin::state::State;
use muslin::world::World;
use std::cell::Cell;

const H: Real = 0.05;

/// A sheet with all that acts: gravity, drag, wind, a load, damping, springs of every law.
fn eventful_sheet() -> (Model, State) {
    let (mut model, mut state) = small_sheet(true, 0.02, DOWN);
    let laws =
        [SpringLaw::TwoSided, SpringLaw::TensionOnly, SpringLaw::CompressionOnly, SpringLaw::DeadZone(0.1)];
    model.change(|data| {
        for (k, spring) in data.elements.springs.iter_mut().enumerate() {
            spring.slack = laws[k % 4].slack(spring.rest_length);
            spring.damps_when_slack = k % 8 < 4;
        }
    });
    model.change(|data| data.forces.drag = (0..data.len()).map(|i| 0.1 + 0.01 * i as Real).collect());
    model.change(|data| {
        data.forces.wind = Some(Wind {
            velocity: Vec3::new(1.0, 2.0, 3.0),
            profile: Profile::Constant,
            coefficients: vec![0.1; data.len()],
        });
    });
    let force = Vec3::new(0.3, -0.2, 0.5);
    model.change_forces(|forces| {
        forces.loads = vec![PointLoad { particles: vec![7, 9], force, profile: Profile::Constant }];
    });
    // Held at the origin only, so that it can be stretched from there.
    model.change(|data| data.inverse_masses[3] = 1.0 / data.masses[3]);
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.velocities[i] = noise(2, i) * 0.2;
    }
    (model, state)
}

/// The second step of BDF2, so that both pasts count, with the iterate moved by `disturb`.
fn second_step(disturb: impl Fn(usize, Vec3) -> Vec3) -> (Model, GlobalStep<f64, f64>) {
    let (model, mut state) = eventful_sheet();
    let mut step = GlobalStep::default();
    step.begin(&model, &mut state, H, Scheme::Bdf2, FactorUse::Guide);
    step.finish(Scheme::Bdf2, &mut state);
    state.time += H;
    step.begin(&model, &mut state, H, Scheme::Bdf2, FactorUse::Guide);
    crate::assert_close!(step.gamma(), 2.0 / 3.0 * H, 1e-17, "γ of BDF2");
    for (x, particle) in step.x.iter_mut().zip(step.objective.free.clone()) {
        let moved = disturb(particle as usize, Vec3::from_slice(x));
        *x = [moved.x, moved.y, moved.z, 0.0];
    }
    (model, step)
}

/// Half a difference over 2δ: of G's third derivatives, some hundreds over δ²/6, and of rounding, 1e-14 J over δ.
const STEP: Real = 1e-5;
const TOLERANCE: Real = 1e-7;

#[test]
fn the_gradient_is_the_derivative_of_the_value() {
    for seed in 20..25 {
        let (model, mut step) = second_step(|i, x| x + noise(seed, i) * 0.1);
        let mut gradient = step.vector();
        step.gradient(&model, &mut gradient);
        for place in 0..step.len() {
            for axis in 0..3 {
                let at = step.x[place][axis];
                let mut value = |x: Real| {
                    step.x[place][axis] = x;
                    step.value(&model)
                };
                let expected = (value(at + STEP) - value(at - STEP)) / (2.0 * STEP);
                step.x[place][axis] = at;
                crate::assert_close!(
                    gradient[place][axis],
                    expected,
                    TOLERANCE,
                    "place {place}, axis {axis}"
                );
            }
        }
    }
}

/// pᵀ H p, and the same by differences of the gradient, along a random direction.
fn curvatures(model: &Model, step: &mut GlobalStep<f64, f64>, seed: u64) -> [Real; 2] {
    let (mut direction, mut gradient) = (step.vector(), step.vector());
    for (place, p) in direction.iter_mut().enumerate().take(step.len()) {
        let p_at = noise(seed, place);
        *p = [p_at.x, p_at.y, p_at.z, 0.0];
    }
    let found = step.curvature(model, &direction);
    let mut slope_after = |way: Real| {
        step.advance(way, &direction);
        step.gradient(model, &mut gradient);
        step.advance(-way, &direction);
        muslin::internals::parts::vectors::dot(&gradient, &direction)
    };
    [found, (slope_after(STEP) - slope_after(-STEP)) / (2.0 * STEP)]
}

#[test]
fn the_curvature_is_that_of_the_gradient_where_springs_are_taut() {
    for seed in 30..35 {
        // Longer than at rest and than before, so that nothing is raised.
        let (model, mut step) = second_step(|i, x| x * 1.6 + noise(seed, i) * 0.01);
        let lengths = |s: &muslin::elements::Spring| {
            let [a, b] = s.particles().map(|p| step.x[step.objective.place_of[p] as usize]);
            Vec3::from_slice(&a).distance(Vec3::from_slice(&b)) / s.rest_length
        };
        let shortest = model.elements.springs.iter().map(lengths).fold(Real::INFINITY, Real::min);
        assert!(shortest > 1.2, "all springs are taut: {shortest}");
        let [found, expected] = curvatures(&model, &mut step, seed);
        // Sixty springs and eighteen particles of TOLERANCE each.
        crate::assert_close!(found, expected, 100.0 * TOLERANCE, "curvature");
    }
}

#[test]
fn the_curvature_is_never_below_that_of_the_gradient() {
    let mut raised = 0;
    for seed in 40..60 {
        let (model, mut step) = second_step(|i, x| x * 0.8 + noise(seed, i) * 0.1);
        let [found, exact] = curvatures(&model, &mut step, seed);
        assert!(found >= exact - 100.0 * TOLERANCE, "{found} is below {exact}");
        raised += u32::from(found > exact + 1.0);
    }
    assert!(raised > 10, "compressed springs were raised in {raised} cases only");
}

/// uᵀ P u.
fn constant_form(matrix: &ConstantMatrix, u: &[Real]) -> Real {
    let diagonal: Real = matrix.diagonal.iter().zip(u).map(|(d, u)| d * u * u).sum();
    let below: Real =
        matrix.lower.iter().map(|([row, column], a)| a * u[*row as usize] * u[*column as usize]).sum();
    diagonal + 2.0 * below
}

/// uᵀ (M/γ² + D/γ + Σ AᵀWA) u with every spring as it is.
fn true_form(model: &Model, matrix: &ConstantMatrix, gamma: Real, u: &[Real]) -> Real {
    let mut at = vec![0.0; model.len()];
    for (row, &particle) in matrix.free.iter().enumerate() {
        at[particle as usize] = u[row];
    }
    let drag = |i: usize| model.forces.drag.get(i).copied().unwrap_or(0.0);
    let inertia = |i: usize| (model.masses[i] / (gamma * gamma) + drag(i) / gamma) * at[i] * at[i];
    let springs = model.elements.springs.iter().map(|spring| {
        let [a, b] = spring.particles();
        (spring.stiffness + spring.damping / gamma) * (at[a] - at[b]).powi(2)
    });
    (0..model.len()).map(inertia).sum::<Real>() + springs.sum::<Real>()
}

/// Particles at random in a square, each tied to those near it; weak springs between neighbours' neighbours.
fn irregular_net() -> Model {
    let points: Vec<Vec3> = (0..60).map(|i| noise(70, i).with_z(0.0)).collect();
    let held = [0, 5, 11];
    let near = |a: usize, b: usize| points[a].distance(points[b]) < 0.35;
    let mut springs = Vec::new();
    for a in 0..points.len() {
        for b in 0..a {
            let over = !near(a, b) && (0..60).any(|m| !held.contains(&m) && near(a, m) && near(m, b));
            let (stiffness, family) = if near(a, b) {
                (1000.0, SpringFamily::Structural)
            } else if over {
                (300.0, SpringFamily::Flexion)
            } else {
                continue;
            };
            let link = muslin::material::Link { damping: 0.5, ..stiff(stiffness) };
            let ends = [a as u32, b as u32];
            springs.push(NetSpring { ends, link, rest_length: None, family: Some(family) });
        }
    }
    let net = Net {
        particles: points,
        springs,
        mass: Mass::Each(0.02),
        pins: vec![Pin::at(Place::Particles(held.map(|m| m as u32).to_vec()))],
        ..Net::default()
    };
    let mut builder = Builder::default();
    builder.add_net(&net).unwrap();
    builder.finish(&Surroundings::default()).unwrap().0
}

#[test]
fn the_constant_matrix_bounds_the_true_one() {
    let gamma = 0.01;
    let (mut sheet, _) = small_sheet(true, 0.02, DOWN);
    sheet.change_forces(|forces| forces.drag.fill(0.2));
    sheet.change(|data| {
        for spring in &mut data.elements.springs {
            // Bending as stiff as stretching: then the bound has much to do.
            spring.stiffness = 50.0;
        }
    });
    for (label, model) in [("sheet", sheet), ("net", irregular_net())] {
        let matrix = ConstantMatrix::of(&model, gamma, Bending::Bounded);
        let whole = ConstantMatrix::of(&model, gamma, Bending::Whole);
        let mut core = model.clone();
        core.change(|data| data.elements.springs.retain(|spring| spring.family != SpringFamily::Flexion));
        let core_matrix = ConstantMatrix::of(&core, gamma, Bending::Bounded);
        assert!(core.elements.len() < model.elements.len(), "{label}: there are flexion springs");
        assert_eq!(matrix.lower.len(), core_matrix.lower.len(), "{label}: they add no entries");
        for seed in 0..200 {
            // Rough vectors and smooth ones, which feel springs that reach farther more.
            let smooth = Real::from(seed % 5 == 0);
            let component =
                |i: usize| noise(seed as u64, i).x * (1.0 - smooth) + smooth * (0.1 * i as Real).sin();
            let u: Vec<Real> = (0..matrix.len()).map(component).collect();
            let (bound, exact) = (constant_form(&matrix, &u), true_form(&model, &matrix, gamma, &u));
            let rounding = 1e-12 * bound;
            assert!(bound >= exact - rounding, "{label}: {bound} is below {exact}");
            crate::assert_close!(constant_form(&whole, &u), exact, rounding, "{label}: the whole matrix");
            // Without flexion springs the two are the same.
            let (same, exact) = (constant_form(&core_matrix, &u), true_form(&core, &matrix, gamma, &u));
            crate::assert_close!(same, exact, rounding, "{label}: without flexion");
        }
    }
}

thread_local! {
    static SECONDS: Cell<Real> = const { Cell::new(0.0) };
}

/// A clock that goes on by a second whenever it is asked.
fn clock() -> Real {
    SECONDS.set(SECONDS.get() + 1.0);
    SECONDS.get()
}

/// G of a first step of implicit Euler at these positions [J].
fn value_at(model: &Model, state: &State, positions: &[Vec3]) -> [Real; 2] {
    let mut step = GlobalStep::<f64, f64>::default();
    step.begin(model, &mut state.clone(), H, Scheme::ImplicitEuler, FactorUse::Guide);
    let start = step.value(model);
    for (x, &particle) in step.x.iter_mut().zip(&step.objective.free) {
        let at = positions[particle as usize];
        *x = [at.x, at.y, at.z, 0.0];
    }
    [start, step.value(model)]
}

#[test]
fn a_step_ends_when_its_time_is_up_with_what_it_has() {
    // Asked once at the start and once an iteration: the third iteration is the first beyond 2.5 s.
    let time_budget = Some(2.5);
    let (model, state) = eventful_sheet();
    for config in [
        SolverConfig::Projective(ProjectiveConfig { time_budget, tolerance: 1e-15, ..Default::default() }),
        SolverConfig::Pncg(PncgConfig { time_budget, tolerance: 1e-15, ..Default::default() }),
        SolverConfig::Newton(NewtonConfig { time_budget, tolerance: 1e-15, ..Default::default() }),
    ] {
        let name = config.name();
        let mut world = World::new(model.clone(), state.clone(), &config, H);
        world.use_clock(clock);
        let report = world.step().unwrap();
        assert_eq!((report.iterations, report.out_of_time), (3, 1), "{name}");
        let [start, end] = value_at(&model, &state, &world.state.positions);
        assert!(end < start, "{name}: from {start} J to {end} J");
        // Without a clock there is no time, and without a budget no hurry.
        let mut timeless = World::new(model.clone(), state.clone(), &config, H);
        let report = timeless.step().unwrap();
        assert!(report.iterations > 3 && report.out_of_time == 0, "{name}: {report:?}");
        let mut patient = World::new(model.clone(), state.clone(), &SolverConfig::named(name).unwrap(), H);
        patient.use_clock(clock);
        assert_eq!(patient.step().unwrap().out_of_time, 0, "{name}");
    }
}

/// The wind meets the cloth where it is going, so that a method of second order keeps its order.
#[test]
fn wind_costs_no_order() {
    let (mut model, mut state) = small_sheet(true, 0.02, DOWN);
    model.change(|data| {
        data.forces.wind = Some(Wind {
            velocity: Vec3::new(3.0, 5.0, 4.0),
            profile: Profile::Constant,
            coefficients: vec![0.1; data.len()],
        });
    });
    for i in (0..model.len()).filter(|&i| !model.is_held(i)) {
        state.positions[i] += noise(1, i) * 0.02;
    }
    let duration = 0.25;
    let reference = run(&model, &state, &SolverConfig::named("rk4").unwrap(), duration / 4096.0, duration);
    let (_, configs): (Vec<_>, Vec<_>) = crate::support::converged_minimisers().into_iter().unzip();
    for config in configs {
        let error = |steps: Real| {
            let end = run(&model, &state, &config, duration / steps, duration).state.positions;
            crate::support::max_distance(&end, &reference.state.positions)
        };
        let order = (error(256.0) / error(512.0)).log2();
        let expected = if crate::support::scheme(&config) == Some(Scheme::Bdf2) { 2.0 } else { 1.0 };
        crate::assert_close!(order, expected, 0.15, "{}: order", config.name());
    }
}

/// Ends that coincide have no direction and no force, in single precision too; a hair apart they do.
#[test]
fn a_spring_without_length_keeps_quiet() {
    let both = vec![Vec3::ZERO, Vec3::ZERO];
    let (model, state) = net(both, &[([0, 1], 1.0, stiff(100.0))], &[0], Vec3::ZERO);
    for name in ["projective", "pncg", "newton"] {
        let world = run(&model, &state, &SolverConfig::named(name).unwrap(), 0.01, 0.1);
        assert_eq!(world.state.positions[1], Vec3::ZERO, "{name}");
    }
}
