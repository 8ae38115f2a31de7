//! A start that is not clean is repaired, or what is in conflict is named.

use super::{FLOOR, THICKNESS, cotton, law, sheet};
use crate::support::{DOWN, noise};
use muslin::builder::{Ball, BodyDescription, Builder, Pin, Place, Resolution, Sheet, Surface, Surroundings};
use muslin::contact::{ContactLaw, Owner, RepairReport};
use muslin::material::FabricName;
use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};
use muslin::model::Model;
use muslin::shape::{Collider, Shape};
use muslin::solver::SolverConfig;
use muslin::state::State;
use muslin::threads;
use muslin::world::World;
use std::f64::consts::PI;
use std::sync::Arc;

/// Untangles a start, which must become clean, and runs it for a while, which must leave it so; what was done.
fn repaired(name: &str, (model, state): (Model, State), most: Real) -> RepairReport {
    let mut world = World::new(model, state.clone(), &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
    let report = world.repair();
    let distance = report.farthest.map_or(0.0, |moved| moved.distance());
    assert!(!report.before.is_empty(), "{name}: nothing was wrong");
    assert!(report.after.is_empty(), "{name}: {:?}", report.after);
    assert!(distance <= most, "{name}: moved by {distance} m");
    for p in (0..world.model.len()).filter(|&p| world.model.is_held(p)) {
        assert_eq!(world.state.positions[p], state.positions[p], "{name}: a held particle was moved");
    }
    assert_eq!(world.repair().moved, 0, "{name}: what is clean stays as it is");
    for step in 0..60 {
        world.step().unwrap();
        assert_eq!(world.intersections(), [], "{name} at step {step}");
    }
    report
}

fn flat(side: usize, z: Real, collider: impl Into<Collider>) -> (Model, State) {
    sheet(side, Vec3::new(-0.5, -0.5, z), [Vec3::X, Vec3::Y], DOWN, vec![collider.into()])
}

#[test]
fn a_sheet_through_a_ball_goes_around_it() {
    let ball = Shape::Sphere { center: Vec3::ZERO, radius: 0.2 };
    // Through its middle, and above it.
    repaired("through the middle", flat(21, 0.0, ball.clone()), 0.22);
    repaired("above the middle", flat(21, 0.1, ball.clone()), 0.12);
    repaired("grazing", flat(21, 0.199, ball.clone()), 0.02);
    // A ball smaller than a cell has no particle inside.
    let pea = Shape::Sphere { center: Vec3::new(0.02, 0.03, 0.005), radius: 0.015 };
    repaired("a pea", flat(11, 0.0, pea), 0.03);
    let rod = Shape::Capsule { ends: [Vec3::new(0.1, 0.02, -0.3), Vec3::new(0.1, 0.02, 0.3)], radius: 0.03 };
    repaired("on a rod", flat(21, 0.0, rod), 0.5);
}

#[test]
fn a_sheet_half_inside_a_solid_gets_out() {
    let cube = |center: Vec3| Shape::Cuboid { center, size: Vec3::splat(0.4), rotation: Vec3::ZERO };
    repaired("half in a box", flat(21, 0.1, cube(Vec3::new(0.5, 0.0, 0.0))), 0.2);
    repaired("wholly through a box", flat(21, 0.05, cube(Vec3::ZERO)), 0.2);
    let tilted =
        Shape::Cuboid { center: Vec3::ZERO, size: Vec3::splat(0.3), rotation: Vec3::new(0.4, 0.7, 0.2) };
    repaired("a tilted box", flat(21, 0.15, tilted), 0.25);
    let cylinder = Shape::Cylinder { ends: [Vec3::Z * -0.2, Vec3::Z * 0.2], radius: 0.25 };
    repaired("a cylinder", flat(21, 0.12, cylinder), 0.15);
    let hull = Shape::Hull {
        points: vec![
            Vec3::new(-0.3, -0.2, -0.1),
            Vec3::new(0.3, -0.2, -0.1),
            Vec3::new(0.0, 0.3, -0.1),
            Vec3::Z * 0.2,
        ],
    };
    repaired("a hull", flat(21, 0.1, hull), 0.2);
    let mesh = Shape::Mesh(Arc::new(Mesh::ball(0.25, 3)));
    repaired("a mesh", flat(21, 0.1, mesh), 0.2);
}

#[test]
fn a_sheet_through_a_shell_a_landscape_or_a_body_gets_out() {
    // A bowl open at the top, whose rim pokes through.
    let mut bowl = Mesh::ball(0.25, 3);
    bowl.faces.retain(|face| face.corners().iter().all(|&v| bowl.positions[v as usize].z < 0.02));
    repaired("a shell", flat(21, -0.02, Shape::Mesh(Arc::new(bowl))), 0.3);
    let hill = |i: i32, j: i32| 0.2 * (-0.05 * f64::from((i - 10).pow(2) + (j - 10).pow(2))).exp();
    let heights = (0..21).map(|i| (0..21).map(|j| hill(i, j)).collect()).collect();
    let landscape = Shape::HeightField { corner: Vec3::new(-1.0, -1.0, 0.0), size: [2.0, 2.0], heights };
    repaired("a landscape", flat(21, 0.1, landscape), 0.12);
    let mut builder = Builder::default();
    let level = Sheet { size: [1.0, 1.0], resolution: Resolution::Particles([15, 15]), ..Sheet::default() };
    builder.add_sheet(&level).unwrap();
    let shape =
        Shape::Cuboid { center: Vec3::new(0.5, 0.5, 0.05), size: Vec3::splat(0.2), rotation: Vec3::ZERO };
    let bodies = vec![BodyDescription::new(shape, 0.1)];
    let contact = ContactLaw::Surface(law());
    let scene = builder
        .finish(&Surroundings { gravity: Vec3::ZERO, bodies, contact, ..Surroundings::default() })
        .unwrap();
    let report = repaired("a body", scene, 0.07);
    assert!(report.before.inside.iter().all(|inside| inside.of == Owner::Body(0)));
}

#[test]
fn a_sheet_below_a_plane_comes_up() {
    let report = repaired("below a plane", flat(11, -0.05, FLOOR), 0.06);
    assert_eq!(report.before.inside.len(), 121);
    assert!((report.farthest.unwrap().distance() - 0.05 - 1.05 * 0.5 * THICKNESS).abs() < 1e-9);
}

/// Sheets of 1 m with their corners, or nothing, held.
fn sheets(all: &[(Vec3, [Vec3; 2])], pins: &[Pin]) -> (Model, State) {
    fine_sheets(15, all, pins)
}

fn fine_sheets(side: usize, all: &[(Vec3, [Vec3; 2])], pins: &[Pin]) -> (Model, State) {
    let mut builder = Builder::default();
    for &(origin, axes) in all {
        builder.add_sheet(&Sheet { pins: pins.to_vec(), ..cotton(side, origin, axes) }).unwrap();
    }
    let surroundings =
        Surroundings { gravity: DOWN, contact: ContactLaw::Surface(law()), ..Surroundings::default() };
    builder.finish(&surroundings).unwrap()
}

#[test]
fn coincident_sheets_are_laid_on_one_another() {
    let level = [Vec3::X, Vec3::Y];
    let report = repaired("coincident", sheets(&[(Vec3::ZERO, level); 2], &[]), 1.1 * THICKNESS);
    assert_eq!(report.moved, 225);
    repaired("three of them", sheets(&[(Vec3::ZERO, level); 3], &[]), 2.2 * THICKNESS);
    let shifted = [(Vec3::ZERO, level), (Vec3::new(0.3, 0.21, 0.0), level)];
    repaired("overlapping", sheets(&shifted, &[]), 1.1 * THICKNESS);
}

#[test]
fn crossing_sheets_are_pulled_apart_unless_they_are_held() {
    let upright = (Vec3::new(-0.02, 0.51, -0.52), [Vec3::X, Vec3::Z]);
    let leaning = (Vec3::new(-0.02, 0.11, -0.32), [Vec3::X, Vec3::new(0.0, 0.6, 0.8)]);
    for (name, other) in [("upright", upright), ("leaning", leaning)] {
        let all = [(Vec3::ZERO, [Vec3::X, Vec3::Y]), other];
        repaired(name, sheets(&all, &[]), 1.1);
        let (model, state) = sheets(&all, &[Pin::at(Place::Corners)]);
        let mut world = World::new(model, state.clone(), &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
        let report = world.repair();
        assert_eq!(
            (report.moved, &report.after),
            (0, &report.before),
            "a repair that does not help is not done"
        );
        assert_eq!(world.state, state);
        let pair = report.after.pairs[0];
        assert_eq!(pair.with, Owner::Cloth);
        assert!(pair.first.iter().all(|&v| v < 225) && pair.second.iter().all(|&v| v >= 225));
    }
}

/// Too far for a lift: the second one goes away as it is.
#[test]
fn pieces_without_pins_move_aside() {
    let upright = (Vec3::new(-0.02, 0.51, -0.52), [Vec3::X, Vec3::Z]);
    let (model, state) = fine_sheets(27, &[(Vec3::ZERO, [Vec3::X, Vec3::Y]), upright], &[]);
    let mut world = World::new(model, state.clone(), &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
    let report = world.repair();
    assert!(report.after.is_empty());
    assert_eq!(report.moved, 27 * 27);
    let displacement = world.state.positions[27 * 27] - state.positions[27 * 27];
    assert!(displacement.length() < 0.5, "{displacement}");
    for (p, (x, start)) in world.state.positions.iter().zip(&state.positions).enumerate() {
        let expected = if p < 27 * 27 { *start } else { *start + displacement };
        assert!(x.distance(expected) < 1e-12, "particle {p}");
    }
}

/// A long strip folded over itself, the upper layer bulging down through the lower one by a depth [m].
fn folded(depth: Real) -> (Model, State) {
    let (along, across, cell) = (41, 15, 0.05);
    let place = |i: usize, j: usize| {
        let s = cell * i as Real;
        let y = cell * j as Real;
        let gap = 0.06;
        // Flat, half a turn of radius gap/2, and back above.
        let turn = PI * 0.5 * gap;
        let half = 0.5 * (cell * (along - 1) as Real - turn);
        if s < half {
            Vec3::new(s, y, 0.0)
        } else if s < half + turn {
            let (sin, cos) = ((s - half) / (0.5 * gap)).sin_cos();
            Vec3::new(half + 0.5 * gap * sin, y, 0.5 * gap * (1.0 - cos))
        } else {
            let x = half - (s - half - turn);
            let r2 = (x - 0.4).powi(2) + (y - 0.35).powi(2);
            Vec3::new(x, y, gap - (gap + depth) * (-r2 / 0.02).exp())
        }
    };
    surface(along, across, place)
}

/// A cotton surface of quads over a grid.
fn surface(along: usize, across: usize, place: impl Fn(usize, usize) -> Vec3) -> (Model, State) {
    let corners = (0..along).flat_map(|i| (0..across).map(move |j| (i, j)));
    let positions = corners.clone().map(|(i, j)| place(i, j)).collect();
    let number = |i: usize, j: usize| (i * across + j) as u32;
    let quad = |(i, j)| Face::quad(number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
    let faces = corners.filter(|&(i, j)| i + 1 < along && j + 1 < across).map(quad).collect();
    let mut builder = Builder::default();
    let mesh = Mesh { positions, faces };
    builder
        .add_surface(&Surface { mesh, fabric: FabricName::Cotton.fabric(), ..Surface::default() })
        .unwrap();
    let contact = ContactLaw::Surface(law());
    builder.finish(&Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() }).unwrap()
}

#[test]
fn a_fold_that_pokes_through_itself_is_drawn_back() {
    for depth in [0.005, 0.01, 0.03, 0.1, 0.2] {
        repaired(&format!("a fold, {depth} m deep"), folded(depth), 2.0 * depth + 0.05);
    }
}

/// A ball of cloth pinched so that one side comes out of the other.
#[test]
fn a_closed_surface_that_pokes_out_of_itself_is_drawn_back() {
    for depth in [0.01, 0.04, 0.1] {
        let mut builder = Builder::default();
        let ball = Ball { radius: 0.3, ..Ball::default() };
        builder.add_ball(&ball).unwrap();
        let contact = ContactLaw::Surface(law());
        let (model, mut state) = builder
            .finish(&Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() })
            .unwrap();
        for x in &mut state.positions {
            if x.z > 0.0 {
                let r2 = x.x * x.x + x.y * x.y;
                x.z -= (0.6 + depth) * (-r2 / 0.015).exp();
            }
        }
        repaired(&format!("a ball, {depth} m deep"), (model, state), 2.0 * depth + 0.1);
    }
}

/// Cloth nearer than its thickness is left to the response.
#[test]
fn starts_that_are_only_too_near_stay() {
    let all = [(Vec3::ZERO, [Vec3::X, Vec3::Y]), (Vec3::Z * 0.1 * THICKNESS, [Vec3::X, Vec3::Y])];
    let (model, state) = sheets(&all, &[]);
    let mut world = World::new(model, state.clone(), &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
    assert_eq!(world.repair(), RepairReport::default());
    assert_eq!(world.state, state);
    for step in 0..60 {
        world.step().unwrap();
        assert_eq!(world.intersections(), [], "step {step}");
    }
    let gap = world.state.positions[225 + 112].z - world.state.positions[112].z;
    assert!(gap > 0.08 * THICKNESS, "{gap}");
}

/// Three layers of a sheet folded in zigzag at 4 cm, with random bulges of a height and a width [m].
fn zigzag(seed: u64, height: Real, width: Real) -> (Model, State) {
    let (per_layer, across, cell) = (20, 25, 0.02);
    let bulges = |x: Real, y: Real, layer: usize| -> Real {
        let bulge = |k: usize| {
            let (middle, size) = (noise(seed, 100 * layer + k), noise(seed, 100 * layer + k + 50).z);
            let (dx, dy) = (x - 0.2 - 0.2 * middle.x, y - 0.25 - 0.25 * middle.y);
            size * height * (-(dx * dx + dy * dy) / (width * width)).exp()
        };
        (0..6).map(bulge).sum()
    };
    let place = |i: usize, j: usize| {
        let (layer, k) = (i / per_layer, i % per_layer);
        let fraction = k as Real / per_layer as Real;
        let x = cell * if layer % 2 == 0 { k } else { per_layer - k } as Real;
        let y = cell * j as Real;
        Vec3::new(
            x,
            y,
            0.04 * (layer as Real + fraction) + 4.0 * fraction * (1.0 - fraction) * bulges(x, y, layer),
        )
    };
    surface(3 * per_layer + 1, across, place)
}

#[test]
fn bulges_of_layers_are_drawn_back() {
    let mut tangled = 0;
    for (height, width) in [(0.04, 0.05), (0.08, 0.05), (0.1, 0.03)] {
        for seed in 0..4 {
            let (model, state) = zigzag(seed, height, width);
            let world =
                World::new(model.clone(), state.clone(), &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
            if !world.intersections().is_empty() {
                tangled += 1;
                repaired(
                    &format!("bulges of {height} m, {width} m wide, {seed}"),
                    (model, state),
                    2.0 * height,
                );
            }
        }
    }
    assert!(tangled >= 9, "{tangled}");
}

#[test]
fn the_repair_does_not_depend_on_threads() {
    let positions = |threads: usize| {
        let (model, state) = zigzag(1, 0.08, 0.05);
        let mut world = World::new(model, state, &SolverConfig::named("pncg").unwrap(), 1.0 / 240.0);
        threads::with_count(threads, || assert!(world.repair().after.is_empty()));
        world.state.positions
    };
    assert_eq!(positions(1), positions(3));
}
