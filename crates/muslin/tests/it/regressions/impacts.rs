//! Contact that gave more energy than came in.

use muslin::builder::{BodyDescription, Builder, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::measure::Energy;
use muslin::shape::Shape;
use muslin::solver::SolverConfig;
use muslin::world::World;

/// A ball is shot at a cotton sheet, pinned at its border or free; without gravity, so that all there is comes from the ball.
fn shoot(speed: Real, mass_ratio: Real, pinned: bool, restitution: Real, solver: &str) -> (World, Real) {
    let pins = if pinned { vec![Pin::at(Place::Border)] } else { Vec::new() };
    let sheet = Sheet {
        size: [0.6, 0.6],
        resolution: Resolution::Cells([12, 12]),
        origin: Vec3::new(-0.3, -0.3, 0.0),
        axes: [Vec3::X, Vec3::Y],
        fabric: FabricName::Cotton.fabric(),
        pins,
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet).unwrap();
    let shape = Shape::Sphere { center: Vec3::new(0.01, 0.02, 0.05), radius: 0.03 };
    let law = SurfaceContact { restitution, ..SurfaceContact::default() };
    let around = |mass: Real| Surroundings {
        gravity: Vec3::ZERO,
        contact: ContactLaw::Surface(law),
        bodies: vec![BodyDescription {
            velocity: Vec3::Z * -speed,
            ..BodyDescription::new(shape.clone(), mass)
        }],
        ..Surroundings::default()
    };
    let cloth: Real = builder.clone().finish(&around(1.0)).unwrap().0.masses.iter().sum();
    let (model, state) = builder.finish(&around(mass_ratio * cloth)).unwrap();
    let world = World::new(model, state, &SolverConfig::named(solver).unwrap(), 1.0 / 240.0);
    let energy = energy(&world);
    (world, energy)
}

fn energy(world: &World) -> Real {
    let energy = Energy::of(&world.model, &world.state);
    energy.kinetic + energy.elastic
}

/// 50 g came at 300 m/s and left at 956.
#[test]
fn contact_adds_no_energy() {
    for solver in ["pncg", "xpbd", "implicit-euler", "newton"] {
        for (speed, mass_ratio, pinned, restitution) in [
            (1.0, 1e-3, true, 1.0),
            (1.0, 1.0, false, 1.0),
            (1.0, 1e3, true, 0.0),
            (10.0, 1.0, true, 0.0),
            (10.0, 1e3, false, 1.0),
            (100.0, 1e-3, true, 0.5),
            (100.0, 1.0, true, 1.0),
            (300.0, 1e-3, false, 1.0),
            (300.0, 1.0, true, 0.0),
            (300.0, 1e3, true, 1.0),
        ] {
            let (mut world, start) = shoot(speed, mass_ratio, pinned, restitution, solver);
            let label = format!("{solver}, {speed} m/s, mass ratio {mass_ratio}, e = {restitution}");
            let mut before = start;
            for step in 0..40 {
                world.step().unwrap();
                let (after, touches) = (energy(&world), world.contact_report().unwrap().touching > 0);
                // What trembles freely is off by as much as the method errs, with or without contact: xpbd by 4 %. Contact goes on
                // from there, and adds nothing.
                let allowed = if touches { (1.01 * start).max(1.001 * before) } else { 1.05 * start };
                let grown = after / start - 1.0;
                assert!(after < allowed, "{label}, step {step}: {grown:+.3} of the energy that came in");
                before = after;
            }
            assert_eq!(world.intersections(), [], "{label}");
        }
    }
}
