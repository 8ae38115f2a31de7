//! Seams: borders that are drawn together and become one.

use crate::remeshing::momenta;
use crate::slices::pieces;
use muslin::builder::{SeamDescription, SeamSide};
use muslin::hash::state_hash;
use muslin::model::EditError;
use muslin::prelude::*;
use muslin::seam::SeamError;

/// A flat panel.
fn panel(corner: Vec3, size: [Real; 2], cells: [usize; 2]) -> Sheet {
    Sheet {
        size,
        resolution: Resolution::Cells(cells),
        origin: corner,
        axes: [Vec3::X, Vec3::Y],
        ..Sheet::default()
    }
}

/// Panels beside each other, the first one's last row to be sewn to the second one's first.
fn panels(cells: [usize; 2], width: Real, contact: ContactLaw, solver: &str) -> World {
    let mut builder = Builder::default();
    builder.add_sheet(&panel(Vec3::ZERO, [0.5, 0.5], [5, cells[0]])).unwrap();
    builder.add_sheet(&panel(Vec3::new(0.56, 0.0, 0.02), [0.5, width], [5, cells[1]])).unwrap();
    let side = |body, side| SeamSide { body, at: Place::Side(side) };
    let seam = SeamDescription {
        first: side(0, Side::IMax),
        second: side(1, Side::IMin),
        time: 0.05,
        duration: 0.4,
        strength: None,
    };
    let around = Surroundings { gravity: Vec3::ZERO, contact, seams: vec![seam], ..Surroundings::default() };
    let (model, state) = builder.finish(&around).unwrap();
    World::new(model, state, &SolverConfig::named(solver).unwrap(), 1.0 / 120.0)
}

fn laws() -> [ContactLaw; 2] {
    [ContactLaw::default(), ContactLaw::Surface(SurfaceContact::default())]
}

/// Two panels become one cloth, whose mass and momenta are those of both.
#[test]
fn panels_become_one() {
    for solver in ["xpbd", "pncg", "implicit-euler"] {
        for contact in laws() {
            let mut world = panels([5, 5], 0.5, contact, solver);
            let mass: Real = world.model.masses.iter().sum();
            let mut steps = 0;
            while (steps < 10 || world.model.may_change_topology()) && steps < 240 {
                world.step().unwrap();
                let is_kept_apart = matches!(contact, ContactLaw::Surface(_));
                assert!(!is_kept_apart || world.intersections().is_empty(), "{solver}, step {steps}");
                steps += 1;
            }
            let case = format!("{solver} under {contact:?} after {steps} steps");
            assert_eq!(pieces(&world), [50], "{case}: {:?}", world.model.closing);
            assert_eq!(world.model.len(), 2 * 36 - 6, "{case}");
            assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-13, "{case}");
            // Seams draw both sides alike: at rest before and after, to what the methods keep in single precision.
            let speed = momenta(&world)[0].length() / mass;
            assert!(speed < 1e-4, "{case}: the whole moves at {speed} m/s");
        }
    }
}

/// Panels of other resolutions and widths: partners are put in, the wider one is gathered, and all of it is sewn.
#[test]
fn unequal_borders_are_gathered() {
    for cells in [[5, 8], [4, 9], [6, 6]] {
        for contact in laws() {
            let mut world = panels(cells, 0.65, contact, "xpbd");
            let seam = world.model.seams[0].clone();
            let mut by_hand = world.clone();
            let sewn = by_hand.sew(&seam).unwrap();
            assert!((sewn.gather - 0.5 / 0.65).abs() < 1e-12, "{}", sewn.gather);
            assert!(sewn.pairs > cells[0].max(cells[1]), "{cells:?}: {} pairs", sewn.pairs);
            let mass: Real = world.model.masses.iter().sum();
            for step in 0..240 {
                world.step().unwrap();
                let is_kept_apart = matches!(contact, ContactLaw::Surface(_));
                assert!(!is_kept_apart || world.intersections().is_empty(), "{cells:?}, step {step}");
            }
            assert_eq!(pieces(&world).len(), 1, "{cells:?} under {contact:?}: {:?}", world.model.closing);
            let left: Vec<[u32; 2]> =
                world.model.closing.iter().flat_map(|seam| seam.pairs.clone()).collect();
            let gaps = left.iter().map(|pair| {
                let [a, b] = pair.map(|p| world.state.positions[p as usize]);
                a.distance(b)
            });
            let gaps: Vec<Real> = gaps.collect();
            let why = world.clone().join(&left).map(drop);
            assert!(left.is_empty(), "{cells:?} under {contact:?}: {left:?} are {gaps:?} m apart: {why:?}");
            assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-12, "{cells:?}");
        }
    }
}

/// What was sewn holds: the lower panel hangs from the upper one.
#[test]
fn a_seam_holds() {
    let mut world = panels([5, 5], 0.5, ContactLaw::default(), "pncg");
    for _ in 0..120 {
        world.step().unwrap();
    }
    world.apply(&Command::Pin((0..6).collect())).unwrap();
    world.apply(&Command::SetGravity(Vec3::X * 9.81)).unwrap();
    for _ in 0..240 {
        world.step().unwrap();
    }
    let far = world.state.positions.iter().map(|x| x.x).fold(0.0, Real::max);
    // Two panels of half a metre: 1 m, and a little stretch.
    assert!((0.97..1.1).contains(&far), "hangs {far} m down");
}

/// In the middle of a seam: from a checkpoint, and on any number of threads, to the same bits; commands are replayed.
#[test]
fn seams_resume_and_replay() {
    let contact = laws()[1];
    let run = |threads: usize, resume_at: usize| {
        muslin::threads::with_count(threads, || {
            let mut world = panels([5, 8], 0.65, contact, "pncg");
            for step in 0..80 {
                if step == resume_at {
                    world = World::restore(&world.checkpoint()).unwrap();
                }
                world.step().unwrap();
            }
            state_hash(&world.state)
        })
    };
    let whole = run(1, 999);
    assert_eq!(whole, run(3, 999));
    for step in [3, 20, 52, 60] {
        assert_eq!(whole, run(1, step), "resumed at {step}");
    }
}

#[test]
fn what_cannot_be_sewn_is_refused() {
    let mut world = panels([5, 5], 0.5, ContactLaw::default(), "xpbd");
    let before = world.checkpoint();
    let seam = |first: &[u32], second: &[u32]| Seam {
        first: first.to_vec(),
        second: second.to_vec(),
        ..Seam::default()
    };
    let mut refused = |first: &[u32], second: &[u32]| world.sew(&seam(first, second)).unwrap_err();
    assert_eq!(refused(&[30, 31], &[36, 999]), EditError::Missing(999));
    assert_eq!(refused(&[30, 32], &[36, 37]), EditError::NoEdge([30, 32]));
    assert_eq!(refused(&[7, 8], &[36, 37]), EditError::Seam(SeamError::NotOnBorder(7)));
    assert_eq!(refused(&[30], &[36, 37]), EditError::Seam(SeamError::Empty));
    assert!(matches!(refused(&[30, 31, 32], &[30, 31, 32]), EditError::Seam(SeamError::Shared(_))));
    assert_eq!(world.checkpoint(), before);

    let message = |first: Place, second: Place| {
        let mut builder = Builder::default();
        builder.add_sheet(&panel(Vec3::ZERO, [0.5, 0.5], [5, 5])).unwrap();
        let side = |at| SeamSide { body: 0, at };
        let seam = SeamDescription {
            first: side(first),
            second: side(second),
            time: 0.0,
            duration: 1.0,
            strength: None,
        };
        let around = Surroundings { seams: vec![seam], ..Surroundings::default() };
        builder.finish(&around).unwrap_err().to_string()
    };
    let side = |side| Place::Side(side);
    assert!(
        message(side(Side::IMin), side(Side::IMin)).contains("both sides"),
        "{}",
        message(side(Side::IMin), side(Side::IMin))
    );
    let apart = message(Place::Particles(vec![0, 1, 3, 4]), side(Side::IMax));
    assert!(apart.contains("seam[0].first.at") && apart.contains("follow each other"), "{apart}");
    let inside = message(Place::Particles(vec![14, 15]), side(Side::IMax));
    assert!(inside.contains("no edge of a border"), "{inside}");
}

/// A panel whose sides are sewn to each other is a tube.
#[test]
fn a_panel_becomes_a_tube() {
    let mut builder = Builder::default();
    builder.add_sheet(&panel(Vec3::ZERO, [1.2, 0.3], [24, 6])).unwrap();
    let (model, mut state) =
        builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() }).unwrap();
    for x in &mut state.positions {
        // Bent, with its ends some centimetres apart.
        let angle = x.x / 1.2 * 6.0;
        *x = Vec3::new(0.2 * angle.cos(), x.y, 0.2 * angle.sin());
    }
    let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 120.0);
    let seam =
        Seam { first: (0..7).collect(), second: (168..175).collect(), duration: 0.3, ..Seam::default() };
    world.sew(&seam).unwrap();
    for _ in 0..120 {
        world.step().unwrap();
    }
    assert_eq!(world.model.len(), 175 - 7);
    assert_eq!(crate::remeshing::euler_characteristic(&world), 2, "a sphere with two holes");
}
