//! Whatever a user writes: a scene or an error, never a panic; and built-in scenes are sound.

use muslin_scene::{BUILT_IN, Source};
use proptest::prelude::*;

/// Values that look innocent somewhere and are poison elsewhere.
const VALUES: [&str; 22] = [
    "nan",
    "-inf",
    "inf",
    "0",
    "-1",
    "1e308",
    "-1e-308",
    "1",
    "true",
    "\"\"",
    "\"x\"",
    "[]",
    "[[]]",
    "[0, 0]",
    "[nan, 1.0, 2.0]",
    "{}",
    "{ grid = [[0, 0], [7, 7]] }",
    "{ particles = [0] }",
    "{ cells = [0, 0] }",
    "{ sphere = {} }",
    "1979-05-27",
    "[1, 2, 3]",
];

/// A built-in scene with the value of some lines replaced.
fn poisoned() -> impl Strategy<Value = String> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..VALUES.len()), 1..4);
    (0..BUILT_IN.len(), changes).prop_map(|(scene, changes)| {
        let mut lines: Vec<String> = BUILT_IN[scene].text.lines().map(str::to_owned).collect();
        for (line, value) in changes {
            let line = line.get(&lines).clone();
            let place = lines.iter().position(|other| *other == line).unwrap();
            if let Some((key, _)) = line.split_once('=') {
                lines[place] = format!("{key}= {}", VALUES[value]);
            } else {
                lines.remove(place);
            }
        }
        lines.join("\n")
    })
}

/// A built-in scene cut somewhere.
fn cut() -> impl Strategy<Value = String> {
    (0..BUILT_IN.len(), any::<prop::sample::Index>()).prop_map(|(scene, place)| {
        let characters: Vec<char> = BUILT_IN[scene].text.chars().collect();
        characters[..place.index(characters.len())].iter().collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_scene_text_is_built_or_refused(text in prop_oneof![poisoned(), cut(), ".{0,80}"]) {
        match Source::text("any.toml", &text).load() {
            Ok(setup) => prop_assert!(setup.state.positions.iter().all(|p| p.is_finite())),
            Err(error) => {
                let message = error.to_string();
                prop_assert!(message.starts_with("any.toml"), "{}", message);
                prop_assert!(message.len() > 20, "{}", message);
            }
        }
    }

    #[test]
    fn any_change_is_made_or_refused(key in "[a-z_.0-9\\[\\]]{0,24}", value in 0..VALUES.len()) {
        let mut source = Source::open("two-point-drop").unwrap();
        source.set("--set", &key, VALUES[value]);
        let _ = source.load();
    }
}

#[test]
fn built_in_scenes_are_sound_and_named_like_their_files() {
    for scene in BUILT_IN {
        let setup = Source::open(scene.name).unwrap().load().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(setup.name, scene.name);
        assert!(
            !setup.description.is_empty() && !setup.expect.is_empty() && setup.warnings.is_empty(),
            "{}",
            scene.name
        );
    }
}

#[test]
fn a_ball_that_fits_between_the_particles_is_warned_of() {
    let warnings = |scene: &str| {
        let mut source = Source::open(scene).unwrap();
        assert!(source.load().unwrap().warnings.is_empty());
        source.set("--set", "collider.0.sphere.radius", "0.01");
        source.load().unwrap().warnings
    };
    assert!(warnings("sphere-drape")[0].contains("can pass between"));
    assert_eq!(warnings("drape"), Vec::<String>::new(), "surfaces have no gaps");
}
