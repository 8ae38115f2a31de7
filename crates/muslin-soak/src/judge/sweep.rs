//! Whether parts passed through each other between two moments, all points going straight and evenly.
//!
//! Time is divided until each part of it is decided. A pair is apart in [s, t] if the direction between the nearest points half-way
//! parts it at s and at t: what is linear in time is then positive in between, too. A pair crosses in [s, t] if its signed
//! volume changes sign and the place where the parts meet half-way is farther from every border than anything moves in that
//! time. What is neither after many divisions grazes; other pairs, or the judge at the end, have to tell.

use super::distance::{nearest_of_segments, nearest_on_triangle, segment_triangle};
use super::exact::edges;
use super::solids::{Form, Placed};
use super::{Finding, Judge, Room, rounding};
use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::state::State;

/// Parts of time that are looked at for a pair, at the most.
const MOST_PARTS: u32 = 256;

/// What became of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It stayed apart.
    Apart,
    /// It crossed.
    Crosses,
    /// It came so near that none can tell.
    Grazes,
}

/// A pair of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pair {
    /// The first point against the triangle of the others.
    PointTriangle,
    /// The first two points against the last two.
    Segments,
}

/// The way of a pair's four points.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    start: [Vec3; 4],
    moves: [Vec3; 4],
}

impl Way {
    /// From four points to four others; all coordinates count from the first, lest those far from the origin round.
    pub fn new(start: [Vec3; 4], end: [Vec3; 4]) -> Self {
        let moved = end[0] - start[0];
        let mut moves = [Vec3::ZERO; 4];
        for k in 1..4 {
            moves[k] = end[k] - start[k] - moved;
        }
        Self { start: start.map(|x| x - start[0]), moves }
    }

    fn at(&self, time: Real) -> [Vec3; 4] {
        let mut x = self.start;
        x.iter_mut().zip(self.moves).for_each(|(x, way)| *x += way * time);
        x
    }

    /// What becomes of the pair.
    pub fn judge(&self, pair: Pair) -> Verdict {
        let largest = |points: [Vec3; 4]| points.map(Vec3::length).into_iter().fold(0.0, Real::max);
        let error = rounding(largest(self.start) + largest(self.moves));
        let fastest = largest(self.moves);
        let mut parts = vec![[0.0, 1.0]];
        let mut verdict = Verdict::Apart;
        for _ in 0..MOST_PARTS {
            let Some([from, to]) = parts.pop() else { return verdict };
            let middle = 0.5 * (from + to);
            let x = self.at(middle);
            let n = pair.arm(x);
            let ends = [self.at(from), self.at(to)];
            if ends.iter().all(|&x| pair.gap(x, n) > error * n.length()) {
                continue;
            }
            // All points are this near to where they are half-way.
            let reach = fastest * (to - from) + error;
            let volumes = ends.map(volume);
            let least = error * largest(x).powi(2);
            let changes = volumes[0] * volumes[1] < 0.0 && volumes.iter().all(|v| v.abs() > least);
            if changes && n.length() <= 2.0 * reach && pair.room(x) > 8.0 * reach {
                return Verdict::Crosses;
            }
            if to - from < 1e-9 {
                verdict = Verdict::Grazes;
                continue;
            }
            let cut = cut(from, to);
            parts.extend([[cut, to], [from, cut]]);
        }
        Verdict::Grazes
    }
}

/// Where time is divided: not in the middle, where symmetric pairs meet, for at that moment their volume has no sign.
fn cut(from: Real, to: Real) -> Real {
    from + 0.473 * (to - from)
}

fn volume(x: [Vec3; 4]) -> Real {
    (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0])
}

impl Pair {
    /// From the point of the second part to that of the first where they are nearest.
    fn arm(self, x: [Vec3; 4]) -> Vec3 {
        match self {
            Self::PointTriangle => x[0] - nearest_on_triangle(x[0], [x[1], x[2], x[3]]),
            Self::Segments => {
                let [p, q] = nearest_of_segments([x[0], x[1]], [x[2], x[3]]);
                p - q
            }
        }
    }

    /// How far apart the parts lie along n, times its length; negative if they do not.
    fn gap(self, x: [Vec3; 4], n: Vec3) -> Real {
        let first = if self == Self::PointTriangle { 1 } else { 2 };
        let heights = x.map(|x| n.dot(x));
        let lowest = heights[..first].iter().copied().fold(Real::INFINITY, Real::min);
        let highest = heights[first..].iter().copied().fold(Real::NEG_INFINITY, Real::max);
        lowest - highest
    }

    /// How far inside of their borders the parts are nearest to each other [m], less where a small way moves that place far.
    fn room(self, x: [Vec3; 4]) -> Real {
        match self {
            Self::PointTriangle => {
                let triangle = [x[1], x[2], x[3]];
                let place = nearest_on_triangle(x[0], triangle);
                let to_edge = |[a, b]: [Vec3; 2]| nearest_of_segments([place; 2], [a, b]);
                let distances = edges(triangle).map(to_edge).map(|[p, q]| p.distance(q));
                distances.into_iter().fold(Real::INFINITY, Real::min)
            }
            Self::Segments => {
                let (first, second) = ([x[0], x[1]], [x[2], x[3]]);
                let [p, q] = nearest_of_segments(first, second);
                let of = |place: Vec3, ends: [Vec3; 2]| place.distance(ends[0]).min(place.distance(ends[1]));
                let directions = [first, second].map(|[a, b]| (b - a).normalize_or_zero());
                of(p, first).min(of(q, second)) * directions[0].cross(directions[1]).length()
            }
        }
    }
}

/// All that moved between two moments, with cloth's particles first.
struct Swept {
    start: Vec<Vec3>,
    end: Vec<Vec3>,
    /// Numbers that can meet triangles.
    vertices: Vec<u32>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    cloth: u32,
}

impl Judge {
    /// The first thing that passed through another between two moments, as far as that can be told.
    pub fn judge_way(&self, model: &Model, states: [&State; 2], clocks: [&[Real]; 2]) -> Option<Finding> {
        let straight = self.solids.iter().filter(|solid| solid.went_straight(model, states, clocks));
        let placed: Vec<[Placed; 2]> =
            straight.map(|solid| [0, 1].map(|k| solid.place(model, states[k], clocks[k]))).collect();
        let swept = self.swept(states, &placed);
        self.past_round(&placed, states)
            .or_else(|| swept.past_triangles(self.touches_itself))
            .or_else(|| swept.past_edges(self.touches_itself))
    }

    fn swept(&self, [from, to]: [&State; 2], placed: &[[Placed; 2]]) -> Swept {
        let (mut start, mut end) = (from.positions.clone(), to.positions.clone());
        let cloth = start.len() as u32;
        let (mut vertices, mut triangles) = (self.vertices.clone(), self.triangles.clone());
        for [before, after] in placed {
            if let (Form::Faces { positions, triangles: own, .. }, Form::Faces { positions: later, .. }) =
                (&before.form, &after.form)
            {
                let first = start.len() as u32;
                vertices.extend(first..first + positions.len() as u32);
                triangles.extend(own.iter().map(|t| t.map(|v| v + first)));
                start.extend(positions);
                end.extend(later);
            }
        }
        let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let mut edges: Vec<[u32; 2]> =
            sides.chain(self.threads.iter().copied()).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        edges.sort_unstable();
        edges.dedup();
        Swept { start, end, vertices, edges, triangles, cloth }
    }

    fn past_round(&self, placed: &[[Placed; 2]], [from, to]: [&State; 2]) -> Option<Finding> {
        for [before, after] in placed {
            let (Form::Round { ends: old, radius }, Form::Round { ends: new, .. }) =
                (&before.form, &after.form)
            else {
                continue;
            };
            let radius = radius + before.layer;
            let room = Room::of(&[old[0], old[1], new[0], new[1]], radius);
            for part in self.parts() {
                let corners = [from, to].map(|state| part.map(|v| state.positions[v as usize]));
                let own = Room::of(&[corners[0], corners[1]].concat(), 0.0);
                if own.overlaps(&room) && enters(&corners, &[*old, *new], radius) {
                    let detail = format!("{part:?} at {} and {}", corners[0][0], before.name);
                    return Some(Finding::new(format!("swept through {}", before.kind), detail));
                }
            }
        }
        None
    }
}

/// Whether a triangle comes nearer to a segment than a radius, for certain.
fn enters(corners: &[[Vec3; 3]; 2], ends: &[[Vec3; 2]; 2], radius: Real) -> bool {
    let size = ends[0][0].length() + ends[0][1].length() + radius;
    let allowed = radius - rounding(size);
    let ways = |k: usize| corners[1][k] - corners[0][k];
    let end_ways = [0, 1].map(|k| ends[1][k] - ends[0][k]);
    let fastest: Real =
        (0..3).map(|k| ways(k).distance(end_ways[0]).max(ways(k).distance(end_ways[1]))).fold(0.0, Real::max);
    let mut parts = vec![[0.0, 1.0]];
    for _ in 0..MOST_PARTS {
        let Some([from, to]) = parts.pop() else { return false };
        let middle = 0.5 * (from + to);
        let triangle = [0, 1, 2].map(|k| corners[0][k].lerp(corners[1][k], middle));
        let axis = [0, 1].map(|k| ends[0][k].lerp(ends[1][k], middle));
        let distance = segment_triangle(axis, triangle);
        if distance < allowed {
            return true;
        }
        if distance - 0.5 * fastest * (to - from) < allowed && to - from > 1e-9 {
            let cut = cut(from, to);
            parts.extend([[cut, to], [from, cut]]);
        }
    }
    false
}

impl Swept {
    fn is_cloth(&self, v: u32) -> bool {
        v < self.cloth
    }

    /// Whether parts with these first vertices are to keep apart.
    fn counts(&self, a: u32, b: u32, touches_itself: bool) -> bool {
        match (self.is_cloth(a), self.is_cloth(b)) {
            (true, true) => touches_itself,
            (false, false) => false,
            _ => true,
        }
    }

    fn rooms<const N: usize>(&self, parts: &[[u32; N]]) -> Vec<Room> {
        let room = |part: &[u32; N]| {
            let low = part
                .iter()
                .fold(Vec3::INFINITY, |low, &v| low.min(self.start[v as usize]).min(self.end[v as usize]));
            let high = part.iter().fold(Vec3::NEG_INFINITY, |high, &v| {
                high.max(self.start[v as usize]).max(self.end[v as usize])
            });
            Room([low, high])
        };
        parts.iter().map(room).collect()
    }

    fn way(&self, points: [u32; 4]) -> Way {
        Way::new(points.map(|v| self.start[v as usize]), points.map(|v| self.end[v as usize]))
    }

    fn past_triangles(&self, touches_itself: bool) -> Option<Finding> {
        let points: Vec<[u32; 1]> = self.vertices.iter().map(|&v| [v]).collect();
        let (rooms, others) = (self.rooms(&points), self.rooms(&self.triangles));
        for (&v, room) in self.vertices.iter().zip(&rooms) {
            for (&[a, b, c], other) in self.triangles.iter().zip(&others) {
                if room.overlaps(other)
                    && ![a, b, c].contains(&v)
                    && self.counts(v, a, touches_itself)
                    && self.way([v, a, b, c]).judge(Pair::PointTriangle) == Verdict::Crosses
                {
                    return Some(self.finding("vertex", "triangle", &[v], &[a, b, c]));
                }
            }
        }
        None
    }

    fn past_edges(&self, touches_itself: bool) -> Option<Finding> {
        let rooms = self.rooms(&self.edges);
        for (i, &[a, b]) in self.edges.iter().enumerate() {
            for (j, &[c, d]) in self.edges.iter().enumerate().skip(i + 1) {
                if rooms[i].overlaps(&rooms[j])
                    && ![c, d].contains(&a)
                    && ![c, d].contains(&b)
                    && self.counts(a, c, touches_itself)
                    && self.way([a, b, c, d]).judge(Pair::Segments) == Verdict::Crosses
                {
                    return Some(self.finding("edge", "edge", &[a, b], &[c, d]));
                }
            }
        }
        None
    }

    fn finding(&self, first: &str, second: &str, a: &[u32], b: &[u32]) -> Finding {
        let with = if self.is_cloth(a[0]) && self.is_cloth(b[0]) { "cloth" } else { "solid" };
        let place = self.start[a[0] as usize];
        Finding::new(
            format!("swept: {first} through {second} of {with}"),
            format!("{a:?} and {b:?} at {place}; numbers from {} on are of solids", self.cloth),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIANGLE: [Vec3; 3] = [Vec3::ZERO, Vec3::X, Vec3::Y];

    fn point(from: Vec3, to: Vec3) -> Verdict {
        let [a, b, c] = TRIANGLE;
        Way::new([from, a, b, c], [to, a, b, c]).judge(Pair::PointTriangle)
    }

    #[test]
    fn points_and_triangles() {
        let at = |x, y, z| Vec3::new(x, y, z);
        assert_eq!(point(at(0.2, 0.2, 1.0), at(0.3, 0.2, -2.0)), Verdict::Crosses);
        assert_eq!(point(at(0.2, 0.2, 1.0), at(0.3, 0.2, 1e-9)), Verdict::Apart);
        assert_eq!(point(at(2.0, 0.2, 1.0), at(2.0, 0.2, -1.0)), Verdict::Apart);
        assert_eq!(point(at(0.2, 0.2, 1e-6), at(0.2, 0.2, -1e-6)), Verdict::Crosses);
        assert_eq!(point(at(-1.0, 0.2, 0.0), at(-0.5, 0.2, 0.0)), Verdict::Apart, "within the plane");
        assert_eq!(point(at(0.5, 0.5, 1.0), at(0.5, 0.5, -1.0)), Verdict::Grazes, "through an edge");
    }

    /// Far from the origin, and with all moving along.
    #[test]
    fn edges_and_edges() {
        let base = Vec3::new(1e6, -2e6, 3e6);
        let judge = |from: Real, to: Real, drift: Vec3| {
            let still = [Vec3::ZERO, Vec3::X].map(|x| x + base);
            let other = |z: Real| [Vec3::new(0.4, -1.0, z), Vec3::new(0.6, 1.0, z)].map(|x| x + base);
            let start = [still[0], still[1], other(from)[0], other(from)[1]];
            let end = [still[0], still[1], other(to)[0], other(to)[1]].map(|x| x + drift);
            Way::new(start, end).judge(Pair::Segments)
        };
        for drift in [Vec3::ZERO, Vec3::new(3.0, 5.0, -7.0)] {
            assert_eq!(judge(0.1, -0.1, drift), Verdict::Crosses);
            assert_eq!(judge(0.1, 0.01, drift), Verdict::Apart);
            assert_eq!(judge(-0.1, -3.0, drift), Verdict::Apart);
        }
    }

    #[test]
    fn a_triangle_that_passes_a_ball() {
        let triangle = |z: Real| TRIANGLE.map(|x| x + Vec3::Z * z);
        let ball = [Vec3::new(0.2, 0.2, 0.0); 2];
        assert!(enters(&[triangle(5.0), triangle(-5.0)], &[ball, ball], 0.01));
        assert!(!enters(&[triangle(5.0), triangle(0.0101)], &[ball, ball], 0.01));
        let beside = ball.map(|x| x + Vec3::X * 2.0);
        assert!(!enters(&[triangle(5.0), triangle(-5.0)], &[beside, beside], 0.01));
    }
}
