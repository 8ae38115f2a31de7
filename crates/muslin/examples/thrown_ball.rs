//! A ball thrown at a hanging cloth, frame by frame as a game would draw it: buffers of `f32` for the cloth, a pose for the ball.
//!
//! `cargo run --release -p muslin --example thrown_ball`

use muslin::prelude::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = Builder::default();
    let curtain = builder.add_sheet(&Sheet {
        size: [1.6, 1.6], // m
        resolution: Resolution::Cells([32, 32]),
        origin: Vec3::new(-0.8, 0.0, 2.0),
        axes: [Vec3::X, -Vec3::Z],
        fabric: FabricName::Cotton.fabric(),
        pins: vec![Pin::at(Place::Side(Side::JMin))], // the upper side
        ..Sheet::default()
    })?;
    let ball = Shape::Sphere { center: Vec3::new(0.0, -1.0, 1.3), radius: 0.12 };
    let surroundings = Surroundings {
        bodies: vec![BodyDescription {
            velocity: Vec3::new(0.0, 6.0, 1.0),
            ..BodyDescription::new(ball, 0.3)
        }],
        contact: ContactLaw::Surface(SurfaceContact::default()), // nothing passes through anything
        ..Surroundings::default()
    };
    let (model, state) = builder.finish(&surroundings)?;
    let solver = XpbdConfig { substeps: 16, ..XpbdConfig::default() };
    let mut world = World::new(model, state, &solver.into(), 1.0 / 60.0);

    // Buffers of a renderer, made once: they hold all particles, and a part of the model is a range of them.
    let mut positions = vec![[0.0_f32; 3]; world.model.len()];
    let mut normals = positions.clone();
    let vertices = world.model.particles(curtain);

    // The loop of a game, one step per frame. Cloth and ball push each other; the game only reads where they are.
    let mut deepest: f32 = 0.0;
    for _ in 0..60 {
        world.step()?;
        world.write_positions(&mut positions);
        world.write_normals(&mut normals);
        let Pose { center, rotation } = world.state.bodies[0].pose; // where to draw the ball
        assert!(center.is_finite() && rotation.is_normalized());
        let bulge = positions[vertices.clone()].iter().map(|x| x[1]);
        deepest = bulge.fold(deepest, f32::max);
    }

    let ball = &world.state.bodies[0];
    println!("the cloth bulged by {deepest:.2} m; the ball is at {:.2} m", ball.pose.center);
    assert!(deepest > 0.2, "the ball pushed the cloth: {deepest} m");
    assert!(ball.velocity.y < 3.0, "and lost most of its speed: {} m/s", ball.velocity);
    assert_eq!(world.intersections(), [], "nothing passed through anything");
    assert!(normals.iter().all(|n| (n.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-3));
    Ok(())
}
