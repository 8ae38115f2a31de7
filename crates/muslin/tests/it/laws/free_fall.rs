//! A particle that falls from rest: −½ g t², and each method's error by theory.

use crate::support::{DOWN, G, every_solver, is_single, max_distance, net, run, scheme, small_sheet, stiff};
use muslin::material::Link;
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{PncgConfig, Precision, RodsConfig, XpbdConfig};

/// Height and velocity minus the exact ones after n steps of h [m, m/s].
fn error_by_theory(config: &SolverConfig, h: Real, n: i32) -> (Real, Real) {
    let t = h * Real::from(n);
    match config {
        config if scheme(config) == Some(Scheme::ImplicitEuler) => (-0.5 * G * h * t, 0.0),
        config if scheme(config) == Some(Scheme::Bdf2) => {
            (-0.75 * G * h * h * (1.0 - Real::powi(3.0, -n)), 0.0)
        }
        // x gains h v with the old velocity, which is that of half a step ago on average.
        SolverConfig::ExplicitEuler(_) => (0.5 * G * h * t, 0.0),
        // … with the new velocity: half a step ahead.
        SolverConfig::SymplecticEuler(_)
        | SolverConfig::ImplicitEuler(_)
        | SolverConfig::Pbd(_)
        | SolverConfig::Desbrun(_) => (-0.5 * G * h * t, 0.0),
        // … at each substep.
        SolverConfig::Xpbd(config) => (-0.5 * G * h / Real::from(config.substeps) * t, 0.0),
        // The plain start feels no weight in its first step, and velocities are those of half a step ago.
        SolverConfig::Rods(RodsConfig { accurate_start: false, .. }) => (0.5 * G * h * t, G * h),
        // Exact for parabolas but for the start by implicit Euler, which leaves e₁ = −g h²/2 after the first step;
        // e⁺ = (4 e − e⁻)/3 takes that to 3/2 e₁.
        SolverConfig::Bdf2(_) => (-0.75 * G * h * h * (1.0 - Real::powi(3.0, -n)), 0.0),
        // (4.19) is the velocity of half a step ago; that of rods with their accurate start, too.
        SolverConfig::ImprovedVerlet(_) | SolverConfig::Rods(_) => (0.0, 0.5 * G * h),
        // Exact for parabolas.
        _ => (0.0, 0.0),
    }
}

#[test]
fn every_solver_falls_freely() {
    let (model, state) = net(vec![Vec3::ZERO], &[], &[], DOWN);
    let (h, n) = (0.01, 100);
    for (label, config) in every_solver() {
        let world = run(&model, &state, &config, h, h * Real::from(n));
        let (in_height, in_velocity) = error_by_theory(&config, h, n);
        let t = world.state.time;
        // Rounding of numbers around 5 over 100 steps; a two-step recursion sums it up twice: 100² · 1e-16.
        let rounding = 1e-11;
        let height = world.state.positions[0].z;
        crate::assert_close!(height, -0.5 * G * t * t + in_height, rounding, "{label}: height");
        let velocity = world.state.velocities[0].z;
        crate::assert_close!(velocity, -G * t + in_velocity, rounding, "{label}: velocity");
        assert_eq!(world.state.positions[0].truncate(), Vec3::ZERO.truncate(), "{label}: straight down");
    }
}

/// Every particle falls alike, so no spring ever learns of it.
#[test]
fn a_free_flat_sheet_falls_without_deforming() {
    let (model, state) = small_sheet(false, 0.02, DOWN);
    let tight = PncgConfig { tolerance: 1e-7, iterations: 100, ..PncgConfig::default() };
    let tight = [("pncg, to 1e-7".to_owned(), SolverConfig::Pncg(tight))];
    for (label, config) in every_solver().into_iter().chain(tight) {
        let world = run(&model, &state, &config, 1e-2, 1.0);
        let fallen = world.state.positions[0] - state.positions[0];
        let expected: Vec<Vec3> = state.positions.iter().map(|x| *x + fallen).collect();
        let deformed = max_distance(&world.state.positions, &expected);
        assert!(fallen.z < -4.0, "{label}: it falls, {fallen}");
        // All coordinates along the fall are the same numbers. Solvers with a matrix may leave roundings of 5 m, some 1e-15 m,
        // in each of the hundred steps; in single precision a step ends when moves are 1e-4 of its g h² = 1e-3 m. What a
        // factor in half precision leaves is the same in every step, a part of the acceleration that counts as tolerance.
        let solves = scheme(&config).is_some()
            || matches!(
                config,
                SolverConfig::ImplicitEuler(_)
                    | SolverConfig::ImplicitMidpoint(_)
                    | SolverConfig::Bdf2(_)
                    | SolverConfig::Desbrun(_)
            );
        let allowed = match &config {
            SolverConfig::Pncg(PncgConfig { precision: Precision::Single, tolerance, .. }) => tolerance * 5.0,
            _ if is_single(&config) => 100.0 * 1e-4 * 1e-3,
            _ if solves => 1e-13,
            _ => 1e-16,
        };
        assert!(deformed <= allowed, "{label}: deformed by {deformed:e} m");
    }
}

/// Two masses on a damped spring that turn about each other with the stretch that their turning needs: the spring keeps its
/// length, so its damper has nothing to do.
#[test]
fn rigid_spin_feels_no_elastic_damping() {
    let (k, damping, spin, dt) = (400.0, 20.0, 3.0, 1e-3);
    // k (l − 1) = m ω² l/2 with masses of 1 kg.
    let length = k / (k - 0.5 * spin * spin);
    let spun = |damping: Real, config: &SolverConfig, dt: Real| {
        let link = Link { damping, ..stiff(k) };
        let ends = [Vec3::X * (-0.5 * length), Vec3::X * (0.5 * length)];
        let (model, mut state) = net(ends.to_vec(), &[([0, 1], 1.0, link)], &[], Vec3::ZERO);
        state.velocities = ends.map(|x| Vec3::Z.cross(x) * spin).to_vec();
        Energy::of(&model, &run(&model, &state, config, dt, 1.0).state).kinetic
    };
    for (label, config) in every_solver() {
        let change = spun(damping, &config, dt) / spun(0.0, &config, dt) - 1.0;
        // Rates taken a step away from their directions are c ω² l h off, an elongation of c ω² h/k, and the speed falls as
        // the length grows.
        let first_order = 2.0 * damping * spin * spin * dt / k;
        let allowed = match &config {
            SolverConfig::ExplicitEuler(_)
            | SolverConfig::SymplecticEuler(_)
            | SolverConfig::ImplicitEuler(_)
            | SolverConfig::Rods(_)
            | SolverConfig::Desbrun(_) => first_order,
            // Corrections rounded at 1e-10 m in a substep of 1e-4 s, 1e4 of them at random: 1e-4 m/s of 1.5 m/s.
            SolverConfig::Xpbd(XpbdConfig { precision: Precision::Single, .. }) => 1.3e-4,
            // Damping counts changes of length alone, which turning is not; but the method itself slows the spin, and
            // the spring shortens with it.
            SolverConfig::Xpbd(config) => 0.2 * first_order / Real::from(config.substeps),
            config if scheme(config) == Some(Scheme::ImplicitEuler) => 0.2 * first_order,
            // Second order: ωh of that, and a method's own number of times.
            _ => 10.0 * spin * dt * first_order,
        };
        assert!(
            change.abs() <= allowed,
            "{label}: damping changes the energy by {change:e}, allowed {allowed:e}"
        );
    }
}
