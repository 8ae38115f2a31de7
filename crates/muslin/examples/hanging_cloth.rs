//! A cotton cloth is hung by two corners and comes to rest: energies and stretch on the way.

use muslin::builder::{Builder, Drag, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::math::{Real, Vec3};
use muslin::measure::Measures;
use muslin::solver::SolverConfig;
use muslin::world::World;

const STEPS_A_SECOND: u32 = 120;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = hang()?;
    println!("   time   kinetic   elastic   gravity   heat     largest stretch");
    println!("      s         J         J         J   J                      %");
    for step in 0..=4 * STEPS_A_SECOND {
        if step > 0 {
            world.step()?;
        }
        if step % (STEPS_A_SECOND / 2) == 0 {
            print(&Measures::of(&world));
        }
    }
    check(&world);
    Ok(())
}

/// A square metre of cotton, flat, in air, held at two corners of one side.
fn hang() -> Result<World, Box<dyn std::error::Error>> {
    let sheet = Sheet {
        resolution: Resolution::Cells([16, 16]),
        drag: Drag::Area(0.8),
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 16]]))],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet)?;
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let (model, state) = builder.finish(&Surroundings { gravity, ..Surroundings::default() })?;
    let method = SolverConfig::named("implicit-euler").ok_or("no such solver")?;
    let mut world = World::new(model, state, &method, 1.0 / Real::from(STEPS_A_SECOND));
    world.heat_interval = Some(world.dt);
    Ok(world)
}

fn print(m: &Measures) {
    let (energy, stretch) = (m.energy, 100.0 * m.stretch.max);
    println!(
        "{:7.2} {:9.5} {:9.5} {:9.5} {:8.5} {stretch:10.3}",
        m.time, energy.kinetic, energy.elastic, energy.gravity, m.dissipated
    );
}

/// It hangs still, half its length below the pins, and has turned what it lost into heat.
fn check(world: &World) {
    let m = Measures::of(world);
    let mass: Real = world.model.masses.iter().sum();
    let half = mass * 9.81 * 0.5;
    assert!(m.energy.kinetic < 1e-3 * half, "it still moves: {} J", m.energy.kinetic);
    assert!((m.energy.gravity + half).abs() < 0.1 * half, "{} J, not {} J", m.energy.gravity, -half);
    assert!(m.stretch.max < 0.05, "stretched by {}", m.stretch.max);
    assert!(m.dissipated > 0.0 && m.energy.total() < 0.0);
    assert_eq!(world.state.positions[0], Vec3::ZERO, "a pin does not move");
}
