//! Saved games and replays: a world as bytes that goes on to the same bits, and a list of commands that leads there from the start.
//!
//! `cargo run --release -p muslin --example save_and_resume`; a program of your own asks for the feature `checkpoint`.

use muslin::hash::state_hash;
use muslin::prelude::*;

/// Frames in all, and when the game is saved.
const FRAMES: u32 = 120;
const SAVED_AT: u32 = 60;
/// The particle that the player grabs: the middle of the curtain.
const GRABBED: u32 = 12 * 25 + 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A game is played: the input of each frame becomes commands, which are recorded on their way to the world.
    let mut world = curtain()?;
    let mut recording = Recording::default();
    let mut saved = Vec::new();
    for frame in 0..FRAMES {
        if frame == SAVED_AT {
            saved = world.checkpoint(); // between two steps; a game would write it to a file
        }
        for command in input(frame) {
            recording.apply(&mut world, command)?;
        }
        world.step()?;
    }
    let end = state_hash(&world.state);

    // The saved game goes on, with the same input, as if it had never been interrupted: to the bit.
    let mut resumed = World::restore(&saved)?;
    for _ in SAVED_AT..FRAMES {
        recording.replay(&mut resumed)?; // what was told to the world before this step, if anything
        resumed.step()?;
    }
    assert_eq!(state_hash(&resumed.state), end, "resumed");

    // The replay of the whole game needs the scene and the recording only, which is small: it holds no positions.
    let mut replayed = curtain()?;
    for _ in 0..FRAMES {
        recording.replay(&mut replayed)?;
        replayed.step()?;
    }
    assert_eq!(state_hash(&replayed.state), end, "replayed");

    // A file that was cut off is an error, not a world that is a little wrong.
    let Err(error) = World::restore(&saved[..saved.len() / 2]) else {
        return Err("half a checkpoint was taken for a whole one".into());
    };
    println!(
        "{} bytes, {} commands, hash {end:016x}; half of the bytes: {error}",
        saved.len(),
        recording.commands.len()
    );
    assert_eq!(world.intersections(), []);
    Ok(())
}

/// What the player does before a frame: grabs the curtain, pulls it to and fro, lets it go; then wind comes up.
fn input(frame: u32) -> Vec<Command> {
    let time = Real::from(frame) / 60.0;
    match frame {
        // A grabbed point that is grabbed again only gets another target.
        20..90 => vec![Command::Grab {
            particle: GRABBED,
            target: Vec3::new(0.5, 0.4 * (3.0 * (time - 0.33)).sin(), 1.5),
            stiffness: None,
        }],
        90 => vec![
            Command::Release(GRABBED),
            Command::SetWind { velocity: Vec3::Y * 4.0, coefficient: 0.5 }, // m/s, kg/(s·m²)
        ],
        _ => Vec::new(),
    }
}

/// A curtain of a square metre in front of a pillar. The same description gives the same world, on every machine of a kind.
fn curtain() -> Result<World, Box<dyn std::error::Error>> {
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        resolution: Resolution::Cells([24, 24]),
        origin: Vec3::Z * 2.0,
        axes: [Vec3::X, -Vec3::Z],
        pins: vec![Pin::at(Place::Side(Side::JMin))],
        ..Sheet::default()
    })?;
    let ends = [Vec3::new(0.5, 0.3, 0.0), Vec3::new(0.5, 0.3, 2.0)];
    let (model, state) = builder.finish(&Surroundings {
        colliders: vec![Shape::Capsule { ends, radius: 0.15 }.into()],
        contact: ContactLaw::Surface(SurfaceContact::default()),
        ..Surroundings::default()
    })?;
    Ok(World::new(model, state, &SolverConfig::default(), 1.0 / 60.0))
}
