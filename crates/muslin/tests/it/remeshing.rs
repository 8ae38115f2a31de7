//! Vertices that come while a world runs, and particles that become one: the cloth is the same.

use crate::support::noise;
use muslin::builder::{WindCoefficient, WindDescription};
use muslin::elements::SpringLaw;
use muslin::hash::state_hash;
use muslin::material::{Bending, BendingLaw, Link, MembraneLaw, MembraneMaterial};
use muslin::math::Mat3;
use muslin::mesh::half_edge::HalfEdgeMesh;
use muslin::model::EditError;
use muslin::prelude::*;
use muslin::profile::uniform;

/// Fabrics of every in-plane law, by name: their energy under a uniform deformation is that of the whole.
pub fn fabrics() -> Vec<(String, Fabric)> {
    let link = |stiffness, law| Link { stiffness, law, damping: 0.1, ..Link::default() };
    let laws =
        [SpringLaw::TwoSided, SpringLaw::TensionOnly, SpringLaw::CompressionOnly, SpringLaw::DeadZone(0.05)];
    let mut all: Vec<(String, Fabric)> = laws
        .into_iter()
        .map(|law| {
            let fabric = Fabric {
                structural: link(500.0, law),
                shear: link(80.0, law),
                flexion: Link::default(),
                ..Fabric::default()
            };
            (format!("springs, {law:?}"), fabric)
        })
        .collect();
    let membrane =
        |law| Some(MembraneMaterial { warp: 300.0, poisson: 0.0, law, ..MembraneMaterial::default() });
    let bending = Some(Bending { rigidity: 1e-3, law: BendingLaw::Angle, ..Bending::default() });
    for law in [MembraneLaw::StVenantKirchhoff, MembraneLaw::Wrinkling, MembraneLaw::Corotated] {
        all.push((
            format!("membranes, {law:?}"),
            Fabric { membrane: membrane(law), bending, ..Fabric::default() },
        ));
    }
    all
}

pub fn sheet_world(fabric: &Fabric, cells: [usize; 2], contact: ContactLaw) -> World {
    let mut builder = Builder::default();
    let sheet = Sheet {
        size: [0.1 * cells[0] as Real, 0.1 * cells[1] as Real],
        resolution: Resolution::Cells(cells),
        axes: [Vec3::X, Vec3::Y],
        fabric: fabric.clone(),
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let around = Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() };
    let (model, state) = builder.finish(&around).unwrap();
    World::new(model, state, &SolverConfig::named("velocity-verlet").unwrap(), 1e-4)
}

/// Divides edges and faces at random.
fn divide_at_random(world: &mut World, seed: u64, count: u64) {
    for k in 0..count {
        let pick = |salt: u64| uniform(seed, 10 * k + salt);
        let number = (pick(0) * world.model.faces.len() as Real) as u32;
        let face = world.model.faces[number as usize];
        let of = |list: usize, salt: u64| ((pick(salt) * list as Real) as usize).min(list - 1);
        if pick(1) < 0.5 {
            let sides: Vec<[u32; 2]> = face.sides().collect();
            world.divide_edge(sides[of(sides.len(), 2)], 0.2 + 0.6 * pick(3)).unwrap();
        } else {
            let triangles: Vec<[u32; 3]> = face.triangles().collect();
            let [a, b] = [0.2 + 0.2 * pick(4), 0.2 + 0.2 * pick(5)];
            world.divide_face(number, triangles[of(triangles.len(), 6)], [a, b, 1.0 - a - b]).unwrap();
        }
    }
}

/// A divided sheet has the energy of the whole at every uniform deformation, and at the particles that were there its forces at
/// the border; what is new is in equilibrium.
#[test]
fn a_divided_sheet_resists_as_the_whole() {
    for (name, fabric) in fabrics() {
        for seed in 0..4 {
            let whole = sheet_world(&fabric, [4, 3], ContactLaw::default());
            let mut divided = whole.clone();
            divide_at_random(&mut divided, seed, 12);
            let m = Mat3::from_cols(
                Vec3::X * 1.1 + noise(seed, 1) * 0.2,
                Vec3::Y * 0.95 + noise(seed, 2) * 0.2,
                Vec3::Z,
            );
            let deformed =
                |world: &World| -> Vec<Vec3> { world.state.positions.iter().map(|x| m * *x).collect() };
            let (x, y) = (deformed(&whole), deformed(&divided));
            let energies = [(&whole, &x), (&divided, &y)].map(|(world, x)| world.model.elements.energy(x));
            // Rounding of some hundred terms. Struts carry nothing where all is stretched.
            let error = (energies[1] - energies[0]).abs();
            assert!(error <= 1e-12 * energies[0], "{name}, seed {seed}: {energies:?} J");
            assert!(energies[0] > 0.0 || name.contains("Compression"), "{name}, seed {seed}");
            let forces = |world: &World, x: &[Vec3]| {
                let mut forces = vec![Vec3::ZERO; x.len()];
                world.model.elements.add_forces(x, &vec![Vec3::ZERO; x.len()], &mut forces);
                forces
            };
            let f = forces(&divided, &y);
            let largest = f.iter().map(|f| f.length()).fold(0.0, Real::max);
            let is_inner = |p: usize| {
                let x = divided.state.positions[p];
                let inside = |x: Real, size: Real| x > 1e-9 && x < size - 1e-9;
                inside(x.x, 0.4) && inside(x.y, 0.3)
            };
            for p in (whole.model.len()..divided.model.len()).filter(|&p| is_inner(p)) {
                assert!(
                    f[p].length() <= 1e-11 * largest,
                    "{name}, new particle {p}: {} N of {largest}",
                    f[p]
                );
            }
        }
    }
}

pub fn momenta(world: &World) -> [Vec3; 2] {
    let mut sums = [Vec3::ZERO; 2];
    for p in 0..world.model.len() {
        let momentum = world.state.velocities[p] * world.model.masses[p];
        sums[0] += momentum;
        sums[1] += world.state.positions[p].cross(momentum);
    }
    sums
}

fn centre(world: &World) -> Vec3 {
    let weighted = world.model.masses.iter().zip(&world.state.positions).map(|(m, x)| *x * *m);
    weighted.sum::<Vec3>() / world.model.masses.iter().sum::<Real>()
}

/// In crumpled cloth that flies and turns: what comes and what is joined keeps mass, centre of mass, momentum and angular momentum.
#[test]
fn edits_keep_mass_and_momenta() {
    for (name, fabric) in fabrics() {
        let mut world = sheet_world(&fabric, [5, 4], ContactLaw::default());
        for p in 0..world.model.len() {
            world.state.positions[p] += noise(1, p) * 0.03;
            world.state.velocities[p] =
                noise(2, p) + Vec3::new(3.0, 1.0, 0.0).cross(world.state.positions[p]);
        }
        let check = |world: &World, before: ([Vec3; 2], Real, Vec3), what: &str| {
            let mass = world.model.masses.iter().sum::<Real>();
            assert!((mass / before.1 - 1.0).abs() < 1e-12, "{name}, {what}: {mass} kg");
            for (now, was) in momenta(world).into_iter().zip(before.0) {
                assert!(now.distance(was) < 1e-12 * was.length(), "{name}, {what}: {now} was {was}");
            }
            assert!(centre(world).distance(before.2) < 1e-13, "{name}, {what}");
        };
        let now = |world: &World| (momenta(world), world.model.masses.iter().sum::<Real>(), centre(world));
        let before = now(&world);
        divide_at_random(&mut world, 7, 20);
        check(&world, before, "divided");
        let count = world.model.len();
        world.cut(&[10, 11, 12]).unwrap();
        check(&world, before, "cut");
        // Mended after its lips have gone apart, each its own way.
        for p in count..world.model.len() {
            world.state.positions[p] += noise(3, p) * 0.01;
            world.state.velocities[p] += noise(4, p);
        }
        let before = now(&world);
        let pairs: Vec<[u32; 2]> = (count..world.model.len())
            .map(|twin| {
                let rest = world.model.rest_positions[twin];
                let origin = (0..count).find(|&p| world.model.rest_positions[p] == rest).unwrap();
                [origin as u32, twin as u32]
            })
            .collect();
        assert!(!pairs.is_empty());
        world.join(&pairs).unwrap();
        assert_eq!(world.model.len(), count);
        check(&world, before, "mended");
    }
}

/// A cut that is mended leaves the cloth as it was, to the bit of its elements.
#[test]
fn a_mended_cut_leaves_no_trace() {
    for (name, fabric) in fabrics() {
        let mut world = sheet_world(&fabric, [4, 4], ContactLaw::default());
        let x: Vec<Vec3> = (0..25).map(|p| world.state.positions[p] + noise(5, p) * 0.02).collect();
        world.state.positions.clone_from(&x);
        let energy = world.model.elements.energy(&x);
        world.cut(&[10, 11, 12, 13, 14]).unwrap();
        let pairs: Vec<[u32; 2]> = (0..5).map(|k| [10 + k, 25 + k]).collect();
        world.join(&pairs).unwrap();
        assert_eq!((world.model.len(), world.model.cloths[0].lips.len()), (25, 0), "{name}");
        let mended = world.model.elements.energy(&x);
        assert!((mended / energy - 1.0).abs() < 1e-13, "{name}: {mended} J, not {energy}");
        assert!(world.state.positions.iter().zip(&x).all(|(now, was)| now.distance(*was) < 1e-15), "{name}");
    }
}

/// Wind, drag, pins, ties: shared out, none lost.
#[test]
fn what_goes_with_mass_is_shared() {
    let mut builder = Builder::default();
    let motion = Motion::Oscillate { amplitude: Vec3::Z * 0.1, frequency: 1.0 };
    let sheet = Sheet {
        resolution: Resolution::Cells([4, 4]),
        pins: vec![Pin { motion, ..Pin::at(Place::Side(Side::IMin)) }],
        attach: vec![muslin::builder::Attach {
            at: Place::Side(Side::IMax),
            stiffness: 8.0,
            damping: 0.5,
            motion: Motion::Still,
        }],
        ..Sheet::default()
    };
    builder.add_sheet(&sheet).unwrap();
    let wind = WindDescription {
        velocity: Vec3::X,
        coefficient: WindCoefficient::Area(0.3),
        profile: muslin::profile::Profile::default(),
    };
    let (model, state) =
        builder.finish(&Surroundings { wind: Some(wind), ..Surroundings::default() }).unwrap();
    let mut world = World::new(model, state, &SolverConfig::default(), 1e-3);
    let amounts = |world: &World| {
        let ties = &world.model.elements.attachments;
        [
            world.model.masses.iter().sum::<Real>(),
            world.model.forces.wind.as_ref().unwrap().coefficients.iter().sum(),
            ties.iter().map(|tie| tie.stiffness).sum(),
            ties.iter().map(|tie| tie.damping).sum(),
        ]
    };
    let before = amounts(&world);
    let (on_pin, _) = world.divide_edge([0, 1], 0.5).unwrap();
    let (tied, _) = world.divide_edge([20, 21], 0.25).unwrap();
    let (free, _) = world.divide_edge([0, 5], 0.5).unwrap();
    for (now, was) in amounts(&world).into_iter().zip(before) {
        assert!((now / was - 1.0).abs() < 1e-12, "{now} was {was}");
    }
    assert!(world.model.is_held(on_pin as usize) && !world.model.is_held(free as usize));
    assert!(world.model.elements.attachments.iter().any(|tie| tie.particle == tied));
    for _ in 0..250 {
        world.step().unwrap();
    }
    let [a, m, b] = [0, on_pin as usize, 1].map(|p| world.state.positions[p]);
    assert!(m.distance(0.5 * (a + b)) < 1e-12 && a.z > 0.05, "the new pin goes with the others: {m}");
}

/// V − E + F of the faces, by an import that repairs nothing.
pub fn euler_characteristic(world: &World) -> i64 {
    let (mesh, repair) = HalfEdgeMesh::import(&world.model.faces, &world.model.rest_positions).unwrap();
    assert!(repair.is_empty(), "{repair:?}");
    mesh.counts().euler_characteristic()
}

#[test]
fn bad_edits_are_refused_and_change_nothing() {
    let mut world = sheet_world(&Fabric::default(), [4, 4], ContactLaw::default());
    let before = world.checkpoint();
    assert_eq!(world.divide_edge([0, 99], 0.5).unwrap_err(), EditError::Missing(99));
    assert_eq!(world.divide_edge([0, 6], 0.5).unwrap_err(), EditError::NoEdge([0, 6]));
    for t in [0.0, 1.0, -1.0, Real::NAN] {
        assert_eq!(world.divide_edge([0, 1], t).unwrap_err(), EditError::Outside);
    }
    assert_eq!(world.divide_face(0, [0, 1, 6], [0.5, 0.5, 0.5]).unwrap_err(), EditError::Outside);
    assert!(matches!(world.divide_face(99, [0, 1, 6], [0.2, 0.2, 0.6]), Err(EditError::OtherFace { .. })));
    assert!(matches!(world.divide_face(0, [0, 1, 12], [0.2, 0.2, 0.6]), Err(EditError::OtherFace { .. })));
    for (pairs, why) in [
        (vec![[0, 0]], "one already"),
        (vec![[0, 1]], "one face"),
        (vec![[0, 20], [20, 4]], "another"),
        (vec![[6, 18]], "only"),
        (vec![[2, 22]], "only"),
        (vec![[0, 4], [1, 9]], "turned over"),
    ] {
        let error = world.join(&pairs).unwrap_err();
        assert!(matches!(error, EditError::NoJoin { .. }), "{pairs:?}: {error} ({why})");
    }
    assert_eq!(world.checkpoint(), before);
}

/// A strip whose ends are joined is a tube, and it rolls on.
#[test]
fn a_strip_becomes_a_tube() {
    for (name, fabric) in fabrics() {
        let mut world = sheet_world(&fabric, [12, 2], ContactLaw::default());
        for x in &mut world.state.positions {
            let angle = x.x / 1.2 * std::f64::consts::TAU;
            let radius = 1.2 / std::f64::consts::TAU;
            *x = Vec3::new(radius * angle.cos(), x.y, radius * angle.sin());
        }
        assert_eq!(euler_characteristic(&world), 2, "{name}");
        let pairs: Vec<[u32; 2]> = (0..3).map(|k| [k, 36 + k]).collect();
        let mass: Real = world.model.masses.iter().sum();
        world.join(&pairs).unwrap();
        assert_eq!(euler_characteristic(&world), 2, "{name}: a sphere with two holes");
        assert_eq!(world.model.len(), 36, "{name}");
        assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-14);
        // Chords of twelve arcs are 1.1 % shorter than these, across the seam, too.
        let stretch =
            world.model.stretches(&world.state.positions).fold(0.0, |most: Real, s| most.max(s.abs()));
        assert!((stretch - 0.0114).abs() < 1e-3, "{name}: {stretch}");
        for _ in 0..10 {
            world.step().unwrap();
        }
    }
}

/// Random edits in cloth that moves under contact: no intersections, a manifold all along, the same bits on one thread and three.
#[test]
fn random_edits_under_contact() {
    for (name, fabric) in fabrics().into_iter().step_by(2) {
        let run = |threads: usize| {
            muslin::threads::with_count(threads, || {
                let contact = ContactLaw::Surface(SurfaceContact::default());
                let mut world = sheet_world(&fabric, [6, 5], contact);
                world.apply(&Command::SetSolver(SolverConfig::named("xpbd").unwrap())).unwrap();
                world.dt = 1.0 / 120.0;
                for p in 0..world.model.len() {
                    world.state.positions[p] += noise(1, p) * 0.02;
                    world.state.velocities[p] = noise(2, p) * 0.5;
                }
                for round in 0..8 {
                    divide_at_random(&mut world, 100 + round, 2);
                    assert_eq!(world.intersections(), [], "{name}, round {round}");
                    world.step().unwrap();
                    let faces = &world.model.faces;
                    let face = faces[(uniform(3, round) * faces.len() as Real) as usize];
                    let corners = face.corners();
                    // Many of these open nothing; what opens stays apart.
                    let _ = world.cut(&[corners[0], corners[1], corners[2]]);
                    world.step().unwrap();
                    assert_eq!(world.intersections(), [], "{name}, round {round}");
                    euler_characteristic(&world);
                }
                state_hash(&world.state)
            })
        };
        assert_eq!(run(1), run(3), "{name}");
    }
}
