//! All pairs that could meet are found, whatever is cached.

use super::*;
use crate::builder::{Builder, Resolution, Sheet, Surroundings};
use crate::contact::closest_points::ClosestPoints;
use crate::contact::mesh::collision_mesh::SolidSurface;
use crate::stencil::Stencil;
use proptest::prelude::*;

const BROAD_PHASE: BroadPhase = BroadPhase::SortedBlocks;

/// Squares of one cell, at these heights [m], and solids.
fn squares(heights: &[Real], solids: &[SolidSurface]) -> (CollisionMesh, Vec<Vec3>) {
    let mut builder = Builder::default();
    for &height in heights {
        let sheet = Sheet {
            size: [1.0, 1.0],
            resolution: Resolution::Cells([1, 1]),
            origin: Vec3::Z * height,
            axes: [Vec3::X, Vec3::Y],
            ..Sheet::default()
        };
        builder.add_sheet(&sheet).unwrap();
    }
    let (model, state) = builder.finish(&Surroundings::default()).unwrap();
    let mut x = state.positions;
    x.extend(solids.iter().flat_map(|solid| solid.positions.iter().copied()));
    (CollisionMesh::of(&model, solids), x)
}

fn prepared(surface: &CollisionMesh, x: &[Vec3]) -> Candidates {
    let mut candidates = Candidates::default();
    candidates.prepare(surface, x, 0.01, 0.8);
    candidates
}

/// Advances x by `moves` of some vertices; whether a pair with this vertex could meet in this step.
fn advance_and_find(
    candidates: &mut Candidates,
    surface: &CollisionMesh,
    x: &mut Vec<Vec3>,
    moves: &[(usize, Vec3)],
    vertex: u32,
) -> bool {
    let start = x.clone();
    for &(v, e) in moves {
        x[v] += e;
    }
    let motion =
        StepMotion { start: &start, target: x, margin: 0.0, skin: 10.0, most_overlaps: Real::INFINITY };
    candidates.find(surface, BROAD_PHASE, &motion, true);
    candidates.advance(surface, &start, x, Vec3::ZERO);
    candidates.pairs.iter().any(|pair| pair.stencil.vertices.contains(&vertex))
}

#[test]
fn pairs_of_a_vertex_are_found_when_the_other_feature_moves_later() {
    let (surface, mut x) = squares(&[0.0, 0.1], &[]);
    let mut candidates = prepared(&surface, &x);
    // One corner moves to and fro in its plane, and its pairs are measured anew; then the others go up.
    for shift in [0.09, -0.09, 0.09] {
        advance_and_find(&mut candidates, &surface, &mut x, &[(0, Vec3::X * shift)], 0);
    }
    let up = |e: Real| [1, 2, 3].map(|v| (v, Vec3::Z * e));
    advance_and_find(&mut candidates, &surface, &mut x, &up(0.09), 0);
    assert!(advance_and_find(&mut candidates, &surface, &mut x, &up(0.05), 0));
}

#[test]
fn a_cloth_that_drifts_comes_near_solids() {
    let ball =
        SolidSurface { positions: vec![Vec3::new(0.5, 0.5, -1.0)], radius: 0.5, ..SolidSurface::default() };
    let (surface, mut x) = squares(&[0.0], &[ball]);
    let mut candidates = prepared(&surface, &x);
    assert!(!advance_and_find(&mut candidates, &surface, &mut x, &[], 4));
    let (start, drift) = (x.clone(), Vec3::Z * -0.4);
    candidates.advance(&surface, &start, &start, drift);
    x[..4].iter_mut().for_each(|x| *x += drift);
    let down = [0, 1, 2, 3].map(|v| (v, Vec3::Z * -0.2));
    assert!(advance_and_find(&mut candidates, &surface, &mut x, &down, 4));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// All pairs that could meet in a step are found, whatever was cached from earlier ones.
    #[test]
    fn all_pairs_that_could_meet_are_found(
        steps in prop::collection::vec((prop::collection::vec(prop::array::uniform3(-1.0..1.0f64), 12), 0.001..0.3f64), 1..12),
        skin in 0.01..0.5f64,
        sent in prop::collection::vec((0..12usize, prop::array::uniform3(-0.3..0.3f64)), 0..3),
    ) {
        let (surface, mut x) = squares(&[0.0, 0.3, 0.5], &[]);
        let mut candidates = prepared(&surface, &x);
        for (moves, size) in steps {
            let start = x.clone();
            x.iter_mut().zip(&moves).for_each(|(x, e)| *x += Vec3::from(*e) * size);
            let motion = StepMotion { start: &start, target: &x, margin: 0.01, skin, most_overlaps: Real::INFINITY };
            candidates.find(&surface, BROAD_PHASE, &motion, true);
            // Some are sent elsewhere, all of which pairs are still to be found.
            let mut are_sent = [false; 12];
            for (v, shift) in &sent {
                x[*v] += Vec3::from(*shift);
                are_sent[*v] = true;
            }
            let motion = StepMotion { start: &start, target: &x, margin: 0.0, skin, most_overlaps: Real::INFINITY };
            let follows = candidates.follow(&surface, &motion, &are_sent);
            if !follows {
                candidates.find(&surface, BROAD_PHASE, &motion, true);
            }
            let margin = |v: u32| if follows && !are_sent[v as usize] { 0.01 } else { 0.0 };
            let found: Vec<_> = candidates.pairs.iter().map(|pair| pair.stencil).collect();
            let sheet = |v: u32| v / 4;
            let must_be_found = |closest: &ClosestPoints| {
                let (first, second) = closest.stencil.vertices.split_at(closest.stencil.first());
                let reach = |v: &u32| start[*v as usize].distance(x[*v as usize]) + margin(*v);
                let farthest = |feature: &[u32]| feature.iter().map(reach).fold(0.0, Real::max);
                let box_of = |feature: &[u32]| {
                    let corners = |v: u32, x: &[Vec3]| [-1.0, 1.0].map(|sign| x[v as usize] + Vec3::splat(sign * margin(v)));
                    let points: Vec<Vec3> =
                        feature.iter().flat_map(|&v| [corners(v, &start), corners(v, &x)]).flatten().collect();
                    crate::mesh::bounds(&points)
                };
                let ([low, high], [from, to]) = (box_of(first), box_of(second));
                closest.distance <= farthest(first) + farthest(second) && low.cmple(to).all() && from.cmple(high).all()
            };
            let check = |closest: ClosestPoints| !must_be_found(&closest) || found.contains(&closest.stencil);
            for (t, &[a, b, c]) in (0..).zip(&surface.triangles) {
                for v in (0..12).filter(|&v| sheet(v) != sheet(a)) {
                    prop_assert!(check(ClosestPoints::of(Stencil::vertex_triangle(v, t, [a, b, c]), &start)));
                }
            }
            for &[a, b] in &surface.edges {
                for &[c, d] in surface.edges.iter().filter(|e| sheet(e[0]) > sheet(a)) {
                    prop_assert!(check(ClosestPoints::of(Stencil::edge_edge([a, b], [c, d], false), &start)));
                }
            }
            candidates.advance(&surface, &start, &x, Vec3::ZERO);
        }
    }
}
