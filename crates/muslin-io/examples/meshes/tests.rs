use std::path::Path;

use muslin::math::{Real, Vec3};
use muslin::mesh::half_edge::{HalfEdgeMesh, Kind};
use muslin::mesh::{Face, Mesh};
use muslin_io::parse_mesh;

use super::files;

/// The mesh as it is read again.
fn read(name: &str) -> Mesh {
    let files = files();
    let (name, text) = files.iter().find(|file| file.0 == name).unwrap();
    parse_mesh(Path::new(name), text.as_bytes()).unwrap()
}

/// V − E + F of the true faces, and the border loops; nothing may be repaired.
fn topology(mesh: &Mesh) -> (i64, usize) {
    assert!(mesh.check().is_ok());
    let faces: Vec<&[u32]> = mesh.faces.iter().map(Face::corners).collect();
    let (surface, repair) = HalfEdgeMesh::import(&faces, &mesh.positions).unwrap();
    assert!(repair.is_empty(), "{repair}");
    assert!(surface.unsewn_borders(&mesh.positions).is_none());
    let pieces = surface.components();
    assert_eq!((pieces.len(), pieces[0].genus()), (1, 0));
    let borders = surface.loops_of(Kind::Border).count();
    (surface.counts().euler_characteristic() - i64::try_from(borders).unwrap(), borders)
}

fn points(mesh: &Mesh, face: &Face) -> [Vec3; 3] {
    [0, 1, 2].map(|k| mesh.positions[face.corners()[k] as usize])
}

/// [degrees]
fn least_angle(mesh: &Mesh) -> Real {
    let angle = |[a, b, c]: [Vec3; 3]| (b - a).angle_between(c - a).to_degrees();
    let of_face = |[a, b, c]: [Vec3; 3]| angle([a, b, c]).min(angle([b, c, a])).min(angle([c, a, b]));
    mesh.faces.iter().map(|face| of_face(points(mesh, face))).fold(180.0, Real::min)
}

#[test]
fn the_scenes_have_what_is_made_here() {
    let kept = [
        include_str!("../../../../scenes/artery.obj"),
        include_str!("../../../../scenes/dagger.stl"),
        include_str!("../../../../scenes/shirt-front.obj"),
        include_str!("../../../../scenes/shirt-back.obj"),
    ];
    for ((name, made), kept) in files().iter().zip(kept) {
        assert!(made == kept, "scenes/{name} is not what the example makes; renew it by the example");
    }
}

#[test]
fn the_artery_is_a_sphere_with_three_holes() {
    let mesh = read("artery.obj");
    assert_eq!(topology(&mesh), (-1, 3));
    assert!((1500..2500).contains(&mesh.faces.len()));
    assert!(least_angle(&mesh) > 30.0, "{}", least_angle(&mesh));
    // Turned outwards: at the open ends, away from their axes.
    let trunk = mesh.faces.iter().map(|face| points(&mesh, face)).filter(|p| p.iter().all(|p| p.x < -0.5));
    for [a, b, c] in trunk {
        assert!((b - a).cross(c - a).dot(a.with_x(0.0)) > 0.0);
    }
}

#[test]
fn the_dagger_is_closed() {
    let mesh = read("dagger.stl");
    assert_eq!(topology(&mesh), (2, 0));
    assert_eq!(mesh.faces.len(), 472);
    let volume: Real =
        mesh.faces.iter().map(|face| points(&mesh, face)).map(|[a, b, c]| a.dot(b.cross(c))).sum();
    assert!(volume > 0.0, "it is inside out");
}

#[test]
fn the_blade_is_convex_and_sharp() {
    let mesh = read("dagger.stl");
    let blade: Vec<[Vec3; 3]> = mesh
        .faces
        .iter()
        .map(|face| points(&mesh, face))
        .filter(|p| p.iter().all(|p| p.z < 0.5601))
        .collect();
    let blade: Vec<_> = blade.into_iter().filter(|p| p.iter().any(|p| p.z < 0.5599)).collect();
    assert_eq!(blade.len(), 20);
    let normal = |[a, b, c]: [Vec3; 3]| (b - a).cross(c - a).normalize();
    for &face in &blade {
        for &p in blade.iter().flatten() {
            // Coordinates are rounded to 1e-5 m.
            assert!(normal(face).dot(p - face[0]) < 2e-5, "{face:?} {p}");
        }
    }
    // The two sides of each piece of an edge, the plane y = 0 between them.
    let is_edge = |p: &Vec3| p.y == 0.0;
    let sides: Vec<_> = blade.iter().filter(|p| p.iter().filter(|p| is_edge(p)).count() == 2).collect();
    assert!(sides.len() >= 8);
    for side in sides {
        let wedge = 2.0 * normal(*side).y.abs().acos().to_degrees();
        assert!(wedge < 40.0, "{wedge}");
    }
}

/// The lengths of the edges between vertices of a border, one after the other, in rows or in a column of the panel [m].
fn lengths(mesh: &Mesh, vertices: impl Iterator<Item = usize>) -> Vec<Real> {
    let vertices: Vec<usize> = vertices.collect();
    vertices.windows(2).map(|pair| mesh.positions[pair[0]].distance(mesh.positions[pair[1]])).collect()
}

#[test]
fn the_panels_of_the_shirt_are_flat_and_fit() {
    let [front, back] = ["shirt-front.obj", "shirt-back.obj"].map(read);
    for (mesh, turn) in [(&front, 1.0), (&back, -1.0)] {
        assert_eq!(topology(mesh), (1, 1));
        for face in &mesh.faces {
            let normal = face.doubled_area_vector(&mesh.positions);
            assert!(normal.x * turn > 0.0, "no face is folded over");
            let corners: Vec<Vec3> = face.corners().iter().map(|&v| mesh.positions[v as usize]).collect();
            for k in 0..4 {
                let ways = [corners[(k + 1) % 4] - corners[k], corners[(k + 3) % 4] - corners[k]];
                let angle = ways[0].angle_between(ways[1]).to_degrees();
                assert!((20.0..160.0).contains(&angle), "{angle} at {}", corners[k]);
            }
        }
    }
    // Seams at both sides: 30 edges; shoulders: 7 from either end of the last row of 48. The panels agree on them to the file's digits.
    let columns = 31;
    for vertices in [
        (0..=30).map(|i| i * columns).collect::<Vec<_>>(),
        (0..=30).map(|i| i * columns + 30).collect(),
        (0..=7).map(|j| 47 * columns + j).collect(),
        (23..=30).map(|j| 47 * columns + j).collect(),
    ] {
        let [of_front, of_back] = [&front, &back].map(|mesh| lengths(mesh, vertices.iter().copied()));
        assert!(of_front.iter().zip(&of_back).all(|(a, b)| (a - b).abs() < 2e-5), "{of_front:?} {of_back:?}");
    }
}
