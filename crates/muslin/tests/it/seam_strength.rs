//! Seams that rip at their own strength: two strips, sewn together and held at one end, are pulled ever harder.
//!
//! The load across the seam is that of the strip behind it: its mass times the pull, over the width. Membranes without transverse
//! contraction carry it evenly.

use crate::slices::pieces;
use muslin::builder::{SeamDescription, SeamSide};
use muslin::material::MembraneMaterial;
use muslin::mesh::edges;
use muslin::prelude::*;

const SIZE: [Real; 2] = [0.3, 0.2];
const CELLS: [usize; 2] = [6, 4];

/// Strips that lie beside each other along x, sewn and held at the far end of the first one; strengths [N/m].
fn strips(of_cloth: Option<Real>, of_seam: Option<Real>, contact: ContactLaw) -> World {
    let membrane = MembraneMaterial { warp: 2000.0, damping: 1e-3, ..MembraneMaterial::default() };
    let fabric = Fabric { membrane: Some(membrane), strength: of_cloth, ..Fabric::default() };
    let strip = |x: Real| Sheet {
        size: SIZE,
        resolution: Resolution::Cells(CELLS),
        origin: Vec3::X * x,
        axes: [Vec3::X, Vec3::Y],
        fabric: fabric.clone(),
        drag: Drag::Area(2.0),
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Side(Side::IMin))], ..strip(0.0) }).unwrap();
    builder.add_sheet(&strip(SIZE[0] + 0.01)).unwrap();
    let side = |body, side| SeamSide { body, at: Place::Side(side) };
    let seam = SeamDescription {
        first: side(0, Side::IMax),
        second: side(1, Side::IMin),
        time: 0.0,
        duration: 0.1,
        strength: of_seam,
    };
    let around = Surroundings { gravity: Vec3::ZERO, contact, seams: vec![seam], ..Surroundings::default() };
    let (model, state) = builder.finish(&around).unwrap();
    let mut world = World::new(model, state, &SolverConfig::named("implicit-euler").unwrap(), 1.0 / 120.0);
    for _ in 0..60 {
        world.step().unwrap();
    }
    assert_eq!(world.state.sewn.joined, CELLS[1] as u64 + 1);
    world
}

/// Pulls ever harder for two seconds, up to a load across the seam [N/m]; the load at which the first edge opens.
fn pull(world: &mut World, up_to: Real) -> Option<Real> {
    let mass = SIZE[0] * SIZE[1] * Fabric::default().area_density();
    let mut found = None;
    for step in 1..=240 {
        let load = up_to * Real::from(step) / 240.0;
        world.apply(&Command::SetGravity(Vec3::X * (load * SIZE[1] / mass))).unwrap();
        world.step().unwrap();
        assert!(world.faults().pairs.is_empty(), "step {step}");
        if world.state.torn.edges > 0 && found.is_none() {
            found = Some(load);
        }
    }
    found
}

/// The edges of the seam that hold, by the sides of faces that are marked, two for each.
fn seam_edges(world: &World) -> usize {
    let sides = world.model.cloths.iter().flat_map(|cloth| &cloth.seams);
    let ends: Vec<[u32; 2]> = sides.filter_map(|sewn| sewn.ends(&world.model.faces)).collect();
    let all = edges(&world.model.faces);
    all.iter().filter(|edge| edge.faces.len() == 2 && ends.contains(&edge.ends)).count()
}

/// Within five per cent: the load rises by 1/240 of 30 N/m per step, and the strips swing a little.
#[test]
fn a_weak_seam_rips_at_its_strength() {
    for contact in [ContactLaw::default(), ContactLaw::Surface(SurfaceContact::default())] {
        let mut world = strips(Some(200.0), Some(20.0), contact);
        assert_eq!(seam_edges(&world), CELLS[1]);
        let load = pull(&mut world, 30.0).expect("it rips");
        assert!((load / 20.0 - 1.0).abs() < 0.05, "{contact:?}: at {load} N/m");
        // Along the seam, and nowhere else: the two strips as they were.
        assert_eq!((pieces(&world), world.state.torn.edges), (vec![24, 24], CELLS[1] as u64), "{contact:?}");
        assert_eq!(seam_edges(&world), 0);
    }
}

/// The seam of cloth that does not tear itself rips, too; and one without a strength of its own does not.
#[test]
fn a_seam_of_strong_cloth_rips() {
    let mut world = strips(None, Some(20.0), ContactLaw::default());
    assert!(pull(&mut world, 30.0).is_some());
    assert_eq!(pieces(&world), [24, 24]);
    let mut world = strips(None, None, ContactLaw::default());
    assert_eq!(pull(&mut world, 30.0), None);
    assert!(!world.model.may_change_topology());
}

#[test]
fn a_strong_seam_leaves_the_cloth_to_tear() {
    let mut world = strips(Some(20.0), Some(200.0), ContactLaw::default());
    assert!(pull(&mut world, 30.0).is_some());
    assert_eq!(seam_edges(&world), CELLS[1], "no edge of it opens");
    assert!(pieces(&world).len() > 1, "the cloth does");
}

/// An edge of a seam that is divided has its strength on both parts.
#[test]
fn a_divided_seam_keeps_its_strength() {
    let mut world = strips(None, Some(20.0), ContactLaw::default());
    let seam = world.model.cloths[0].seams[1].ends(&world.model.faces).unwrap();
    world.divide_edge(seam, 0.5).unwrap();
    assert_eq!(seam_edges(&world), CELLS[1] + 1);
    world = World::restore(&world.checkpoint()).unwrap();
    let load = pull(&mut world, 30.0).expect("it rips");
    assert!((load / 20.0 - 1.0).abs() < 0.05, "at {load} N/m");
    assert_eq!((pieces(&world).len(), seam_edges(&world)), (2, 0));
}
