//! Every phase against brute force, and one order of pairs for every number of threads.

use super::{Aabb, BroadPhaseScratch};
use crate::contact_law::BroadPhase;
use crate::math::Vec3;
use crate::par;
use proptest::prelude::*;

const INF: f32 = f32::INFINITY;

fn around(center: [f32; 3], half: [f32; 3]) -> Aabb {
    Aabb {
        low: std::array::from_fn(|k| center[k] - half[k]),
        high: std::array::from_fn(|k| center[k] + half[k]),
    }
}

/// A vector with coordinates of at most `size`.
fn vector(size: f32) -> impl Strategy<Value = [f32; 3]> + Clone {
    prop::array::uniform3(-size..=size)
}

/// Sides of at most `size`.
fn sides(size: f32) -> impl Strategy<Value = [f32; 3]> + Clone {
    prop::array::uniform3(0.0..=size)
}

/// On a coarse grid, so that boxes coincide and touch.
fn grid_box() -> impl Strategy<Value = Aabb> + Clone {
    let corner = || prop::array::uniform3((0..6).prop_map(|k: i32| k as f32));
    (corner(), corner()).prop_map(|(a, b)| Aabb { low: a, high: a }.union(&Aabb { low: b, high: b }))
}

/// What a careless caller may bring.
fn strange_box() -> impl Strategy<Value = Aabb> + Clone {
    prop_oneof![
        Just(Aabb::EMPTY),
        Just(Aabb::EVERYTHING),
        Just(around([0.0; 3], [0.0; 3])),
        Just(Aabb { low: [INF; 3], high: [INF; 3] }),
        Just(Aabb { low: [INF; 3], high: [-INF; 3] }),
        Just(Aabb { low: [-INF, 0.0, 0.0], high: [0.0, 0.0, INF] }),
        Just(Aabb { low: [f32::MIN; 3], high: [f32::MAX; 3] }),
        Just(Aabb { low: [0.0, f32::NAN, 0.0], high: [1.0; 3] }),
        (vector(1e30), sides(1.0)).prop_map(|(c, h)| around(c, h)),
        (vector(1e5), sides(0.1)).prop_map(|(c, h)| around(c, h)),
        (vector(1.0), vector(0.3)).prop_map(|(low, high)| Aabb { low, high }),
        vector(1e-40).prop_map(|low| around(low, [0.0; 3])),
    ]
}

/// Lists of all kinds, with boxes that touch one another often.
fn boxes() -> impl Strategy<Value = Vec<Aabb>> {
    let small = || (vector(1.0), sides(0.1)).prop_map(|(c, h)| around(c, h));
    let huge = || (vector(1.0), sides(2.0)).prop_map(|(c, h)| around(c, h));
    let point = || vector(0.001).prop_map(|c| around(c.map(|x| (x * 2000.0).round()), [0.0; 3]));
    let flat =
        || ((vector(1.0)), sides(0.1)).prop_map(|([x, y, _], [a, b, _])| around([x, y, 0.5], [a, b, 0.0]));
    let cluster =
        || (0..4i32, vector(0.1)).prop_map(|(k, c)| around(c.map(|x| x + 1000.0 * k as f32), [0.02; 3]));
    let any_size =
        || (vector(1.0), -12..2i32, sides(1.0)).prop_map(|(c, e, h)| around(c, h.map(|h| h * 2f32.powi(e))));
    let count = 0..200usize;
    prop_oneof![
        prop::collection::vec(small(), count.clone()),
        prop::collection::vec(point(), count.clone()),
        prop::collection::vec(flat(), count.clone()),
        prop::collection::vec(cluster(), count.clone()),
        prop::collection::vec(any_size(), count.clone()),
        prop::collection::vec(grid_box(), count.clone()),
        prop::collection::vec(prop_oneof![20 => small(), 1 => huge()], count.clone()),
        prop::collection::vec(prop_oneof![20 => small(), 1 => strange_box()], count.clone()),
        prop::collection::vec(prop_oneof![1 => small(), 1 => strange_box(), 1 => point()], count.clone()),
        (small(), count).prop_map(|(one, count)| vec![one; count]),
    ]
}

/// Some pairs are not wanted.
fn keep(a: u32, b: u32) -> bool {
    !(a + 3 * b).is_multiple_of(7)
}

fn between(
    phase: BroadPhase,
    scratch: &mut BroadPhaseScratch,
    first: &[Aabb],
    second: &[Aabb],
) -> Vec<[u32; 2]> {
    let mut pairs = vec![[7, 7]];
    let only_overlapping = |a: u32, b: u32| {
        assert!(first[a as usize].overlaps(&second[b as usize]), "{phase:?} tests {a}, {b}");
        keep(a, b)
    };
    phase.between(scratch, first, second, only_overlapping, &mut pairs);
    assert_eq!(pairs.remove(0), [7, 7], "what was there stays");
    pairs
}

fn within(phase: BroadPhase, scratch: &mut BroadPhaseScratch, boxes: &[Aabb]) -> Vec<[u32; 2]> {
    let mut pairs = vec![[7, 7]];
    let only_overlapping = |a: u32, b: u32| {
        assert!(boxes[a as usize].overlaps(&boxes[b as usize]) && a < b, "{phase:?} tests {a}, {b}");
        keep(a, b)
    };
    phase.within(scratch, boxes, only_overlapping, &mut pairs);
    assert_eq!(pairs.remove(0), [7, 7], "what was there stays");
    pairs
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs
}

/// Checks every phase against brute force, twice with the same scratch, in between with other boxes.
fn check(first: &[Aabb], second: &[Aabb]) {
    let scratch = &mut BroadPhaseScratch::default();
    let all_between = between(BroadPhase::BruteForce, scratch, first, second);
    let all_within = within(BroadPhase::BruteForce, scratch, first);
    for phase in BroadPhase::ALL {
        let found = between(phase, scratch, first, second);
        assert_eq!(sorted(found.clone()), all_between, "{phase:?} between");
        let found_within = within(phase, scratch, first);
        assert_eq!(sorted(found_within.clone()), all_within, "{phase:?} within");
        assert_eq!(between(phase, scratch, first, second), found, "{phase:?} between, again");
        assert_eq!(within(phase, scratch, first), found_within, "{phase:?} within, again");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn every_phase_finds_the_pairs_of_brute_force(first in boxes(), second in boxes()) {
        check(&first, &second);
    }

    #[test]
    fn a_box_holds_its_points_and_their_margin(
        points in prop::collection::vec(prop::array::uniform3(-1e3..1e3f64), 1..4),
        margin in prop_oneof![Just(0.0), 0.0..1.0f64],
        exponent in -160..160i32,
    ) {
        let (scale, margin) = (10f64.powi(exponent), margin * 10f64.powi(exponent));
        let bounds = Aabb::of_points(points.iter().map(|&p| scale * Vec3::from(p)), margin);
        for k in 0..3 {
            for point in &points {
                prop_assert!(f64::from(bounds.low[k]) <= scale * point[k] - margin);
                prop_assert!(f64::from(bounds.high[k]) >= scale * point[k] + margin);
            }
        }
        if (-30..30).contains(&exponent) {
            let exact = points.iter().map(|p| p[0]).fold(f64::INFINITY, f64::min) * scale - margin;
            prop_assert!(f64::from(bounds.low[0]) >= exact - 3e-7 * exact.abs(), "not much larger");
        }
    }
}

/// A zigzag of strips: `cells` squares a side of 1, folded into `layers`.
fn folded(cells: usize, layers: usize) -> Vec<Vec3> {
    let width = 1.0 / layers as f64;
    let edge = 1.0 / cells as f64;
    let point = |i: usize, j: usize| {
        let x = i as f64 * edge;
        let layer = (x / width).floor();
        let along = x - layer * width;
        Vec3::new(if layer % 2.0 == 0.0 { along } else { width - along }, j as f64 * edge, 0.1 * edge * layer)
    };
    (0..=cells).flat_map(|i| (0..=cells).map(move |j| point(i, j))).collect()
}

#[test]
fn the_order_of_pairs_does_not_depend_on_the_threads() {
    let points = folded(64, 8);
    let mut first: Vec<Aabb> = points.iter().map(|&p| Aabb::of_points([p], 0.002)).collect();
    let second: Vec<Aabb> = points.windows(3).map(|p| Aabb::of_points(p.iter().copied(), 0.002)).collect();
    first[77] = Aabb::EVERYTHING;
    for phase in BroadPhase::ALL {
        let run = |threads| {
            par::with_threads(threads, || {
                let scratch = &mut BroadPhaseScratch::default();
                (between(phase, scratch, &first, &second), within(phase, scratch, &second))
            })
        };
        let one = run(1);
        assert!(one.0.len() > 10_000 && one.1.len() > 10_000);
        for threads in [2, 3, 8] {
            assert!(run(threads) == one, "{phase:?} on {threads} threads");
        }
    }
}

#[test]
fn a_folded_sheet_over_a_floor() {
    let points = folded(24, 6);
    let boxes: Vec<Aabb> = points.windows(2).map(|p| Aabb::of_points(p.iter().copied(), 0.01)).collect();
    let floor =
        |k: u32| Aabb::of_points([Vec3::new(-50.0, -50.0, 0.0), Vec3::new(50.0, 50.0, 0.0)], 0.01 * k as f64);
    let mixed: Vec<Aabb> = boxes.iter().copied().chain((0..12).map(floor)).collect();
    check(&boxes, &mixed);
    check(&mixed, &boxes);
}

#[test]
fn thousands_of_boxes_at_one_place() {
    let one = around([3.0; 3], [0.5; 3]);
    let mut boxes = vec![one; 1500];
    boxes.push(around([1e20; 3], [1.0; 3]));
    for phase in BroadPhase::ALL {
        let scratch = &mut BroadPhaseScratch::default();
        let mut pairs = Vec::new();
        phase.within(scratch, &boxes, |_, _| true, &mut pairs);
        assert_eq!(pairs.len(), 1500 * 1499 / 2, "{phase:?}");
    }
}

#[test]
fn outliers_cost_little() {
    // Few enough tests that a debug build is done at once: a search that falls back to all pairs makes 10¹⁰.
    let mut boxes: Vec<Aabb> =
        (0..100_000).map(|k| around([(k % 317) as f32, (k / 317) as f32, 0.0], [0.4; 3])).collect();
    boxes[5] = around([1e25; 3], [1.0; 3]);
    boxes[6] = around([-INF; 3], [0.0; 3]);
    boxes[7] = around([1e4, -1e6, 3.0], [100.0; 3]);
    boxes[8] = Aabb { low: [100.1, -INF, 0.0], high: [100.2, INF, 0.0] };
    for phase in [BroadPhase::SpatialHash, BroadPhase::Tree, BroadPhase::SortedBlocks] {
        let mut pairs = Vec::new();
        phase.within(&mut BroadPhaseScratch::default(), &boxes, |_, _| true, &mut pairs);
        assert_eq!(pairs.len(), 316, "{phase:?}: the column of the long box");
        assert!(pairs.iter().all(|&[a, b]| a == 8 || b == 8));
    }
}

#[test]
fn boxes_that_only_touch_overlap() {
    let (a, b) = (around([0.0; 3], [1.0; 3]), around([2.0; 3], [1.0; 3]));
    assert!(a.overlaps(&b) && b.overlaps(&a));
    let corner = Aabb { low: [1.0; 3], high: [1.0; 3] };
    assert!(corner.overlaps(&a) && corner.overlaps(&b) && corner.overlaps(&corner));
    assert!(!Aabb { low: [1.0f32.next_up(), 0.0, 0.0], ..b }.overlaps(&a));
}

#[test]
fn the_empty_box_overlaps_nothing_and_adds_nothing() {
    let one = around([1.0; 3], [2.0; 3]);
    for other in [Aabb::EMPTY, Aabb::EVERYTHING, one] {
        assert!(!Aabb::EMPTY.overlaps(&other) && !other.overlaps(&Aabb::EMPTY));
    }
    assert_eq!(one.union(&Aabb::EMPTY), one);
    assert_eq!(Aabb::EMPTY.union(&one), one);
    assert!(!Aabb::of_points([], 1.0).overlaps(&Aabb::EVERYTHING));
}

#[test]
fn points_that_are_not_finite_make_a_box_that_overlaps_everything() {
    let far = Aabb::of_points([Vec3::splat(1e300)], 0.0);
    assert_eq!(far, Aabb { low: [f32::MAX; 3], high: [INF; 3] });
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for points in [[Vec3::new(0.0, bad, 0.0), Vec3::ONE], [Vec3::ONE, Vec3::new(0.0, 0.0, bad)]] {
            let bounds = Aabb::of_points(points, 0.0);
            assert_eq!(bounds, Aabb::EVERYTHING);
            assert!(bounds.overlaps(&far) && bounds.overlaps(&around([3.0; 3], [0.0; 3])));
        }
        assert_eq!(Aabb::of_points([Vec3::ZERO], bad), Aabb::EVERYTHING);
    }
}
