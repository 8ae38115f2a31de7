//! A mass on a spring.

use crate::support::{G, SINGLE, every_solver, is_single, net, run, scheme, stiff};
use muslin::material::Link;
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::Scheme;
use muslin::solvers::{
    BeemanConfig, ImprovedVerletConfig, PbdConfig, Rk4Config, Rk45Config, VelocityVerletConfig,
    VelocityVerletVariant, XpbdConfig,
};
use muslin::state::State;
use muslin::world::World;
use std::f64::consts::TAU;

/// 1 kg under a pin, on a spring of 1 m.
fn hanging_mass(link: Link) -> (Model, State) {
    net(vec![Vec3::ZERO, Vec3::Z * -1.0], &[([0, 1], 1.0, link)], &[0], Vec3::Z * -G)
}

#[test]
fn a_mass_on_a_spring_swings_with_its_period() {
    let k = 400.0;
    let (model, state) = hanging_mass(stiff(k));
    let mut world = World::new(model, state, &SolverConfig::named("rk4").unwrap(), 1e-4);
    let middle = -1.0 - G / k;
    let mut crossings = Vec::new();
    let mut before = world.state.positions[1].z - middle;
    while crossings.len() < 21 {
        let time = world.state.time;
        world.step().unwrap();
        let after = world.state.positions[1].z - middle;
        if before * after < 0.0 {
            crossings.push(time + world.dt * before / (before - after));
        }
        before = after;
    }
    // Ten periods. Where it passes the middle the acceleration is zero, so that the straight line between two
    // samples misses by (ωh)³ only; the phase of RK4 by (ωh)⁴/120.
    let period = (crossings[20] - crossings[0]) / 10.0;
    crate::assert_close!(period, TAU / Real::sqrt(k), 1e-10, "period");
}

#[test]
fn a_mass_on_a_spring_comes_to_rest_where_the_weight_is_balanced() {
    let k = 400.0;
    let (model, state) = hanging_mass(Link { damping: 20.0, ..stiff(k) });
    for (label, config) in every_solver() {
        // Amplitude exp(−c t/2m) = 2e-22.
        let world = run(&model, &state, &config, 2e-3, 5.0);
        let allowed = match label.as_str() {
            // Single precision: G/k = 2.5 cm and the last bit of single numbers.
            "xpbd" => 1e-8,
            // In single precision a length of 1 m is off by 6e-8 of it; and so is the damper's, of stiffness c/γ beside k.
            _ if is_single(&config) => 1e-10 + SINGLE * (1.0 + 20.0 / (k * 2e-3 * 2.0 / 3.0)),
            // Newton's method may stop at a change of 1e-9 m/s, and 1/ω of that is 5e-11 m.
            _ => 1e-10,
        };
        // Position-based dynamics with k = 1 has a rod there.
        let stretch = if matches!(config, SolverConfig::Pbd(_)) { 0.0 } else { G / k };
        crate::assert_close!(world.state.positions[1].z, -1.0 - stretch, allowed, "{label}");
    }
}

/// |R|: by how much a step of `config` multiplies the amplitude of an oscillation with ωh = z.
///
/// A spring of rest length 0 is linear: the displacements obey x⁺ = p x − q x⁻ with |R|² = q once every other root
/// has died away; p and q follow from four of them.
fn amplification(config: &SolverConfig, z: Real) -> Real {
    let direction = Vec3::new(0.6, 0.0, 0.8);
    // Small, so that what grows has room before the world calls it diverged.
    let (model, state) =
        net(vec![Vec3::ZERO, direction * 1e-6], &[([0, 1], 0.0, stiff(z * z))], &[0], Vec3::ZERO);
    let mut world = World::new(model, state, config, 1.0);
    let mut x = [0.0; 4];
    for _ in 0..40 {
        world.step().unwrap();
        x = [x[1], x[2], x[3], world.state.positions[1].dot(direction)];
    }
    ((x[2] * x[2] - x[1] * x[3]) / (x[1] * x[1] - x[0] * x[2])).sqrt()
}

/// |Σ cₖ (iz)ᵏ|.
fn polynomial(coefficients: &[Real], z: Real) -> Real {
    let (mut even, mut odd, mut power) = (0.0, 0.0, 1.0);
    for (k, c) in coefficients.iter().enumerate() {
        let sign = if k % 4 < 2 { 1.0 } else { -1.0 };
        *(if k % 2 == 0 { &mut even } else { &mut odd }) += sign * c * power;
        power *= z;
    }
    Real::hypot(even, odd)
}

/// The larger root of (3 − 2iz) ζ² − 4 ζ + 1 = 0: ζ = (2 ± √(1 + 2iz)) / (3 − 2iz).
fn bdf2(z: Real) -> Real {
    let modulus = Real::hypot(1.0, 2.0 * z);
    let (re, im) = ((0.5 * (modulus + 1.0)).sqrt(), (0.5 * (modulus - 1.0)).sqrt());
    Real::hypot(2.0 + re, im) / Real::hypot(3.0, 2.0 * z)
}

fn theory(config: &SolverConfig, z: Real) -> Real {
    match config {
        config if scheme(config) == Some(Scheme::ImplicitEuler) => 1.0 / polynomial(&[1.0, 1.0], z),
        config if scheme(config) == Some(Scheme::Bdf2) => bdf2(z),
        SolverConfig::ExplicitEuler(_) => polynomial(&[1.0, 1.0], z),
        SolverConfig::Midpoint(_) => polynomial(&[1.0, 1.0, 0.5], z),
        SolverConfig::Rk4(Rk4Config { as_printed: false }) => {
            polynomial(&[1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0], z)
        }
        // k₃ := k₂ makes 1 + w + w²/2 + w³/12 with weights (k₁ + 4 k₂ + k₄)/6.
        SolverConfig::Rk4(Rk4Config { as_printed: true }) => polynomial(&[1.0, 1.0, 0.5, 1.0 / 12.0], z),
        SolverConfig::Rk45(_) => {
            polynomial(&[1.0, 1.0, 0.5, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 600.0], z)
        }
        SolverConfig::ImplicitEuler(_) | SolverConfig::Desbrun(_) => 1.0 / polynomial(&[1.0, 1.0], z),
        // p = 2 x − x⁻ loses the part k of its length, whatever z: x⁺ = (1 − k)(2 x − x⁻).
        SolverConfig::Pbd(config) => (1.0 - config.stiffness).sqrt(),
        SolverConfig::Bdf2(_) => bdf2(z),
        // Implicit Euler in each substep.
        SolverConfig::Xpbd(XpbdConfig { substeps, .. }) => {
            polynomial(&[1.0, 1.0], z / Real::from(*substeps)).powf(-Real::from(*substeps))
        }
        SolverConfig::VelocityVerlet(VelocityVerletConfig { variant: VelocityVerletVariant::Lagged }) => {
            polynomial(&[1.0, 1.0], z)
        }
        // The Verlet family, symplectic Euler and the implicit midpoint keep every amplitude.
        _ => 1.0,
    }
}

#[test]
fn every_solver_amplifies_oscillations_as_its_theory_says() {
    let wide_open = Rk45Config { position_tolerance: 1e300, velocity_tolerance: 1e300, max_inner_steps: 1 };
    let always_beeman = ImprovedVerletConfig { force_threshold: 0.0 };
    let lagged = VelocityVerletConfig { variant: VelocityVerletVariant::Lagged };
    let mut configs = every_solver();
    // With its tolerances at work the adaptive method has no step of its own to speak of.
    configs.retain(|(label, _)| label != "rk45");
    // With k = 1 nothing is left to amplify.
    configs.retain(|(label, _)| label != "pbd");
    // An oscillation of 1e-6 m/s is rest to it; see its form without thresholds.
    configs.retain(|(label, _)| label != "propagation");
    let half = PbdConfig { stiffness: 0.5, ..PbdConfig::default() };
    configs.push(("pbd, k = 1/2".to_owned(), SolverConfig::Pbd(half)));
    configs.push(("rk45 in one step".to_owned(), SolverConfig::Rk45(wide_open)));
    configs.push(("rk4 as printed".to_owned(), SolverConfig::Rk4(Rk4Config { as_printed: true })));
    configs.push(("improved-verlet/beeman".to_owned(), SolverConfig::ImprovedVerlet(always_beeman)));
    configs.push(("velocity-verlet/lagged".to_owned(), SolverConfig::VelocityVerlet(lagged)));
    for (label, config) in configs {
        for z in [0.1, 0.3, 0.5, 1.0, 1.5, 1.9] {
            // Rounding, divided by (sin θ)², θ ≈ z the angle a step; at 1.9 the Verlet family is near its limit 2.
            let rounding = match label.as_str() {
                // Single numbers are rounded at 6e-8, some ten times a step.
                "xpbd" => 1e-6,
                _ if is_single(&config) => SINGLE,
                _ => 1e-11,
            };
            crate::assert_close!(
                amplification(&config, z),
                theory(&config, z),
                rounding,
                "{label}, ωh = {z}"
            );
        }
    }
}

#[test]
fn beemans_positions_are_verlets() {
    let (model, state) = hanging_mass(stiff(400.0));
    let final_position = |config: &SolverConfig| run(&model, &state, config, 1e-3, 1.0).state.positions[1].z;
    // Both start with the same step, so they are one sequence; rounding, summed up twice.
    let beeman = final_position(&SolverConfig::Beeman(BeemanConfig {}));
    let verlet = final_position(&SolverConfig::named("position-verlet").unwrap());
    crate::assert_close!(beeman, verlet, 1e-10, "position after 1000 steps");
}
