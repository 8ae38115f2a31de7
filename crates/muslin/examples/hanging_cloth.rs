//! A cloth that hangs by two corners, in the loop of a game: fixed steps of 1/60 s, frames at the rate of the monitor, and buffers
//! of `f32` for a renderer.
//!
//! `cargo run --release -p muslin --example hanging_cloth`

use muslin::mesh::Face;
use muslin::prelude::*;

/// What a renderer uploads: one vertex per particle, three indices per triangle.
struct Buffers {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    indices: Vec<[u32; 3]>,
}

impl Buffers {
    /// Buffers of the right size. The triangles stay the same for as long as the cloth does: they are uploaded once.
    fn new(world: &World) -> Self {
        Self {
            positions: vec![[0.0; 3]; world.model.len()],
            normals: vec![[0.0; 3]; world.model.len()],
            indices: world.model.faces.iter().flat_map(Face::triangles).collect(),
        }
    }

    /// Takes over the vertices, once per frame.
    fn update(&mut self, world: &World) {
        world.write_positions(&mut self.positions);
        world.write_normals(&mut self.normals);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Describe what there is; every quantity has its SI unit.
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        size: [1.0, 1.0], // m
        resolution: Resolution::Cells([24, 24]),
        origin: Vec3::new(0.0, 0.0, 2.0),
        fabric: FabricName::Cotton.fabric(),
        drag: Drag::Area(0.5), // kg/(s·m²): air, so that it comes to rest
        pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 24]]))], // two corners of one side
        ..Sheet::default()
    })?;
    let (model, state) = builder.finish(&Surroundings::default())?; // the earth's gravity, along −z

    // A method is a value. The default one stretches little and allows steps as long as a frame.
    let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    let mut buffers = Buffers::new(&world);

    // The loop of a game. Frames take as long as they take; steps all have one length, so that the cloth behaves alike on every
    // machine. A real game reads `frame_time` from its clock and bounds it, for not to fall behind forever after a pause.
    let frame_time: Real = 1.0 / 144.0; // s
    let mut owed = 0.0; // time that has passed, but has not been simulated [s]
    for _ in 0..4 * 144 {
        owed += frame_time.min(0.1);
        while owed >= world.dt {
            world.step()?; // an error says which particle went where: no panic, no NaN on the screen
            owed -= world.dt;
        }
        buffers.update(&world);
        draw(&buffers);
    }

    // It hangs below its corners, at rest, with normals of unit length.
    let lowest = buffers.positions.iter().map(|x| x[2]).fold(f32::MAX, f32::min);
    println!("after {:.2} s the lowest point is at {lowest:.3} m", world.state.time);
    assert!((0.9..1.2).contains(&lowest), "its far side is a metre below the corners: {lowest} m");
    let fastest = world.state.velocities.iter().map(|v| v.length()).fold(0.0, Real::max);
    assert!(fastest < 0.2, "it hangs still: {fastest} m/s");
    let is_unit = |n: &[f32; 3]| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3;
    assert!(buffers.normals.iter().all(is_unit));
    assert_eq!(buffers.indices.len(), 2 * 24 * 24);
    Ok(())
}

/// Where a renderer would draw the triangles.
fn draw(buffers: &Buffers) {
    assert_eq!(buffers.positions.len(), buffers.normals.len());
}
