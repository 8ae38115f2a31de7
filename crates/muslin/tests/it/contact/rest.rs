//! What lies still keeps still, what falls bounces as far as it should.

use super::{FLOOR, THICKNESS, law, sheet};
use crate::support::{DOWN, G};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::math::{Real, Vec3};
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::world::World;

/// 60 s on a table, over whose edges the sheet does not hang: it does not creep and does not shake.
#[test]
fn a_sheet_on_a_table_keeps_still() {
    for name in ["pncg", "xpbd", "implicit-euler"] {
        let top =
            Shape::Cuboid { center: Vec3::Z * -0.5, size: Vec3::new(2.0, 2.0, 1.0), rotation: Vec3::ZERO };
        let (model, mut state) = sheet(8, Vec3::ZERO, [Vec3::X, Vec3::Y], DOWN, vec![top.into()]);
        state.positions.iter_mut().for_each(|x| *x += Vec3::new(-0.5, -0.5, 0.5 * THICKNESS + 5e-4));
        let mass: Real = model.masses.iter().sum();
        let mut world = World::new(model, state, &SolverConfig::named(name).unwrap(), 1.0 / 60.0);
        for _ in 0..120 {
            world.step().unwrap();
        }
        let settled = world.state.positions.clone();
        let mut energy: Real = 0.0;
        for _ in 0..60 * 60 {
            world.step().unwrap();
            let doubled =
                world.model.masses.iter().zip(&world.state.velocities).map(|(m, v)| m * v.length_squared());
            energy = energy.max(0.5 * doubled.sum::<Real>());
        }
        let moves = settled.iter().zip(&world.state.positions).map(|(a, b)| a.distance(*b));
        let farthest = moves.fold(0.0, Real::max);
        assert!(farthest < 1e-4, "{name}: {farthest} m");
        // That of the sheet at 0.1 mm/s.
        assert!(energy < 0.5 * mass * 1e-8, "{name}: {energy} J");
    }
}

/// A flat sheet falls by 0.2 m and jumps back to e² of it.
#[test]
fn a_sheet_bounces_as_restitution_says() {
    for name in ["pncg", "xpbd", "implicit-euler"] {
        for e in [0.0, 0.5, 1.0] {
            let (mut model, state) = sheet(6, Vec3::Z * 0.2, [Vec3::X, Vec3::Y], DOWN, vec![FLOOR.into()]);
            model.set_contact(ContactLaw::Surface(SurfaceContact { restitution: e, ..law() }));
            let dt = 1.0 / 960.0;
            let mut world = World::new(model, state, &SolverConfig::named(name).unwrap(), dt);
            let height = |world: &World| world.state.positions[14].z;
            let half_thickness = 0.5 * THICKNESS;
            let impact = (2.0 * (0.2 - half_thickness) / G).sqrt();
            let mut highest: Real = 0.0;
            for step in 0..(2.2 * impact / dt) as u32 {
                world.step().unwrap();
                if Real::from(step) * dt > impact + 2.0 * dt {
                    highest = highest.max(height(&world) - half_thickness);
                }
            }
            let expected = e * e * (0.2 - half_thickness);
            // A step late at the impact, of 2 m/s: 2 mm; and what first-order methods lose.
            assert!((highest - expected).abs() < 0.01, "{name}, e = {e}: {highest} m, not {expected}");
        }
    }
}
