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
    let kept = [include_str!("../../../../scenes/artery.obj"), include_str!("../../../../scenes/dagger.stl")];
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
