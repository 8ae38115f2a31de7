//! A towel hangs from a rod that is moved to and fro: the lower end follows late.

use muslin::builder::{Builder, Drag, Pin, Place, Resolution, Sheet, Side, Surroundings};
use muslin::math::{Real, Vec3};
use muslin::script::Motion;
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::world::World;

/// Particles along the length and along the rod.
const ROWS: usize = 17;
const COLUMNS: usize = 9;
const DT: Real = 1.0 / 240.0;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = towel()?;
    let mut widest: Real = 0.0;
    println!("   time, s   rod at, m   lower end at, m   angle, degrees");
    for step in 0..960 {
        if step % 80 == 0 {
            let [rod, end] = [0, ROWS - 1].map(|row| middle(&world.state, row));
            let angle = (end.y - rod.y).atan2(rod.z - end.z).to_degrees();
            println!("{:10.3} {:11.3} {:17.3} {angle:16.1}", world.state.time, rod.y, end.y);
        }
        world.step()?;
        let [rod, end] = [0, ROWS - 1].map(|row| middle(&world.state, row));
        widest = widest.max((end.y - rod.y).abs());
    }
    println!("farthest from below the rod: {widest:.3} m");
    check(&world, widest);
    Ok(())
}

/// 0.8 m × 0.4 m of denim, hanging down from a rod along x that goes 0.5 m along y and back in 2 s.
fn towel() -> Result<World, Box<dyn std::error::Error>> {
    let motion = Motion::Oscillate { amplitude: Vec3::Y * 0.5, frequency: 0.5 };
    let sheet = Sheet {
        size: [0.8, 0.4],
        resolution: Resolution::Particles([ROWS, COLUMNS]),
        axes: [Vec3::NEG_Z, Vec3::X],
        fabric: muslin::material::FabricName::Denim.fabric(),
        drag: Drag::Area(0.5),
        pins: vec![Pin { at: Place::Side(Side::IMin), motion }],
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet)?;
    let (model, state) =
        builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
    Ok(World::new(model, state, &SolverConfig::named("implicit-euler").ok_or("no such solver")?, DT))
}

/// The middle of a row of particles [m].
fn middle(state: &State, row: usize) -> Vec3 {
    state.positions[row * COLUMNS + COLUMNS / 2]
}

/// After two whole periods the rod is back where it was, and at rest; the towel swung, and is as long as ever.
fn check(world: &World, widest: Real) {
    let State { positions, velocities, .. } = &world.state;
    for j in 0..COLUMNS {
        let start = Vec3::X * (0.4 * j as Real / (COLUMNS - 1) as Real);
        assert!(positions[j].distance(start) < 1e-9, "pin {j} is at {}", positions[j]);
        assert!(velocities[j].length() < 1e-9, "pin {j} moves at {}", velocities[j]);
    }
    assert!((0.05..0.8).contains(&widest), "the lower end went {widest} m aside");
    let length = middle(&world.state, 0).distance(middle(&world.state, ROWS - 1));
    assert!((0.7..0.85).contains(&length), "{length} m long");
}
