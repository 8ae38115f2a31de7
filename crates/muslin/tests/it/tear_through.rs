//! Tears through faces: where they run, and what is kept.

use crate::support::noise;
use muslin::hash::state_hash;
use muslin::material::{Bending, MembraneMaterial};
use muslin::measure::{angular_momentum, momentum};
use muslin::mesh::{Face, Grid};
use muslin::prelude::*;
use muslin::solvers::XpbdConfig;
use muslin::threads;
use std::collections::BTreeSet;

/// Length and width of the strip, and depth of its notch [m].
const SIZE: [Real; 2] = [0.32, 0.16];
const NOTCH: Real = 0.06;

fn membrane() -> Fabric {
    let membrane = Some(MembraneMaterial { warp: 300.0, poisson: 0.2, ..MembraneMaterial::default() });
    let bending = Some(Bending { rigidity: 1e-5, ..Bending::default() });
    Fabric { membrane, bending, strength: Some(60.0), ..Fabric::default() }
}

/// A strip whose ends draw apart along its length, of triangles whose grid is turned by an angle [rad] against it: vertices of a grid of
/// `cells` across, those within the strip, with its outline snapped to a grid of its own along the ends.
fn turned_strip(
    angle: Real,
    cells: usize,
    fabric: Fabric,
    solver: &SolverConfig,
    contact: ContactLaw,
) -> World {
    let h = SIZE[1] / cells as Real;
    let half = 2 * cells + 2;
    let grid = Grid { rows: 2 * half + 1, columns: 2 * half + 1 };
    let (sine, cosine) = angle.sin_cos();
    let at = |i: usize, j: usize| {
        let (u, v) = ((i as Real - half as Real) * h, (j as Real - half as Real) * h);
        Vec3::new(u * cosine - v * sine, u * sine + v * cosine, 0.0)
    };
    let all: Vec<Vec3> = grid.vertices().map(|(i, j)| at(i, j)).collect();
    let is_in = |p: u32| {
        all[p as usize].x.abs() <= 0.5 * SIZE[0] + 0.3 * h
            && all[p as usize].y.abs() <= 0.5 * SIZE[1] + 0.3 * h
    };
    let faces: Vec<[u32; 3]> =
        grid.triangles().iter().copied().filter(|t| t.iter().all(|&p| is_in(p))).collect();
    let mut number = vec![u32::MAX; all.len()];
    let mut positions = Vec::new();
    for &p in faces.iter().flatten() {
        if number[p as usize] == u32::MAX {
            number[p as usize] = positions.len() as u32;
            positions.push(all[p as usize]);
        }
    }
    let faces = faces.iter().map(|t| {
        let [a, b, c] = t.map(|p| number[p as usize]);
        Face::triangle(a, b, c)
    });
    let end = |side: Real| Pin {
        motion: Motion::Translate { velocity: Vec3::X * 0.05 * side, from: 0.0, until: 1e3 },
        ..Pin::at(Place::Particles(
            (0..positions.len())
                .filter(|&p| positions[p].x * side > 0.5 * SIZE[0] - 1.2 * h)
                .map(|p| p as u32)
                .collect(),
        ))
    };
    let pins = vec![end(-1.0), end(1.0)];
    let mesh = Mesh { faces: faces.collect(), positions };
    let mut builder = Builder::default();
    builder
        .add_surface(&Surface { mesh, fabric, pins, drag: Drag::Area(2.0), ..Surface::default() })
        .unwrap();
    let around = Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() };
    let (model, state) = builder.finish(&around).unwrap();
    let mut world = World::new(model, state, solver, 1.0 / 240.0);
    let upright = |y: Real| [Vec3::new(0.0, y, 0.1), Vec3::new(0.0, y, -0.1)];
    world
        .slice(&[muslin::tear::Sweep { from: upright(-SIZE[1]), to: upright(NOTCH - 0.5 * SIZE[1]) }])
        .unwrap();
    world
}

/// Edges opened within the strip at rest, by their ends [m].
fn opened(world: &World) -> Vec<[Vec3; 2]> {
    let sides: BTreeSet<[u32; 2]> = world.model.faces.iter().flat_map(Face::sides).collect();
    let rest = |p: u32| world.model.rest_positions[p as usize];
    let border = sides.iter().filter(|&&[a, b]| !sides.contains(&[b, a]));
    let border: Vec<[Vec3; 2]> = border.map(|side| side.map(rest)).collect();
    let is_same = |a: Vec3, b: Vec3| a.distance(b) < 1e-9;
    let is_lip =
        |k: usize| border[..k].iter().any(|&[a, b]| is_same(a, border[k][1]) && is_same(b, border[k][0]));
    (0..border.len()).filter(|&k| is_lip(k)).map(|k| border[k]).collect()
}

/// How far the path that begins at the end of the notch leans from the line across the strip [degrees], and to where it reaches [m].
fn path(world: &World, tip: Vec3) -> (Real, Real) {
    let (mut edges, mut path) = (opened(world), vec![tip]);
    let is_behind = |p: Vec3| p.y < tip.y - 1e-9;
    edges.retain(|edge| !edge.iter().any(|&p| is_behind(p)));
    let is_reached = |path: &[Vec3], p: Vec3| path.iter().any(|&q| q.distance(p) < 1e-9);
    while let Some(k) = edges.iter().position(|edge| edge.iter().any(|&p| is_reached(&path, p))) {
        path.extend(edges.remove(k));
    }
    let top = path.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or(tip);
    ((top.x - tip.x).atan2(top.y - tip.y).to_degrees(), top.y)
}

/// The end of the notch at rest [m].
fn notch_tip(world: &World) -> Vec3 {
    opened(world).into_iter().flatten().max_by(|a, b| a.y.total_cmp(&b.y)).unwrap_or(Vec3::ZERO)
}

fn least_angle(world: &World) -> Real {
    let mut least = Real::INFINITY;
    for (face, places) in world.model.faces.iter().zip(&world.model.rest_shape) {
        let n = face.corners().len();
        for k in 0..n {
            let (p, q, r) = (places[k], places[(k + 1) % n], places[(k + n - 1) % n]);
            least = least.min((q - p).angle_between(r - p).to_degrees());
        }
    }
    least
}

/// How many faces each piece has.
fn pieces(world: &World) -> Vec<usize> {
    let faces = &world.model.faces;
    let mut piece: Vec<usize> = (0..world.model.len()).collect();
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        for face in faces {
            let least = face.corners().iter().map(|&c| piece[c as usize]).min().unwrap_or(0);
            for &corner in face.corners() {
                is_settled &= piece[corner as usize] == least;
                piece[corner as usize] = least;
            }
        }
    }
    let mut sizes = std::collections::BTreeMap::new();
    for face in faces {
        *sizes.entry(piece[face.corners()[0] as usize]).or_insert(0) += 1;
    }
    sizes.into_values().collect()
}

/// Whatever the angle of the grid, a strip that is pulled along its axis tears across it within 10° if tears divide faces, and along edges
/// within 22.5°. No new triangle has an angle below 10°, and no splinter comes off.
#[test]
fn a_tear_runs_across_the_load_whatever_the_grid() {
    let solver = SolverConfig::named("pncg").unwrap();
    let fine = [10.0, 22.5].map(|degrees: Real| (20, degrees));
    let coarse =
        [0.0, 10.0, 15.0, 20.0, 22.5, 30.0, 45.0, 60.0, 75.0, 90.0].map(|degrees: Real| (10, degrees));
    for (cells, degrees) in coarse.into_iter().chain(fine) {
        for (tear_through_faces, within) in [(false, 22.5), (true, 10.0)] {
            let fabric = Fabric { tear_through_faces, ..membrane() };
            let mut world = turned_strip(degrees.to_radians(), cells, fabric, &solver, ContactLaw::default());
            let (tip, before) = (notch_tip(&world), least_angle(&world));
            let mut steps = 0;
            while path(&world, tip).1 < 0.5 * SIZE[1] - 0.03 && steps < 200 {
                world.step().unwrap();
                steps += 1;
            }
            let case = format!("{cells} cells across at {degrees}°, through faces: {tear_through_faces}");
            let (lean, reached) = path(&world, tip);
            assert!(reached >= 0.5 * SIZE[1] - 0.03, "{case}: to {reached} m");
            assert!(lean.abs() <= within, "{case}: {lean}° aside");
            assert!(pieces(&world).into_iter().all(|faces| faces >= 4), "{case}: {:?}", pieces(&world));
            assert!(least_angle(&world) >= before.min(10.0 - 1e-6), "{case}: {}°", least_angle(&world));
        }
    }
}

/// With contact of surfaces nothing intersects; a checkpoint in the middle goes on to the same bits, and any number of threads gives them.
#[test]
fn tears_through_faces_neither_intersect_nor_vary() {
    let xpbd = XpbdConfig { substeps: 160, ..XpbdConfig::default() }.into();
    for solver in [SolverConfig::named("pncg").unwrap(), xpbd] {
        let fabric = Fabric { tear_through_faces: true, ..membrane() };
        let contact = ContactLaw::Surface(SurfaceContact::default());
        let mut world = turned_strip(0.4, 10, fabric, &solver, contact);
        let (tip, notch, particles) = (notch_tip(&world), world.state.torn.edges, world.model.len());
        let mut resumed = None;
        let mut steps = 0;
        while path(&world, tip).1 < 0.5 * SIZE[1] - 0.03 && steps < 150 {
            world.step().unwrap();
            steps += 1;
            assert_eq!(world.intersections(), [], "{}, step {steps}", solver.name());
            if resumed.is_none() && world.state.torn.edges > notch + 2 {
                resumed = Some((steps, World::restore(&world.checkpoint()).unwrap()));
            }
        }
        assert!(
            world.model.len() as u64 - particles as u64 > world.state.torn.edges - notch,
            "faces were divided"
        );
        let (at, mut resumed) = resumed.unwrap();
        for step in at..steps {
            threads::with_count(1 + step % 3, || resumed.step().unwrap());
        }
        assert_eq!(state_hash(&world.state), state_hash(&resumed.state), "{}", solver.name());
        assert_eq!(world.model, resumed.model, "{}", solver.name());
    }
}

/// Tears in free flight keep mass and momenta, of quads of springs and of membranes, and leave no splinters or slivers.
#[test]
fn tears_through_faces_keep_mass_and_momenta() {
    let springs = Fabric { strength: None, break_at: Some(1.1), ..Fabric::default() };
    let membranes = Fabric { strength: None, break_at: Some(1.1), ..membrane() };
    for (name, fabric) in [("springs", springs), ("membranes", membranes)] {
        let fabric = Fabric { damping_when_slack: false, least_piece: 2, tear_through_faces: true, ..fabric };
        let mut builder = Builder::default();
        let resolution = Resolution::Cells([8, 7]);
        builder
            .add_sheet(&Sheet { resolution, axes: [Vec3::X, Vec3::Y], fabric, ..Sheet::default() })
            .unwrap();
        let around = Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() };
        let (model, state) = builder.finish(&around).unwrap();
        let mut world = World::new(model, state, &SolverConfig::named("velocity-verlet").unwrap(), 1e-4);
        for p in 0..world.model.len() {
            let x = world.state.positions[p] - Vec3::new(0.5, 0.5, 0.0);
            world.state.velocities[p] = x * 40.0 + Vec3::Z.cross(x) * 20.0 + noise(3, p) * 4.0;
        }
        let sums = |world: &World| {
            let mass: Real = world.model.masses.iter().sum();
            (mass, momentum(&world.model, &world.state), angular_momentum(&world.model, &world.state))
        };
        let before = sums(&world);
        for _ in 0..200 {
            world.step().unwrap();
        }
        let after = sums(&world);
        assert!(world.state.torn.edges > 20, "{name}: {:?}", world.state.torn);
        assert!((after.0 / before.0 - 1.0).abs() < 1e-13, "{name}: mass");
        let scale: Real =
            (0..world.model.len()).map(|p| world.model.masses[p] * world.state.velocities[p].length()).sum();
        assert!(after.1.distance(before.1) < 1e-12 * scale, "{name}: {} {}", after.1, before.1);
        assert!(after.2.distance(before.2) < 1e-12 * scale, "{name}: {} {}", after.2, before.2);
        assert!(pieces(&world).iter().all(|&size| size >= 2), "{name}: {:?}", pieces(&world));
        assert!(least_angle(&world) >= 10.0 - 1e-6, "{name}: {}", least_angle(&world));
    }
}
