//! The judge, judged: constructed intersections of every kind, and near misses.

use super::Judge;
use muslin::math::{Real, Vec3};
use muslin_scene::{Setup, Source};

/// A sheet of 1 m around the origin of x and y, at a height, with more of the scene behind it.
fn scene(height: Real, more: &str) -> Setup {
    let text = format!(
        "contact = {{ surface = {{}} }}\n[[sheet]]\norigin = [-0.5, -0.5, {height}]\nresolution = {{ cells = [4, 4] }}\n{more}"
    );
    Source::text("test.toml", &text).load().unwrap()
}

fn judged_at(setup: &Setup, clock: Real) -> String {
    let clocks = vec![clock; setup.model.colliders.len()];
    let finding = Judge::new(&setup.model).judge(&setup.model, &setup.state, &clocks);
    finding.map_or("clean".to_owned(), |finding| finding.kind)
}

fn judged(height: Real, more: &str) -> String {
    judged_at(&scene(height, more), 0.0)
}

#[test]
fn half_spaces() {
    let plane = "[[collider]]\nplane = { point = [0, 0, 0], normal = [0, 0, 1] }\n";
    assert_eq!(judged(1e-12, plane), "clean");
    assert_eq!(judged(-1e-12, plane), "below plane");
    let thick = format!("{plane}thickness = 0.1\n");
    assert_eq!(judged(0.101, &thick), "clean");
    assert_eq!(judged(0.099, &thick), "below plane");
}

#[test]
fn balls_and_capsules() {
    // Between the particles, which stand 0.25 m apart.
    let ball = "[[collider]]\nsphere = { center = [0.1, 0.1, 0], radius = 0.05 }\n";
    assert_eq!(judged(0.050_001, ball), "clean");
    assert_eq!(judged(0.049_999, ball), "within sphere");
    assert_eq!(judged(0.0, ball), "within sphere");
    let thick = format!("{ball}thickness = 0.1\n");
    assert_eq!(judged(0.150_001, &thick), "clean");
    assert_eq!(judged(0.149_999, &thick), "within sphere");
    let capsule = "[[collider]]\ncapsule = { ends = [[0.1, 0.1, -1], [0.1, 0.1, 0]], radius = 0.05 }\n";
    assert_eq!(judged(0.050_001, capsule), "clean");
    assert_eq!(judged(0.049_999, capsule), "within capsule");
    assert_eq!(judged(-0.5, capsule), "within capsule", "the axis pierces the sheet");
}

#[test]
fn closed_solids() {
    for (kind, shape) in [
        ("cuboid", "cuboid = { center = [0, 0, 0], size = [0.2, 0.2, 0.2] }"),
        ("cylinder", "cylinder = { ends = [[0, 0, -0.1], [0, 0, 0.1]], radius = 0.1 }"),
        ("hull", "hull = { points = [[-0.2, -0.2, -0.1], [0.2, -0.2, -0.1], [0, 0.2, -0.1], [0, 0, 0.1]] }"),
    ] {
        let small = format!("[[collider]]\n{shape}\n");
        assert_eq!(judged(0.100_001, &small), "clean", "{kind}");
        assert_eq!(judged(0.099_999, &small), format!("cloth through {kind}"));
        let body = format!("[[body]]\n{shape}\nmass = 1\n");
        assert_eq!(judged(0.099_999, &body), format!("cloth through body {kind}"));
    }
    let large =
        "[[collider]]\ncuboid = { center = [0, 0, 0], size = [3, 3, 3], rotation = [0.1, 0.2, 0.3] }\n";
    assert_eq!(judged(0.0, large), "inside cuboid", "all of it");
    assert_eq!(judged(2.5, large), "clean");
    let thick = "[[collider]]\ncuboid = { center = [0, 0, 0], size = [0.2, 0.2, 0.2] }\nthickness = 0.05\n";
    assert_eq!(judged(0.1501, thick), "clean");
    assert_eq!(judged(0.1499, thick), "in the layer of cuboid");
}

#[test]
fn a_landscape() {
    let ground = "[[collider]]\nheight-field = { corner = [-1, -1, 0], size = [2, 2], heights = [[0, 0.1], [0.1, 0]] }\n";
    assert_eq!(judged(0.11, ground), "clean");
    assert_eq!(judged(0.04, ground), "cloth through height-field");
}

#[test]
fn cloth_and_threads() {
    let other = |turn: &str| {
        format!(
            "[[sheet]]\norigin = [-0.3, -0.3, 0]\nsize = [0.4, 0.4]\nresolution = {{ cells = [2, 2] }}\naxes = {turn}\n"
        )
    };
    assert_eq!(judged(1e-9, &other("[[1, 0, 0], [0, 1, 0]]")), "clean");
    assert_eq!(judged(0.1, &other("[[1, 0, 0], [0, 0, 1]]")), "cloth through cloth");
    assert_eq!(judged(0.0, &other("[[1, 0, 0], [0, 1, 0]]")), "cloth through cloth", "in one plane");
    let rope = "[[rope]]\nfrom = [0.1, 0.07, -1]\nto = [0.1, 0.07, 1]\nparticles = 4\n";
    assert_eq!(judged(0.1, rope), "thread through cloth");
    assert_eq!(judged(1.1, rope), "clean");
    let block = format!("{rope}[[collider]]\ncuboid = {{ center = [0, 0, 0], size = [0.3, 0.3, 0.3] }}\n");
    assert_eq!(judged(2.0, &block), "thread through cuboid");
}

/// The two triangles of a corner's cell are turned through those of the opposite cell, with which they share the middle only.
#[test]
fn triangles_that_share_a_vertex() {
    let text = "contact = { surface = {} }\n[[sheet]]\nresolution = { cells = [2, 2] }\n";
    let mut setup = Source::text("test.toml", text).load().unwrap();
    assert_eq!(judged_at(&setup, 0.0), "clean");
    for x in &mut setup.state.positions {
        // Everything but the cell beyond the middle, folded over and tilted across it.
        if x.x < 0.45 || x.y < 0.45 {
            let arm = *x - Vec3::new(0.5, 0.5, 0.0);
            *x = Vec3::new(0.5 - 0.3 * arm.x, 0.5 - 0.3 * arm.y, 0.4 * (arm.x - arm.y));
        }
    }
    assert!(judged_at(&setup, 0.0).starts_with("cloth through cloth"));
}

/// The pose is that of the solid's own clock.
#[test]
fn solids_that_lag() {
    let ball = "[[collider]]\nsphere = { center = [0, 0, -1], radius = 0.2 }\nmotion = { translate = { velocity = [0, 0, 1], from = 0, until = 9 } }\n";
    let setup = scene(0.0, ball);
    assert_eq!(judged_at(&setup, 0.0), "clean");
    assert_eq!(judged_at(&setup, 0.799), "clean");
    assert_eq!(judged_at(&setup, 0.801), "within sphere");
}

/// Clean before, clean after, but on the other side.
#[test]
fn ways_between_two_moments() {
    let swept = |more: &str, from: Real, to: Real| {
        let before = scene(from, more);
        let mut after = before.state.clone();
        after.positions[..25].iter_mut().for_each(|x| x.z += to - from);
        let clocks = vec![0.0; before.model.colliders.len()];
        let judge = Judge::new(&before.model);
        let states = [&before.state, &after];
        assert!(states.iter().all(|state| judge.judge(&before.model, state, &clocks).is_none()));
        let finding = judge.judge_way(&before.model, states, [&clocks, &clocks]);
        finding.map_or("clean".to_owned(), |finding| finding.kind)
    };
    let sheet = "[[sheet]]\norigin = [-0.3, -0.2, 0]\nsize = [0.4, 0.4]\nresolution = { cells = [2, 2] }\naxes = [[1, 0.1, 0.05], [-0.1, 1, 0]]\n";
    assert_eq!(swept(sheet, 0.5, -0.5), "swept: vertex through triangle of cloth");
    assert_eq!(swept(sheet, 0.5, 0.1), "clean");
    let ball = "[[collider]]\nsphere = { center = [0.1, 0.1, 0], radius = 0.05 }\n";
    assert_eq!(swept(ball, 0.5, -0.5), "swept through sphere");
    assert_eq!(swept(ball, 0.5, 0.0501), "clean");
    let block = "[[collider]]\ncuboid = { center = [0.1, 0.1, 0], size = [0.05, 0.05, 0.05], rotation = [0.3, 0.2, 0.1] }\n";
    assert_eq!(swept(block, 0.5, -0.5), "swept: vertex through triangle of solid");
    assert_eq!(swept(block, 0.5, 0.1), "clean");
}
