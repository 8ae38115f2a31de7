//! Cloth from meshes that are no manifolds: it is repaired, and moves as any cloth does.

use crate::slices::pieces;
use muslin::material::{Bending, MembraneMaterial};
use muslin::mesh::Face;
use muslin::prelude::*;
use muslin::stability::largest_stable_step;

/// Cells along and across a flap, and their size [m].
const CELLS: usize = 4;
const CELL: Real = 0.05;

/// Three flaps around one line along y: two in a plane, one that stands on it. One face is turned over, one is doubled and one has
/// no area.
fn junction() -> Mesh {
    let along = CELLS + 1;
    let mut positions: Vec<Vec3> = (0..along).map(|j| Vec3::Y * (CELL * j as Real)).collect();
    let mut faces = Vec::new();
    for way in [-Vec3::X, Vec3::X, Vec3::Z] {
        let first = positions.len();
        for i in 1..=CELLS {
            positions.extend((0..along).map(|j| way * (CELL * i as Real) + Vec3::Y * (CELL * j as Real)));
        }
        let at = |i: usize, j: usize| if i == 0 { j as u32 } else { (first + (i - 1) * along + j) as u32 };
        for (i, j) in (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j))) {
            let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // Normals along −z in the first flap, +z in the second: one of them is turned over as a whole.
            faces.push(Face::quad(corners[0], corners[1], corners[2], corners[3]));
        }
    }
    faces[20] = faces[20].turned();
    faces.push(Face::quad(6, 5, 0, 1));
    faces.push(Face::triangle(0, 1, 2));
    Mesh { positions, faces }
}

fn area() -> Real {
    3.0 * (CELLS * CELLS) as Real * CELL * CELL
}

fn fabrics() -> [(&'static str, Fabric); 2] {
    let membrane = Some(MembraneMaterial { warp: 300.0, damping: 1e-3, ..MembraneMaterial::default() });
    let bending = Some(Bending { rigidity: 1e-4, ..Bending::default() });
    [("springs", Fabric::default()), ("membranes", Fabric { membrane, bending, ..Fabric::default() })]
}

/// Held along the end of one flap.
fn world(fabric: &Fabric, contact: ContactLaw, solver: &str) -> World {
    let surface = Surface {
        fabric: fabric.clone(),
        pins: vec![Pin::at(Place::Particles((20..25).collect()))],
        ..Surface::default()
    };
    let mut builder = Builder::default();
    builder.add_surface(&Surface { mesh: junction(), ..surface }).unwrap();
    let (model, state) = builder.finish(&Surroundings { contact, ..Surroundings::default() }).unwrap();
    let config = SolverConfig::named(solver).unwrap();
    let stable = largest_stable_step(&model, &state.positions, &config).unwrap_or(Real::INFINITY);
    World::new(model, state, &config, (0.4 * stable).min(1.0 / 240.0))
}

#[test]
fn a_junction_is_repaired_and_weighs_what_it_must() {
    let (mesh, repair) = junction().repaired().unwrap();
    assert_eq!((repair.branching.len(), repair.doubled.len(), repair.degenerate.len()), (CELLS, 1, 1));
    assert!(!repair.turned.is_empty());
    assert_eq!(mesh.faces.len(), 3 * CELLS * CELLS);
    for (name, fabric) in fabrics() {
        let world = world(&fabric, ContactLaw::default(), "implicit-euler");
        let mass: Real = world.model.masses.iter().sum();
        assert!((mass / (area() * fabric.area_density()) - 1.0).abs() < 1e-12, "{name}: {mass} kg");
        // The three flaps are one piece, though three faces meet at the line.
        assert_eq!(pieces(&world), [3 * CELLS * CELLS], "{name}");
    }
}

const SOLVERS: [&str; 12] = [
    "rk4",
    "velocity-verlet",
    "propagation",
    "rods",
    "implicit-euler",
    "bdf2",
    "newton",
    "pncg",
    "projective",
    "xpbd",
    "pbd",
    "desbrun",
];

/// Every family of methods: a tenth of a second or more, in which the flaps fall, by millimetres where the method damps much, without and with contact of surfaces.
#[test]
fn every_method_moves_a_junction() {
    for (name, fabric) in fabrics() {
        for contact in [ContactLaw::default(), ContactLaw::Surface(SurfaceContact::default())] {
            for solver in SOLVERS {
                let mut world = world(&fabric, contact, solver);
                let case = format!("{solver}, {name}, {contact:?}");
                while world.state.time < 0.1 {
                    world.step().unwrap_or_else(|error| panic!("{case}: {error}"));
                }
                assert!(world.intersections().is_empty(), "{case}");
                let lowest = world.state.positions.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
                assert!((-0.3..-0.002).contains(&lowest), "{case}: at {lowest} m");
            }
        }
    }
}

/// Bending holds the two flaps that lie in a plane; the third one turns freely about the line.
#[test]
fn the_two_faces_nearest_to_a_plane_bend_together() {
    let (_, fabric) = &fabrics()[1];
    let world = world(fabric, ContactLaw::default(), "implicit-euler");
    let hinges = &world.model.elements.hinges;
    let on_line: Vec<_> = hinges.iter().filter(|hinge| hinge.particles[..2].iter().all(|&p| p < 5)).collect();
    assert_eq!(on_line.len(), CELLS);
    assert!(
        on_line.iter().all(|hinge| hinge.particles[2..].iter().all(|&p| p < 45)),
        "not the standing flap"
    );
}

/// A tear across the line, a cut along it, and what is cut off.
#[test]
fn a_junction_is_cut_along_its_line() {
    let (_, fabric) = &fabrics()[1];
    let mut world = world(fabric, ContactLaw::default(), "implicit-euler");
    let mass: Real = world.model.masses.iter().sum();
    world.cut(&[0, 1, 2, 3, 4]).unwrap();
    assert_eq!(pieces(&world), [CELLS * CELLS; 3]);
    assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-12);
    for _ in 0..20 {
        world.step().unwrap();
    }
}
