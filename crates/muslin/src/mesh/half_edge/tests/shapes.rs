//! Euler characteristics of known shapes, and after each seam.

use super::validator::{arrays, loops, validate};
use super::*;

/// Genus and borders of the only piece.
fn only(mesh: &HalfEdgeMesh) -> [usize; 2] {
    validate(mesh);
    let pieces = mesh.components();
    assert_eq!(pieces.len(), 1);
    [pieces[0].genus(), pieces[0].borders]
}

/// ΔV, ΔE and ΔF of an operation.
fn change(mesh: &mut HalfEdgeMesh, operation: impl FnOnce(&mut HalfEdgeMesh)) -> [i64; 3] {
    let before = mesh.counts();
    operation(mesh);
    validate(mesh);
    let after = mesh.counts();
    let difference = |a: usize, b: usize| b as i64 - a as i64;
    [
        difference(before.vertices, after.vertices),
        difference(before.edges, after.edges),
        difference(before.loops, after.loops),
    ]
}

fn vertex(mesh: &HalfEdgeMesh, particle: u32) -> u32 {
    mesh.vertices().iter().position(|v| v.particle == particle).unwrap() as u32
}

fn between(mesh: &HalfEdgeMesh, from: u32, to: u32) -> u32 {
    mesh.between(vertex(mesh, from), vertex(mesh, to)).unwrap()
}

#[test]
fn discs_tubes_spheres_and_tori_have_their_genus_and_borders() {
    assert_eq!(only(&surface(&grid([4, 5], [false, false]))), [0, 1]);
    assert_eq!(only(&surface(&grid([4, 5], [true, false]))), [0, 2]);
    assert_eq!(only(&surface(&grid([4, 5], [true, true]))), [1, 0]);
    assert_eq!(only(&tetrahedron()), [0, 0]);
}

#[test]
fn the_four_operators_build_a_disc() {
    let mut mesh = HalfEdgeMesh::default();
    let [a, b, c] = [7, 8, 9].map(|particle| mesh.insert_vertex(particle));
    assert_eq!(mesh.components().len(), 3);
    let ab = mesh.insert_edge(Corner::Lone(a), Corner::Lone(b)).unwrap();
    let bc = mesh.insert_edge(Corner::Of(twin(ab)), Corner::Lone(c)).unwrap();
    assert_eq!(mesh.counts(), Counts { vertices: 3, edges: 2, loops: 1 });
    assert_eq!(mesh.insert_edge(Corner::Of(ab), Corner::Of(twin(ab))), Err(Refusal::DoubleEdge([a, b])));
    let ca = mesh.insert_edge(Corner::Of(twin(bc)), Corner::Of(ab)).unwrap();
    assert_eq!(mesh.counts().euler_characteristic(), 2);
    mesh.open_face(mesh.face(twin(ca))).unwrap();
    assert_eq!(only(&mesh), [0, 1]);
    assert_eq!(mesh.export(), [[9, 7, 8]]);
    let outside = mesh.face(twin(ca));
    assert_eq!(mesh.delete_edge(ca), Err(Refusal::InBorder(outside)));
    assert_eq!(mesh.delete_vertex(a), Err(Refusal::HasEdges(a)));
}

#[test]
fn edges_between_pieces_join_them_and_within_one_make_handles() {
    let mut mesh = tetrahedron();
    let shift = mesh.unite(&tetrahedron(), 4);
    assert_eq!((mesh.components().len(), mesh.counts().euler_characteristic()), (2, 4));
    let bridge = mesh.insert_edge(Corner::Of(0), Corner::Of(shift[0])).unwrap();
    assert_eq!(only(&mesh), [0, 0]);
    assert_eq!(mesh.face(bridge), mesh.face(twin(bridge)));
    // From a face beside the bridge to another one: a handle.
    let far = [0, shift[0]].map(|first| {
        let face = mesh.face(bridge);
        (first..first + 12).find(|&h| mesh.face(h) != face && mesh.origin(h) != mesh.origin(first)).unwrap()
    });
    mesh.insert_edge(Corner::Of(far[0]), Corner::Of(far[1])).unwrap();
    assert_eq!(only(&mesh), [1, 0]);
}

#[test]
fn each_seam_changes_the_counts_by_its_row() {
    // Particles 0–4 | 5–9 | … of five columns.
    let disc = surface(&grid([4, 4], [false, false]));
    let mut mesh = disc.clone();
    let (first, second) = (between(&mesh, 12, 7), between(&mesh, 12, 17));
    let mut opened = None;
    assert_eq!(change(&mut mesh, |m| opened = Some(m.split_vertex(first, second).unwrap())), [1, 2, 1]);
    assert_eq!(only(&mesh), [0, 2]);
    let lips = opened.unwrap().lips;
    assert_eq!(change(&mut mesh, |m| drop(m.merge(lips[1][0], lips[1][1]).unwrap())), [-1, -2, -1]);
    assert_eq!(arrays(&mesh), arrays(&disc));

    // From the border to the middle and on to the other side.
    let at_border = between(&mesh, 2, 7);
    assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(at_border).unwrap())), [1, 1, 0]);
    assert_eq!(only(&mesh), [0, 1]);
    for (from, to) in [(7, 12), (12, 17)] {
        let along = between(&mesh, from, to);
        assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(along).unwrap())), [1, 1, 0]);
    }
    let last = between(&mesh, 17, 22);
    assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(last).unwrap())), [2, 1, 1]);
    assert_eq!(mesh.components().len(), 2, "the disc is cut in two");

    // Along a tube, from one border to the other.
    let mut mesh = surface(&grid([5, 1], [true, false]));
    let across = between(&mesh, 4, 5);
    assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(across).unwrap())), [2, 1, -1]);
    assert_eq!(only(&mesh), [0, 1]);

    // A torus with a hole: cut around, along 0–12–8–4 from border to border, its handle is gone.
    let mut mesh = surface(&grid([4, 4], [true, true]));
    mesh.open_face(0).unwrap();
    let mut along = between(&mesh, 0, 12);
    for to in [8, 4] {
        assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(along).unwrap())), [1, 1, 0]);
        let from = mesh.target(along);
        along = mesh.around(from).find(|&h| mesh.particle(mesh.target(h)) == to).unwrap();
    }
    assert_eq!(change(&mut mesh, |m| drop(m.split_border_vertex(along).unwrap())), [2, 1, 1]);
    assert_eq!(only(&mesh), [0, 2]);
}

#[test]
fn every_inner_edge_can_be_torn_until_each_triangle_is_alone() {
    let faces = grid([5, 4], [false, false]);
    let mut mesh = surface(&faces);
    // An inner edge that starts at a border, until there is none.
    while let Some(h) = (0..mesh.half_edges().len() as u32)
        .find(|&h| !mesh.is_border(h) && !mesh.is_border(twin(h)) && mesh.is_at_border(mesh.origin(h)))
    {
        mesh.split_border_vertex(h).unwrap();
        validate(&mesh);
    }
    assert_eq!(mesh.components().len(), faces.len());
    assert!(mesh.components().iter().all(|piece| piece.borders == 1 && piece.genus() == 0));
    let mut exported = mesh.export();
    for corners in &mut exported {
        let least = (0..3).min_by_key(|&k| corners[k]).unwrap_or(0);
        corners.rotate_left(least);
    }
    assert_eq!(exported, faces);
}

/// The half-edge from the end of a split edge, by its particle, to the new vertex.
fn to_middle(mesh: &HalfEdgeMesh, split: u32, end: u32) -> u32 {
    mesh.between(vertex(mesh, end), mesh.target(split)).unwrap()
}

#[test]
fn divisions_change_the_counts_by_their_rows() {
    let whole = surface(&grid([3, 3], [false, false]));
    let mut mesh = whole.clone();
    let inner = between(&mesh, 5, 10);
    assert_eq!(change(&mut mesh, |m| assert!(m.split_edge(inner, 99).unwrap() < 100)), [1, 3, 2]);
    assert_eq!(change(&mut mesh, |m| m.collapse(to_middle(m, inner, 10)).unwrap()), [-1, -3, -2]);
    assert_eq!(arrays(&mesh), arrays(&whole));
    let at_border = between(&mesh, 0, 4);
    assert_eq!(change(&mut mesh, |m| assert!(m.split_edge(at_border, 99).unwrap() < 100)), [1, 2, 1]);
    assert_eq!(change(&mut mesh, |m| m.collapse(to_middle(m, at_border, 4)).unwrap()), [-1, -2, -1]);
    assert_eq!(change(&mut mesh, |m| assert!(m.split_face(3, 99).unwrap() < 100)), [1, 3, 2]);
    let mut mesh = whole.clone();
    assert_eq!(change(&mut mesh, |m| m.flip(inner).unwrap()), [0, 0, 0]);
    assert_ne!(loops(&mesh), loops(&whole));
    assert_eq!(change(&mut mesh, |m| m.flip(inner).unwrap()), [0, 0, 0]);
    assert_eq!(loops(&mesh), loops(&whole));
}

#[test]
fn what_would_break_the_surface_is_refused() {
    let mut mesh = tetrahedron();
    assert!(matches!(mesh.collapse(0), Err(Refusal::Link(_))));
    assert!(matches!(mesh.flip(0), Err(Refusal::DoubleEdge(_))));
    assert_eq!(mesh.flip(99), Err(Refusal::NoHalfEdge(99)));
    assert!(matches!(mesh.split_border_vertex(0), Err(Refusal::Inside(_))));
    mesh.open_face(0).unwrap();
    assert!(matches!(mesh.open_face(1), Err(Refusal::Pinched(_))));
    let mut strip = surface(&grid([3, 1], [false, false]));
    // Across the strip: both ends lie on the border.
    let across = between(&strip, 2, 3);
    assert!(matches!(strip.collapse(across), Err(Refusal::Pinched(_))));
    assert!(matches!(strip.split_vertex(across, strip.next(across)), Err(Refusal::NoPath(_))));
    // The border of a triangle cannot be closed on itself.
    let mut triangle = surface(&[[0, 1, 2]]);
    let [a, b, _] = triangle.sides(1).collect::<Vec<_>>()[..] else { panic!() };
    assert!(matches!(triangle.merge(a, b), Err(Refusal::SelfLoop(_))));
}

#[test]
fn ids_are_never_given_twice_and_slots_are() {
    let mut mesh = HalfEdgeMesh::default();
    let [a, b] = [0, 1].map(|particle| mesh.insert_vertex(particle));
    let ids = [a, b].map(|v| mesh.vertices()[v as usize].id);
    mesh.delete_vertex(a).unwrap();
    mesh.delete_vertex(b).unwrap();
    let again = [0, 1].map(|particle| mesh.insert_vertex(particle));
    assert_eq!(again, [b, a], "the last one freed is taken first");
    assert!(again.iter().all(|&v| !ids.contains(&mesh.vertices()[v as usize].id)));
    assert_eq!((mesh.vertex_of_id(ids[0]), mesh.vertex_of_id(2)), (None, Some(b)));
}
