//! Repair of soups, and what the report says of known defects.

use super::random::Random;
use super::validator::validate;
use super::*;
use std::collections::BTreeSet;

/// Three sheets of triangles that meet at the edge 0–1, at these angles around it [rad].
fn sheets(angles: &[Real]) -> (Vec<[u32; 3]>, Vec<Vec3>) {
    let mut positions = vec![Vec3::ZERO, Vec3::Z];
    positions.extend(angles.iter().map(|a| Vec3::new(a.cos(), a.sin(), 0.5)));
    ((0..angles.len() as u32).map(|k| [0, 1, 2 + k]).collect(), positions)
}

#[test]
fn an_edge_of_three_faces_keeps_the_two_nearest_to_a_plane() {
    let (faces, positions) = sheets(&[0.0, 1.2, 3.0]);
    let (mesh, repair) = HalfEdgeMesh::import(&faces, &positions).unwrap();
    validate(&mesh);
    assert_eq!(repair.branching, [BranchingEdge { ends: [0, 1], joined: [0, 2], parted: vec![1] }]);
    assert_eq!(repair.fans, [[0, 2], [1, 2]]);
    assert_eq!((mesh.components().len(), mesh.counts().vertices), (2, 3 + 4));
    // All three name both particles of the edge in the same direction: one of the joined ones is turned over.
    assert_eq!(repair.turned, [2]);
    assert_eq!(mesh.export(), [[0, 1, 2], [0, 1, 3], [0, 4, 1]]);
    let told = repair.to_string();
    assert!(told.starts_with("1 edge of three faces or more parted in topology"), "{told}");
    assert!(told.contains("1 face turned over (2)") && told.contains("2 vertices of several fans"), "{told}");
}

#[test]
fn degenerate_and_doubled_faces_are_dropped() {
    let mut positions = points(4);
    positions.push(positions[0].midpoint(positions[1]));
    let faces: [&[u32]; 6] = [&[0, 1, 2], &[0, 1, 1], &[2, 0, 1], &[0, 1, 4], &[0, 2, 3], &[0, 3]];
    let (mesh, repair) = HalfEdgeMesh::import(&faces, &positions).unwrap();
    validate(&mesh);
    assert_eq!((&repair.degenerate[..], &repair.doubled[..]), (&[1, 3, 5][..], &[[0, 2]][..]));
    assert_eq!((&repair.kept[..], mesh.export()), (&[0, 4][..], vec![vec![0, 1, 2], vec![0, 2, 3]]));
}

#[test]
fn a_one_sided_strip_is_opened_and_most_faces_are_not_turned() {
    let mut faces = grid([7, 1], [true, false]);
    for face in faces.iter_mut().skip(12) {
        // The last cell runs from one side to the other.
        *face = face.map(|v| if v < 2 { 1 - v } else { v });
    }
    let (mesh, repair) = HalfEdgeMesh::import(&faces, &points(14)).unwrap();
    validate(&mesh);
    assert!(repair.one_sided.len() == 1 && 2 * repair.turned.len() <= faces.len(), "{repair}");
    let pieces = mesh.components();
    assert_eq!((pieces.len(), pieces[0].borders, pieces[0].genus()), (1, 1, 0));
    let mut faces = grid([4, 4], [false, false]);
    for k in [0, 1, 9] {
        faces[k].swap(1, 2);
    }
    let (mesh, repair) = HalfEdgeMesh::import(&faces, &points(25)).unwrap();
    assert_eq!(repair, Repair { turned: vec![0, 1, 9], kept: (0..32).collect(), ..Repair::default() });
    assert_eq!(mesh.export(), grid([4, 4], [false, false]));
}

#[test]
fn polygons_survive_import_and_export() {
    let cube: [[u32; 4]; 6] =
        [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    let corners = (0..8).map(|k| {
        let (i, j) = ([0.0, 1.0, 1.0, 0.0][k % 4], [0.0, 0.0, 1.0, 1.0][k % 4]);
        Vec3::new(i, j, (k / 4) as Real)
    });
    let (mesh, repair) = HalfEdgeMesh::import(&cube, &corners.collect::<Vec<_>>()).unwrap();
    validate(&mesh);
    assert!(repair.is_empty() && mesh.export() == cube);
    assert_eq!(mesh.counts(), Counts { vertices: 8, edges: 12, loops: 6 });
}

#[test]
fn numbers_that_do_not_exist_are_refused() {
    assert!(HalfEdgeMesh::import(&[[0, 1, 9]], &points(3)).is_err());
    assert!(HalfEdgeMesh::import(&[[0, 1, 2]], &[Vec3::NAN; 3]).is_err());
    assert!(HalfEdgeMesh::import(&[[0u32; 3]; 0], &[]).unwrap().1.is_empty());
}

#[test]
fn random_soups_become_manifolds_of_the_same_faces() {
    let mut opened = 0;
    for seed in 0..600 {
        let mut random = Random(seed);
        let count = 4 + random.below(12);
        let positions: Vec<Vec3> =
            (0..count).map(|_| Vec3::from([0, 1, 2].map(|_| Real::from(random.below(1000))))).collect();
        let faces: Vec<Vec<u32>> = (0..random.below(60))
            .map(|_| (0..3 + random.below(3)).map(|_| random.below(count)).collect())
            .collect();
        let (mesh, repair) = HalfEdgeMesh::import(&faces, &positions).unwrap();
        validate(&mesh);
        opened += repair.opened.len();
        assert_eq!((mesh.clone(), repair.clone()), HalfEdgeMesh::import(&faces, &positions).unwrap());
        // The same corners in the same order, one way or the other.
        for (exported, &kept) in mesh.export().iter().zip(&repair.kept) {
            let mut original = faces[kept as usize].clone();
            if repair.turned.contains(&kept) {
                original[1..].reverse();
            }
            assert_eq!(*exported, original);
        }
        let all = repair.kept.iter().chain(&repair.degenerate).copied();
        let all: BTreeSet<u32> = all.chain(repair.doubled.iter().map(|pair| pair[1])).collect();
        assert!(all.into_iter().eq(0..faces.len() as u32));
        assert_eq!(mesh.export().len(), repair.kept.len());
    }
    assert!(opened > 0, "double edges do occur");
}

#[test]
fn unsewn_borders_are_noticed() {
    let quad = |first: u32| [[first, first + 1, first + 2], [first, first + 2, first + 3]];
    let faces: Vec<[u32; 3]> = [quad(0), quad(4)].concat();
    let square = |x: Real| [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y].map(|p| p + Vec3::X * x);
    let with_gap = |gap: Real| {
        let positions = [square(0.0), square(1.0 + gap)].concat();
        HalfEdgeMesh::import(&faces, &positions).unwrap().0.unsewn_borders(&positions)
    };
    assert_eq!(with_gap(0.0), Some(Unsewn { pairs: 2, first: [1, 4] }));
    assert_eq!(with_gap(1e-7).map(|unsewn| unsewn.pairs), Some(2));
    assert_eq!(with_gap(1e-5), None);
}
