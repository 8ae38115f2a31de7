//! Desbrun's filter: stable at any stiffness, keeps angular momentum, hangs as its springs say.

use crate::support::{DOWN, G, build, max_distance, net, noise, run, stiff};
use muslin::builder::{Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::material::Fabric;
use muslin::math::{Real, Vec3};
use muslin::measure::{Energy, angular_momentum};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{DesbrunConfig, Filter};
use muslin::state::State;

const STEP: Real = 1.0 / 30.0;

fn desbrun(config: DesbrunConfig) -> SolverConfig {
    SolverConfig::Desbrun(config)
}

/// A sheet of 1 m with `side` particles a side of 1 g each, springs to the next and across the cells.
fn sheet(side: usize, stiffness: Real, pins: Vec<Pin>, gravity: Vec3) -> (Model, State) {
    let fabric = Fabric {
        structural: stiff(stiffness),
        shear: stiff(stiffness),
        flexion: stiff(0.0),
        ..Fabric::default()
    };
    let sheet = Sheet {
        resolution: Resolution::Particles([side, side]),
        fabric,
        mass: Mass::Each(1e-3),
        pins,
        ..Sheet::default()
    };
    build(&sheet, &Surroundings { gravity, ..Surroundings::default() })
}

fn two_corners(side: usize) -> Vec<Pin> {
    vec![Pin::at(Place::Grid(vec![[0, 0], [0, side - 1]]))]
}

#[test]
fn stable_at_a_thirtieth_from_1_to_10_000_newtons_a_metre() {
    for k in [1.0, 10.0, 100.0, 1e3, 1e4] {
        let (model, state) = sheet(17, k, two_corners(17), DOWN);
        let energy_at = |duration: Real| {
            let world = run(&model, &state, &SolverConfig::Desbrun(DesbrunConfig::default()), STEP, duration);
            Energy::of(&model, &world.state)
        };
        // It falls, swings and comes to rest: descent on a bounded energy, never above where it started.
        let (early, late) = (energy_at(1.0), energy_at(30.0));
        assert!(early.total() < 1e-9 && late.total() <= early.total(), "k = {k}: {early:?}, {late:?}");
        assert!(late.kinetic < 1e-3 * -late.gravity, "k = {k} at rest: {late:?}");
    }
}

/// n springs with n masses hang as a chain of springs does. With `as_printed_pins` the pin's own row is filtered, too: the spring at
/// the pin hangs down by h² g (n + 1) more, whatever k.
#[test]
fn a_chain_hangs_as_its_springs_say_at_any_stiffness() {
    let n = 10u32;
    for k in [300.0, 1e3, 1e4, 1e6] {
        let particles: Vec<Vec3> = (0..=n).map(|i| Vec3::Z * -0.1 * Real::from(i)).collect();
        let springs: Vec<_> = (0..n).map(|i| ([i, i + 1], 0.1, stiff(k))).collect();
        let (mut model, state) = net(particles, &springs, &[0], DOWN);
        model.change_forces(|forces| forces.drag.fill(20.0));
        let end = |config| run(&model, &state, &desbrun(config), STEP, 60.0).state.positions[n as usize].z;
        let expected = -0.1 * Real::from(n) - G * Real::from(n * (n + 1)) / (2.0 * k);
        // The slowest mode: a spring of k/n² or the air's 20/s; exp(−30) is left.
        crate::assert_close!(end(DesbrunConfig::default()), expected, 1e-6, "k = {k}");
        // Stiffer chains do not come to rest at all as printed.
        if k <= 1e3 {
            let printed = end(DesbrunConfig { as_printed_pins: true, ..Default::default() });
            let excess = STEP * STEP * G * Real::from(n + 1);
            crate::assert_close!(printed, expected - excess, 1e-6, "k = {k}, as printed");
        }
    }
}

fn spinning_sheet(even: bool) -> (Model, State) {
    let (mut model, mut state) = sheet(9, 100.0, vec![], Vec3::ZERO);
    for i in 0..model.len() {
        if !even {
            model.change(|data| data.masses[i] *= 1.5 + noise(4, i).x);
            model.change(|data| data.inverse_masses[i] = 1.0 / data.masses[i]);
        }
        let arm = state.positions[i] - Vec3::new(0.5, 0.5, 0.0);
        state.velocities[i] = Vec3::new(0.3, 0.5, 2.0).cross(arm) + noise(6, i) * 0.1 + Vec3::X;
    }
    (model, state)
}

/// Part of the angular momentum about the centre of mass that two seconds take.
fn loss(model: &Model, state: &State, config: DesbrunConfig) -> Real {
    let start = angular_momentum(model, state);
    let end = run(model, state, &desbrun(config), STEP, 2.0);
    angular_momentum(model, &end.state).distance(start) / start.length()
}

#[test]
fn a_free_sheet_spins_on_whatever_its_masses() {
    for even in [true, false] {
        let (model, state) = spinning_sheet(even);
        let lost = loss(&model, &state, DesbrunConfig::default());
        // Rounding times the condition of the filter, h² 8 k/m = 900, over 60 steps.
        assert!(lost < 1e-10, "even masses {even}: {lost:e}");
    }
}

/// Without the inertia tensor the correction is off by the size of the body, Σ q² over 1 m²: here many times too much.
#[test]
fn the_printed_torque_does_not_keep_the_spin() {
    let (model, state) = spinning_sheet(true);
    let printed = desbrun(DesbrunConfig { as_printed_torque: true, ..Default::default() });
    let start = angular_momentum(&model, &state);
    let mut world = muslin::world::World::new(model, state, &printed, STEP);
    let lost = (0..60).any(|_| {
        world.step().is_err()
            || angular_momentum(&world.model, &world.state).distance(start) > 0.1 * start.length()
    });
    assert!(lost, "as printed it should lose its spin");
}

#[test]
fn the_dense_filter_is_the_sparse_one() {
    let (model, state) = sheet(12, 300.0, two_corners(12), DOWN);
    let [sparse, dense] = [Filter::Sparse, Filter::Dense].map(|filter| {
        run(&model, &state, &desbrun(DesbrunConfig { filter, ..Default::default() }), STEP, 1.0)
    });
    // A condition of h² k/m · 8 = 3e3 times rounding, over 30 steps.
    let distance = max_distance(&sparse.state.positions, &dense.state.positions);
    assert!(distance < 1e-10, "{distance:e} m apart");
}

#[test]
fn ten_thousand_particles_are_no_matter_for_the_sparse_filter() {
    let (model, state) = sheet(100, 1e3, two_corners(100), DOWN);
    let world = run(&model, &state, &desbrun(DesbrunConfig::default()), STEP, 0.5);
    assert!(Energy::of(&model, &world.state).total() < 1e-9, "it falls and gains nothing");
    assert!(world.state.positions.iter().all(|x| x.length() < 3.0));
}
