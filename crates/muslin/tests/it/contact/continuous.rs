//! Continuous detection against certificates, and on what has no answer.

use super::ccd::certify::{Family, Features, Query, Random, Tally};
use super::ccd::{edge_edge, vertex_triangle};
use muslin::math::{Real, Vec3};

#[test]
fn no_hit_is_missed_and_few_misses_are_hits() {
    for family in Family::ALL {
        let mut random = Random(1);
        let mut tally = Tally::default();
        for _ in 0..4_600 {
            let query = family.query(&mut random);
            let (verdict, answer) = (query.certify(), query.answer());
            tally.count(verdict, answer);
            assert_eq!(tally.false_negatives, 0, "{query:?} {verdict:?} {answer:?}");
        }
        // Gaps down to 1e-14 of the size, some of them below what rounding can tell.
        let to_the_last_bit = matches!(family, Family::NearMiss | Family::Still);
        let allowed = tally.misses / if to_the_last_bit { 20 } else { 200 };
        assert!(tally.false_positives <= allowed, "{family:?}: {tally:?}");
        assert!(tally.undecided <= 4_600 / 20, "{family:?}: {tally:?}");
    }
}

/// A vertex that falls onto a floor triangle, an edge onto another: the time is known.
#[test]
fn closed_forms() {
    let corner = |x: Real, y: Real, z: Real| Vec3::new(x, y, z);
    let floor = [corner(-1.0, -1.0, 0.0), corner(2.0, -1.0, 0.0), corner(-1.0, 2.0, 0.0)];
    let falling = |z: Real| [corner(0.0, 0.0, z), floor[0], floor[1], floor[2]];
    for (margin, expected) in [(0.0, 0.5), (0.25, 0.375), (1.0, 0.0)] {
        let t = vertex_triangle(falling(1.0), falling(-1.0), margin).unwrap();
        assert!(t <= expected && t > expected - 1e-12, "{t}");
    }
    assert_eq!(vertex_triangle(falling(1.0), falling(0.5), 0.49), None);
    let crossed =
        |z: Real| [corner(-1.0, 0.0, z), corner(1.0, 0.0, z), corner(0.0, -1.0, 0.0), corner(0.0, 1.0, 0.0)];
    for (margin, expected) in [(0.0, 0.5), (0.25, 0.375), (1.0, 0.0)] {
        let t = edge_edge(crossed(1.0), crossed(-1.0), margin).unwrap();
        assert!(t <= expected && t > expected - 1e-12, "{t}");
    }
    assert_eq!(edge_edge(crossed(1.0), crossed(0.5), 0.49), None);
}

/// What is no number, or beyond all numbers, is never said to be free.
#[test]
fn fails_closed() {
    let mut random = Random(5);
    for features in [Features::VertexTriangle, Features::EdgeEdge] {
        for bad in [Real::NAN, Real::INFINITY, Real::NEG_INFINITY, 1e300] {
            for place in 0..24 {
                let mut query = Query { features, ..Family::Scattered.query(&mut random) };
                let corners = if place < 12 { &mut query.start } else { &mut query.end };
                corners[place % 4][place / 4 % 3] = bad;
                assert_eq!(query.answer(), Some(0.0));
            }
        }
        let query = Family::Scattered.query(&mut random);
        assert_eq!(Query { features, margin: Real::NAN, ..query }.answer(), Some(0.0));
        assert_eq!(Query { features, margin: Real::INFINITY, ..query }.answer(), Some(0.0));
    }
}
