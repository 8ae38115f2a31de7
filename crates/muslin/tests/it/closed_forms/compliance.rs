//! XPBD's stiffness is the authored one, whatever the number of iterations.

use crate::support::{DOWN, G, build, net, run, stiff};
use muslin::builder::{Mass, Pin, Place, Resolution, Sheet, Side, Surroundings};
use muslin::forces::PointLoad;
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::solvers::{Precision, XpbdConfig};
use muslin::state::State;

const ITERATIONS: [u32; 5] = [1, 2, 5, 10, 50];

/// Brings a model to rest in air that slows it.
fn settle(model: &Model, state: &State, config: XpbdConfig, dt: Real) -> State {
    let mut model = model.clone();
    model.change(|data| data.forces.drag = data.masses.iter().map(|m| 8.0 * m).collect());
    run(&model, state, &SolverConfig::Xpbd(config), dt, 6.0).state
}

/// n masses of 1 kg under a pin.
fn chain(n: u32, k: Real) -> (Model, State) {
    let particles = (0..=n).map(|i| Vec3::Z * -0.1 * Real::from(i)).collect();
    let springs: Vec<_> = (0..n).map(|i| ([i, i + 1], 0.1, stiff(k))).collect();
    net(particles, &springs, &[0], DOWN)
}

#[test]
fn a_weight_stretches_springs_and_chains_by_mg_over_k() {
    let k = 2000.0;
    for n in [1, 5] {
        let (model, state) = chain(n, k);
        let expected = G * Real::from(n * (n + 1)) / (2.0 * k);
        for precision in [Precision::Single, Precision::Double] {
            for iterations in ITERATIONS {
                let config = XpbdConfig { substeps: 4, iterations, precision };
                let end = settle(&model, &state, config, 4e-3);
                let elongation = -end.positions[n as usize].z - 0.1 * Real::from(n);
                // h² w k = 0.002 for each spring that comes later, two at the most.
                crate::assert_close!(
                    elongation / expected,
                    1.0,
                    0.01,
                    "{n} springs, {precision:?}, {iterations} iterations"
                );
            }
        }
    }
}

/// One sweep that starts with λ = 0 leaves each spring too long by h² Σ w f' of the springs at its particles that come later
/// (see the head of the solver): here the even ones are red and come first.
#[test]
fn one_sweep_with_long_steps_errs_as_theory_says() {
    let (k, n, h) = (2000.0, 4, 0.02);
    let (model, state) = chain(n, k);
    let config = XpbdConfig { substeps: 1, iterations: 1, precision: Precision::Double };
    let end = settle(&model, &state, config, h);
    let load = |spring: u32| G * Real::from(n - spring);
    // Drag adds h c to the mass of 1 kg.
    let w = 1.0 / (1.0 + 8.0 * h);
    for spring in 0..n {
        let length = end.positions[spring as usize].distance(end.positions[spring as usize + 1]);
        // The first hangs on the pin: anchored springs are solved last. Of the others the odd ones are of the first colour.
        let later: Real = match spring {
            1 => load(0) + load(2),
            3 => load(2),
            _ => 0.0,
        };
        let expected = load(spring) / k + h * h * w * later;
        crate::assert_close!(length - 0.1, expected, 1e-9, "spring {spring}");
    }
}

/// A sheet under a row of loads: structural springs in parallel and in a row, the others nearly absent.
#[test]
fn a_load_stretches_a_sheet_by_its_stiffness() {
    let k = 2000.0;
    let weak = Link { stiffness: 1e-6, ..Link::default() };
    let sheet = Sheet {
        size: [0.5, 0.5],
        resolution: Resolution::Cells([5, 5]),
        axes: [-Vec3::Z, Vec3::X],
        fabric: Fabric { structural: stiff(k), shear: weak, flexion: weak, ..Fabric::default() },
        mass: Mass::Each(0.5),
        pins: vec![Pin::at(Place::Side(Side::IMin))],
        ..Sheet::default()
    };
    let (mut model, state) = build(&sheet, &Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() });
    let load =
        PointLoad { particles: (30..36).collect(), force: Vec3::Z * -20.0, profile: Profile::Constant };
    model.change_forces(|forces| forces.loads = vec![load]);
    for precision in [Precision::Single, Precision::Double] {
        for iterations in ITERATIONS {
            let config = XpbdConfig { substeps: 8, iterations, precision };
            let end = settle(&model, &state, config, 4e-3);
            for bottom in 30..36 {
                let elongation = -end.positions[bottom].z - 0.5;
                // Five springs of 20 N each; h² w k = 0.001, twice.
                crate::assert_close!(
                    elongation / (5.0 * 20.0 / k),
                    1.0,
                    0.01,
                    "{precision:?}, {iterations} iterations"
                );
            }
        }
    }
}

/// Tension-only springs with damping, slack and taut, alike in both precisions and as close to the truth as one expects.
#[test]
fn one_sided_springs_act_on_their_side_only() {
    use muslin::elements::SpringLaw;
    for (law, acts) in [(SpringLaw::TensionOnly, true), (SpringLaw::CompressionOnly, false)] {
        let link = Link { stiffness: 400.0, law, ..Link::default() };
        let (model, state) = net(vec![Vec3::ZERO, Vec3::Z * -1.0], &[([0, 1], 1.0, link)], &[0], DOWN);
        for precision in [Precision::Single, Precision::Double] {
            for iterations in [1, 5] {
                let config = SolverConfig::Xpbd(XpbdConfig { substeps: 10, iterations, precision });
                let lowest = run(&model, &state, &config, 1e-2, 0.25).state.positions[1].z;
                // It swings to 2 mg/k below, or falls freely: 0.31 m.
                let expected = if acts { -1.0 - 2.0 * G / 400.0 } else { -1.0 - 0.5 * G * 0.25 * 0.25 };
                let falls = lowest < -1.25;
                assert_eq!(falls, !acts, "{law:?}, {precision:?}: at {lowest}, expected about {expected}");
            }
        }
    }
}
