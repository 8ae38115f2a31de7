//! What all cloth has in common, in scene files: flat keys beside the own ones of each kind.

use muslin::elements::SpringFamily;
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
