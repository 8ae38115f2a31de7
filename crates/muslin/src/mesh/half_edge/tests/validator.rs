//! What must hold of any structure, by brute force on its arrays.

use super::super::*;
use std::collections::{BTreeMap, BTreeSet};

/// Panics unless everything holds that the head of the module promises.
pub fn validate(mesh: &HalfEdgeMesh) {
    let live: Vec<u32> = (0..mesh.half_edges().len() as u32).filter(|&h| mesh.has_half_edge(h)).collect();
    let at = |h: u32| mesh.half_edges()[h as usize];
    for &h in &live {
        assert!(mesh.has_half_edge(h ^ 1));
        assert_eq!(at(at(h).next).prev, h);
        assert_eq!(at(at(h).prev).next, h);
        assert_eq!(at(at(h).next).vertex, at(h ^ 1).vertex, "the next one starts where {h} ends");
    }
    let faces = cycles(&live, |h| at(h).next, |h| at(h).face);
    let vertices = cycles(&live, |h| at(h ^ 1).next, |h| at(h).vertex);
    check_loops(mesh, &faces);
    check_vertices(mesh, &vertices);
    check_edges(mesh, &live);
    check_euler(mesh, &live);
    check_free(mesh, &live);
}

/// The cycles of a permutation, by their labels, each of which must belong to one cycle alone.
fn cycles(
    live: &[u32],
    step: impl Fn(u32) -> u32,
    label: impl Fn(u32) -> u32,
) -> BTreeMap<u32, BTreeSet<u32>> {
    let (mut seen, mut found) = (BTreeSet::<u32>::new(), BTreeMap::new());
    for &start in live {
        if seen.contains(&start) {
            continue;
        }
        let mut cycle = BTreeSet::new();
        let mut h = start;
        while cycle.insert(h) {
            assert_eq!(label(h), label(start));
            h = step(h);
        }
        assert_eq!(h, start);
        seen.extend(&cycle);
        assert!(found.insert(label(start), cycle).is_none(), "{} has two cycles", label(start));
    }
    found
}

fn check_loops(mesh: &HalfEdgeMesh, cycles: &BTreeMap<u32, BTreeSet<u32>>) {
    for (face, slot) in (0..).zip(mesh.loops()) {
        match slot.kind {
            Kind::Free => assert!(!cycles.contains_key(&face)),
            Kind::Point => assert!(!cycles.contains_key(&face) && mesh.out(slot.first).is_none()),
            Kind::Face => assert!(cycles[&face].contains(&slot.first)),
            Kind::Border => assert!(cycles[&face].contains(&slot.first) && cycles[&face].len() > 2),
        }
        if matches!(slot.kind, Kind::Face | Kind::Border) {
            assert!(mesh.sides(face).collect::<BTreeSet<_>>() == cycles[&face]);
        }
    }
}

fn check_vertices(mesh: &HalfEdgeMesh, cycles: &BTreeMap<u32, BTreeSet<u32>>) {
    let mut ids = BTreeSet::new();
    for vertex in 0..mesh.vertices().len() as u32 {
        if !mesh.has_vertex(vertex) {
            assert!(!cycles.contains_key(&vertex));
            continue;
        }
        assert!(ids.insert(mesh.vertices()[vertex as usize].id));
        let Some(out) = mesh.out(vertex) else {
            assert!(!cycles.contains_key(&vertex));
            let own = mesh.loops().iter().filter(|f| f.kind == Kind::Point && f.first == vertex);
            assert_eq!(own.count(), 1);
            continue;
        };
        let cycle = &cycles[&vertex];
        assert!(cycle.contains(&out) && mesh.around(vertex).collect::<BTreeSet<_>>() == *cycle);
        let borders = cycle.iter().filter(|&&h| mesh.is_border(h)).count();
        assert!(borders <= 1, "vertex {vertex} lies on {borders} borders");
        assert_eq!(mesh.is_at_border(vertex), borders == 1);
    }
}

fn check_edges(mesh: &HalfEdgeMesh, live: &[u32]) {
    let mut joined = BTreeSet::new();
    for &h in live.iter().filter(|&&h| h & 1 == 0) {
        let (a, b) = (mesh.origin(h), mesh.target(h));
        assert_ne!(a, b);
        assert!(joined.insert([a.min(b), a.max(b)]), "two edges join {a} and {b}");
        assert!(!(mesh.is_border(h) && mesh.is_border(h ^ 1)));
    }
}

/// Sums over components, found by merging labels.
fn check_euler(mesh: &HalfEdgeMesh, live: &[u32]) {
    let count = mesh.vertices().len();
    let mut labels: Vec<usize> = (0..count).collect();
    for _ in 0..=count {
        let mut is_done = true;
        for &h in live {
            let (a, b) = (mesh.origin(h) as usize, mesh.target(h) as usize);
            is_done &= labels[a] == labels[b];
            labels[a] = labels[a].min(labels[b]);
        }
        if is_done {
            break;
        }
    }
    let mut characteristics: BTreeMap<usize, i64> = BTreeMap::new();
    let mut add = |vertex: u32, by: i64| *characteristics.entry(labels[vertex as usize]).or_default() += by;
    (0..count as u32).filter(|&v| mesh.has_vertex(v)).for_each(|v| add(v, 1));
    live.iter().filter(|&&h| h & 1 == 0).for_each(|&h| add(mesh.origin(h), -1));
    for slot in mesh.loops() {
        match slot.kind {
            Kind::Free => {}
            Kind::Point => add(slot.first, 1),
            _ => add(mesh.origin(slot.first), 1),
        }
    }
    assert!(characteristics.values().all(|&x| x <= 2 && x % 2 == 0), "{characteristics:?}");
    assert_eq!(characteristics.values().sum::<i64>(), mesh.counts().euler_characteristic());
    let pieces = mesh.components();
    let by_genus: Vec<i64> = pieces.iter().map(|piece| 2 - 2 * piece.genus() as i64).collect();
    assert_eq!(by_genus, characteristics.values().copied().collect::<Vec<_>>());
    let walked = characteristics.keys().flat_map(|&v| mesh.walk(v as u32)).map(|h| h >> 1);
    let mut walked: Vec<u32> = walked.collect();
    walked.sort_unstable();
    assert!(walked.into_iter().eq(live.iter().filter(|&&h| h & 1 == 0).map(|&h| h >> 1)));
}

/// Free slots are those that nothing uses, each in its chain once.
fn check_free(mesh: &HalfEdgeMesh, live: &[u32]) {
    let chain = |first: u32, next: &dyn Fn(u32) -> u32| {
        let mut found = BTreeSet::new();
        let mut slot = first;
        while slot != NONE {
            assert!(found.insert(slot));
            slot = next(slot);
        }
        found.len()
    };
    let counts = mesh.counts();
    let edges = chain(mesh.free_edge, &|h| mesh.half_edges[h as usize].next);
    assert_eq!([live.len() / 2, mesh.half_edges.len() / 2 - edges], [counts.edges; 2]);
    let faces = chain(mesh.free_face, &|f| mesh.faces[f as usize].first);
    let loops = mesh.faces.iter().filter(|f| f.kind != Kind::Free).count();
    assert_eq!([loops, mesh.faces.len() - faces], [counts.loops; 2]);
    let vertices = chain(mesh.free_vertex, &|v| mesh.vertices[v as usize].out);
    let used = mesh.vertices.iter().filter(|v| v.id != FREE).count();
    assert_eq!([used, mesh.vertices.len() - vertices], [counts.vertices; 2]);
}

/// The arrays without free slots and starts of loops and orbits, which are arbitrary, and without ids.
pub fn arrays(mesh: &HalfEdgeMesh) -> impl PartialEq + std::fmt::Debug + use<> {
    let half_edges: Vec<_> =
        (0..).zip(mesh.half_edges.clone()).filter(|&(h, _)| mesh.has_half_edge(h)).collect();
    let faces = (0..).zip(&mesh.faces).filter(|(_, f)| f.kind != Kind::Free).map(|(n, f)| (n, f.kind));
    let vertices = (0..).zip(&mesh.vertices).filter(|(_, v)| v.id != FREE).map(|(n, v)| (n, v.particle));
    (half_edges, faces.collect::<Vec<(u32, Kind)>>(), vertices.collect::<Vec<(u32, u32)>>())
}

/// The same mesh, whatever the numbers of its edges and faces: its loops of vertices.
pub fn loops(mesh: &HalfEdgeMesh) -> BTreeSet<(bool, Vec<u32>)> {
    let canonical = |face: u32| {
        let mut corners: Vec<u32> = mesh.corners(face).collect();
        let least = (0..corners.len()).min_by_key(|&k| {
            let mut turned = corners.clone();
            turned.rotate_left(k);
            turned
        });
        corners.rotate_left(least.unwrap_or(0));
        (mesh.kind(face) == Kind::Border, corners)
    };
    (0..mesh.faces.len() as u32).filter(|&face| mesh.has_loop(face)).map(canonical).collect()
}
