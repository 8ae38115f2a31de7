//! Triangles in place of the faces that a cut crosses.

use super::Surface;
use crate::math::{Real, Vec3};
use crate::remesh::{Corner, Replacement};

/// The faces with divided sides, and the quads with a diagonal that opens, as triangles; `new` tells the vertices of edges, `at` where
/// they are [m].
pub fn replacements(
    surface: &Surface,
    new: &[Option<Corner>],
    opened: &[[Corner; 2]],
    at: impl Fn(Corner) -> Vec3,
) -> Vec<Replacement> {
    let numbers: Vec<u32> = (0..surface.triangles.len() as u32).collect();
    let face = |triangle: u32| surface.triangles[triangle as usize].face;
    let mut replaced = Vec::new();
    for of_face in numbers.chunk_by(|&one, &other| face(one) == face(other)) {
        let sides: Vec<usize> = of_face.iter().flat_map(|&t| surface.opposite_edges(t)).collect();
        let is_divided = sides.iter().any(|&side| new[side].is_some());
        let opens_diagonal = || {
            let mut inner = (1..sides.len()).filter(|&k| sides[..k].contains(&sides[k])).map(|k| sides[k]);
            inner.any(|diagonal| {
                let [a, b] = surface.edges[diagonal].ends.map(Corner::Old);
                opened.iter().any(|&ends| ends == [a, b] || ends == [b, a])
            })
        };
        if is_divided || opens_diagonal() {
            let triangles =
                of_face.iter().flat_map(|&triangle| pieces(surface, triangle, new, &at)).collect();
            replaced.push(Replacement { faces: vec![face(of_face[0])], triangles });
        }
    }
    replaced
}

/// A triangle, divided at the new vertices of its sides.
fn pieces(
    surface: &Surface,
    triangle: u32,
    new: &[Option<Corner>],
    at: impl Fn(Corner) -> Vec3,
) -> Vec<[Corner; 3]> {
    let corners = surface.triangles[triangle as usize].corners.map(Corner::Old);
    let middles = surface.opposite_edges(triangle).map(|side| new[side]);
    // Turned so that the first corner is the one across from the only new vertex, or the one between two of them.
    let is_first = |k: &usize| {
        let [first, second, third] = [0, 1, 2].map(|i| middles[(k + i) % 3].is_some());
        (first && !second && !third) || (!first && second && third)
    };
    let first = (0..3).find(is_first).unwrap_or(0);
    let [a, b, c] = [0, 1, 2].map(|i| corners[(first + i) % 3]);
    let [across_a, across_b, across_c] = [0, 1, 2].map(|i| middles[(first + i) % 3]);
    match (across_a, across_b, across_c) {
        (Some(p), None, None) => vec![[a, b, p], [a, p, c]],
        (None, Some(q), Some(p)) => {
            let least = |triangles: [[Corner; 3]; 2]| {
                triangles.into_iter().map(|t| least_angle(t.map(&at))).fold(Real::INFINITY, Real::min)
            };
            let (one, other) = ([[p, b, c], [p, c, q]], [[p, b, q], [b, c, q]]);
            let [second, third] = if least(other) > least(one) { other } else { one };
            vec![[a, p, q], second, third]
        }
        (Some(p), Some(q), Some(r)) => vec![[a, r, q], [r, b, p], [q, p, c], [p, q, r]],
        _ => vec![[a, b, c]],
    }
}

/// The least angle of a triangle [rad].
pub fn least_angle([a, b, c]: [Vec3; 3]) -> Real {
    let angle = |at: Vec3, to: Vec3, too: Vec3| (to - at).angle_between(too - at);
    angle(a, b, c).min(angle(b, c, a)).min(angle(c, a, b))
}
