//! The cape of a character that walks: every frame the game poses the body and the shoulders, and the cape follows without passing
//! through either.
//!
//! `cargo run --release -p muslin --example cape`

use muslin::prelude::*;

/// The length of a frame [s].
const FRAME: Real = 1.0 / 60.0;
/// Joints of the two legs, where the body stands at the start [m].
const HIPS: [Vec3; 2] = [Vec3::new(-0.1, 0.0, 0.9), Vec3::new(0.1, 0.0, 0.9)];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // The body as it stands at the start, the bind pose of an animator: a trunk and two legs.
    let capsule = |ends, radius| Collider::from(Shape::Capsule { ends, radius });
    let leg = |hip: Vec3| capsule([hip, hip - Vec3::Z * 0.8], 0.08);
    let body = vec![capsule([Vec3::Z * 1.0, Vec3::Z * 1.35], 0.15), leg(HIPS[0]), leg(HIPS[1])];
    // The cape hangs behind it, pinned by three particles at each shoulder.
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        size: [0.5, 1.0], // m
        resolution: Resolution::Cells([16, 32]),
        origin: Vec3::new(-0.25, -0.2, 1.4),
        axes: [Vec3::X, -Vec3::Z],
        drag: Drag::Area(0.3), // kg/(s·m²)
        pins: vec![Pin::at(Place::Grid([0, 1, 2, 14, 15, 16].map(|i| [i, 0]).to_vec()))],
        ..Sheet::default()
    })?;
    let (model, state) = builder.finish(&Surroundings {
        colliders: body,
        contact: ContactLaw::Surface(SurfaceContact::default()), // nothing passes through anything
        ..Surroundings::default()
    })?;
    let shoulders: Vec<u32> = (0..model.len()).filter(|&p| model.is_held(p)).map(|p| p as u32).collect();
    let at_start: Vec<Vec3> = shoulders.iter().map(|&p| state.positions[p as usize]).collect();
    let solver = XpbdConfig { substeps: 16, ..XpbdConfig::default() };
    let mut world = World::new(model, state, &solver.into(), FRAME);

    // The loop of a game: animation first, then the step of the cloth, which goes from the last pose to this one.
    for frame in 1..=240 {
        let walk = Walk::at(FRAME * Real::from(frame));
        for (collider, pose) in walk.poses().into_iter().enumerate() {
            world.apply(&Command::MoveCollider { collider, pose })?;
        }
        let targets = at_start.iter().map(|&x| walk.body.place(x)).collect();
        world.apply(&Command::MovePins { particles: shoulders.clone(), targets })?;
        world.step()?;
    }

    let body = Walk::at(world.state.time).body;
    let off = |(&p, &x): (&u32, &Vec3)| world.state.positions[p as usize].distance(body.place(x));
    let off = shoulders.iter().zip(&at_start).map(off).fold(0.0, Real::max);
    let hem = world.state.positions[8 * 33 + 32]; // the middle of the lower side
    let behind = body.rotation.inverse() * (hem - body.center); // as the character sees it
    println!("the body is at {:.2} m, the hem {:.2} m behind it", body.center, -behind.y);
    assert!(body.center.length() > 1.5, "it walked: {} m", body.center);
    assert!(off < 1e-6, "the pins are at the shoulders: {off} m off");
    assert!((-0.9..-0.1).contains(&behind.y), "the cape follows: {behind} m");
    assert_eq!(world.intersections(), [], "and passes through nothing");
    Ok(())
}

/// A walk in a circle to the left. What an animation system would tell: where joints are.
struct Walk {
    /// What stood at x at the start is at `body.place(x)`.
    body: Pose,
    /// How far the first leg has swung forward [rad]; the second swings against it.
    swing: Real,
}

impl Walk {
    fn at(time: Real) -> Self {
        const RADIUS: Real = 1.5; // m
        const SPEED: Real = 1.4; // m/s, after the first second
        let distance = SPEED * if time < 1.0 { 0.5 * time * time } else { time - 0.5 };
        let angle = distance / RADIUS;
        let center = RADIUS * Vec3::new(angle.cos() - 1.0, angle.sin(), 0.0);
        let swing = 0.4 * (distance * 4.5).sin();
        Self { body: Pose { center, rotation: Rotation::from_rotation_z(angle) }, swing }
    }

    /// Poses of the trunk and the legs: each turns what stood at x at the start, as the matrix of a bone does in skinning.
    fn poses(&self) -> [Pose; 3] {
        let leg = |hip: Vec3, swing: Real| {
            let turn = Rotation::from_rotation_x(swing);
            Pose { center: self.body.place(hip - turn * hip), rotation: self.body.rotation * turn }
        };
        [self.body, leg(HIPS[0], self.swing), leg(HIPS[1], -self.swing)]
    }
}
