//! A sheet that falls on a ball, beside it a rope and a soft block, exported in every animation format. `cargo xtask exports FOLDER`
//! compares what Blender reads of them.
//!
//! `cargo run --release -p muslin-io --example export [folder]`

use muslin::prelude::*;
use muslin_io::animation::{AnimationFormat, AnimationWriter, Topology};
use std::fmt::Write;
use std::path::PathBuf;

const FRAME_RATE: Real = 60.0;
const FRAMES: u32 = 60;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "out/export".into()));
    let mut world = scene()?;
    let topology = Topology::of(&world.model);
    let mut writers = AnimationFormat::ALL
        .map(|format| AnimationWriter::create(&folder, format, &topology))
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;

    let mut times = String::from("frame,time\n");
    for frame in 0..=FRAMES {
        if frame > 0 {
            world.step()?;
        }
        for writer in &mut writers {
            writer.frame(world.state.time, &world.state.positions)?;
        }
        writeln!(times, "{frame},{:?}", world.state.time)?;
    }
    for writer in writers {
        println!("{}", writer.finish()?.display());
    }

    // As `muslin run` writes them.
    let mut last = String::from("particle,x,y,z\n");
    for (particle, p) in world.state.positions.iter().enumerate() {
        writeln!(last, "{particle},{:?},{:?},{:?}", p.x, p.y, p.z)?;
    }
    std::fs::write(folder.join("metrics.csv"), times)?;
    std::fs::write(folder.join("final.csv"), last)?;

    let mesh = muslin_io::read_mesh_unchecked(&folder.join(format!("frames/{FRAMES:04}.obj")))?;
    assert_eq!(mesh.positions, world.state.positions);
    assert_eq!(mesh.faces, world.model.faces);
    Ok(())
}

fn scene() -> Result<World, Box<dyn std::error::Error>> {
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        size: [1.0, 1.0], // m
        resolution: Resolution::Cells([24, 24]),
        origin: Vec3::new(-0.5, -0.5, 1.0),
        fabric: FabricName::Cotton.fabric(),
        ..Sheet::default()
    })?;
    builder.add_rope(&Rope {
        from: Vec3::new(0.8, -0.5, 1.0), // m
        to: Vec3::new(0.8, 0.5, 1.0),
        pins: vec![Pin::at(Place::Particles(vec![0]))],
        ..Rope::default()
    })?;
    builder.add_block(&Block {
        center: Vec3::new(-0.8, 0.0, 1.0), // m
        size: [0.2; 3],
        cells: [4; 3],
        ..Block::default()
    })?;
    let ball = Shape::Sphere { center: Vec3::new(0.0, 0.0, 0.6), radius: 0.3 };
    let surroundings = Surroundings {
        colliders: vec![ball.into()],
        contact: ContactLaw::Surface(SurfaceContact::default()),
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&surroundings)?;
    let solver = XpbdConfig { substeps: 10, ..XpbdConfig::default() };
    Ok(World::new(model, state, &solver.into(), 1.0 / FRAME_RATE))
}
