//! What all cloth has in common, in scene files: flat keys beside the own ones of each kind.

use muslin::elements::SpringFamily;
use muslin::math::Vec3;
use muslin_scene::{Setup, Source};

const HEAD: &str = "duration = 0.1\ndt = 0.01\n";

/// Head of each kind of cloth and a few own keys.
const KINDS: [(&str, &str); 4] = [
    ("sheet", "resolution = { cells = [4, 4] }\n"),
    ("surface", "file = \"shirt.obj\"\n"),
    ("ball", "subdivisions = 1\n"),
    ("pillow", "rings = 2\n"),
];

fn source(kind: &str, own: &str, text: &str) -> Source {
    Source::text("my.toml", &format!("{HEAD}[[{kind}]]\n{own}{text}\n"))
}

#[test]
fn every_kind_has_the_keys_of_cloth() {
    let keys = "fabric = { base = \"silk\" }\nmass = { each = 0.25 }\ndrag = { each = 0.5 }\n\
                pins = [{ at = { particles = [0] } }]\ntether = { stiffness = 1e3 }\n\
                attach = [{ at = { particles = [1] }, stiffness = 7.0 }]";
    for (kind, own) in KINDS.into_iter().filter(|(kind, _)| *kind != "surface") {
        let Setup { model, .. } = source(kind, own, keys).load().unwrap_or_else(|error| panic!("{error}"));
        assert!(model.masses.iter().all(|&mass| mass == 0.25), "{kind}");
        assert!(model.forces.drag.iter().all(|&drag| drag == 0.5), "{kind}");
        assert!(model.is_held(0) && !model.is_held(1), "{kind}");
        assert_eq!(model.elements.attachments.len(), 1, "{kind}");
        let tethers = model.elements.springs.iter().filter(|spring| spring.family == SpringFamily::Tether);
        assert_eq!(tethers.count(), model.len() - 1, "{kind}: one thread per free particle");
    }
}

#[test]
fn unknown_keys_are_named_with_their_line() {
    for (kind, own) in KINDS {
        let error = source(kind, own, "fabrik = {}").load().unwrap_err();
        assert_eq!(error.line, Some(5), "{kind}: {error}");
        assert!(error.message.contains("`fabrik`"), "{kind}: {error}");
        assert!(error.message.contains("`fabric`"), "{kind}: {error}");
    }
    let error = source("sheet", "", "pressure = { constant = 1.0 }").load().unwrap_err();
    assert!(error.message.contains("`pressure`"), "no sheet is closed: {error}");
}

/// 003 gives x₀ and v₀ of everything.
#[test]
fn every_body_may_move_at_the_start() {
    let kinds = [
        ("sheet", "resolution = { cells = [4, 4] }\n"),
        ("surface", "file = \"round-cloth.obj\"\nturn_axis = [1, 0, 0]\nturn_degrees = 90.0\n"),
        ("ball", "subdivisions = 1\n"),
        ("pillow", "rings = 2\n"),
        ("rope", ""),
        ("net", "particles = [[0, 0, 0], [0, 0, 1], [0, 1, 0]]\nmass = { each = 1.0 }\n"),
        ("block", "cells = [1, 1, 1]\n"),
        ("solid", "particles = [[2, 0, 0], [3, 0, 0], [2, 1, 0], [2, 0, 1]]\ntets = [[0, 1, 2, 3]]\n"),
    ];
    for (kind, own) in kinds {
        let keys = "velocity = [1, -2, 0.5]\nangular_velocity = [0, 0, 3]";
        let Setup { state, .. } = source(kind, own, keys).load().unwrap_or_else(|error| panic!("{error}"));
        let (velocity, spin) = (Vec3::new(1.0, -2.0, 0.5), Vec3::Z * 3.0);
        let [x, v] = [&state.positions, &state.velocities];
        for k in 1..x.len() {
            // Of some units, rounded.
            let error = v[k] - v[0] - spin.cross(x[k] - x[0]);
            assert!(error.length() < 1e-13 && v[k].z == velocity.z, "{kind}: {error}");
        }
        let error = source(kind, own, "angular_velocity = [0, nan, 3]").load().unwrap_err();
        assert!(error.message.contains(&format!("`{kind}[0].angular_velocity`")), "{error}");
        assert_eq!(error.line, Some(4 + own.lines().count()), "{error}");
    }
}
