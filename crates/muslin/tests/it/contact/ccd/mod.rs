//! Continuous detection: until when two moving features certainly stay apart.
//!
//! Corners move linearly, x(t) = (1 − t) x₀ + t x₁. For a unit vector n and the differences dᵢ(t) of opposing
//! corners (vertex − corner: 3, end − end: 4)
//!
//! ```text
//! distance(t)  ≥  minᵢ n·dᵢ(t),        each n·dᵢ(t) linear in t
//! ```
//!
//! so one plane keeps the pair apart by more than the margin over a whole window of time, whose ends are known
//! in closed form. From a time t, up to which the pair is free, the plane between the closest points at t opens
//! such a window; its end is the next t (conservative advancement [Mirtich 1996], along a direction). Where
//! the features turn, a plane turns with them: for n(t) from n₀ at t₀ to n₁ at t₁, linear, n(t)·dᵢ(t) is the
//! parabola with Bernstein coefficients
//!
//! ```text
//! n₀·dᵢ(t₀),   ½ (n₀·dᵢ(t₁) + n₁·dᵢ(t₀)),   n₁·dᵢ(t₁)
//! ```
//!
//! and the pair is free over [t₀, t₁] if all of them exceed the margin; t₁ lies just before Newton's guess of
//! the hit. Once freedom reaches beyond t = 1 there is no contact; if no plane leads on from t, t is the answer.
//!
//! Why nothing is missed: closest points, normals and guesses only propose, right or wrong. What is concluded
//! from them uses the projections n·dᵢ alone, which must exceed the margin by `ROUNDING` times the largest sum
//! of their terms' magnitudes, more than all their rounding errors (differences of input are off by half an ulp
//! of themselves, wherever they lie in space), the margin raised by the error of |n|. A window's end is
//! h₀/(h₀ − h₁) with h₀ > 0 ≥ h₁, hence without cancellation. The loop has a cap, at which the last t is
//! answered; what is not finite is answered with 0.
//!
//! A false alarm needs a distance within some 3e-14 of the features' size of the margin, or features that turn
//! so fast so closely to it that `CAP` planes do not cover the motion.

pub mod certify;

use muslin::contact::geometry::distance::{blend, point_triangle, segment_segment};
use muslin::math::{Real, Vec3};

/// Rounds at the most.
const CAP: u32 = 64;

/// Bound of the relative rounding error of a projection, in half ulps: one of the difference, three of the
/// interpolation, three of the dot product, three of the floor and its subtraction; the rest is to spare.
const ROUNDING: Real = 18.0 * 0.5 * Real::EPSILON;

/// The gap that ends the search, relative to the corners' differences: closer, rounding decides.
const CLOSE: Real = 3e-14;

/// The least step in time; windows' ends are rounded inwards by as much.
const LEAST_STEP: Real = 1e-15;

/// The time in [0, 1] up to which a vertex (first) and a triangle (its corners) are certainly farther apart
/// than `margin` [m]; none if they are so all the time.
#[inline]
pub fn vertex_triangle(start: [Vec3; 4], end: [Vec3; 4], margin: Real) -> Option<Real> {
    let differences = |[p, a, b, c]: [Vec3; 4]| [p - a, p - b, p - c];
    Motion::new(differences(start), differences(end)).first_approach::<VertexTriangle>(margin)
}

/// The time in [0, 1] up to which two edges (ends 0, 1 and ends 2, 3) are certainly farther apart than
/// `margin` [m]; none if they are so all the time.
#[inline]
pub fn edge_edge(start: [Vec3; 4], end: [Vec3; 4], margin: Real) -> Option<Real> {
    let differences = |[a, b, c, d]: [Vec3; 4]| [a - c, b - c, a - d, b - d];
    Motion::new(differences(start), differences(end)).first_approach::<EdgeEdge>(margin)
}

/// The differences of opposing corners, at t = 0 and t = 1 [m].
struct Motion<const N: usize> {
    start: [Vec3; N],
    end: [Vec3; N],
    /// Their bounding box.
    low: Vec3,
    high: Vec3,
    /// The largest of their coordinates' magnitudes, along each axis.
    size: Vec3,
}

impl<const N: usize> Motion<N> {
    #[inline]
    fn new(start: [Vec3; N], end: [Vec3; N]) -> Self {
        let (mut low, mut high) = (start[0].min(end[0]), start[0].max(end[0]));
        for i in 1..N {
            low = low.min(start[i].min(end[i]));
            high = high.max(start[i].max(end[i]));
        }
        Self { start, end, low, high, size: low.abs().max(high.abs()) }
    }

    /// Until when the differences' hull keeps farther than `margin` from the origin.
    #[inline]
    fn first_approach<F: Features<N>>(&self, margin: Real) -> Option<Real> {
        // Beyond this nothing can be promised; and minima and maxima may hide what is not a number.
        let sum: Vec3 = self.start.iter().chain(&self.end).sum();
        if self.size.max_element() > 1e150 || !sum.is_finite() {
            return Some(0.0);
        }
        // A direction's length is 1 up to 5 half ulps.
        let margin = margin * (1.0 + 2e-15);
        // Most pairs are told apart by a coordinate.
        if self.low.max_element() > margin || self.high.min_element() < -margin {
            return None;
        }
        let (mut t, mut boldness) = (0.0, 0.9);
        for _ in 0..CAP {
            let differences = self.at(t);
            let (direction, weights) = F::nearest(&differences);
            let n = direction.normalize_or_zero();
            let mut free = self.free_until(t, margin, n);
            if free > 1.0 {
                return None;
            }
            let (gap, rate) = self.gap_and_rate(n, &differences, &weights);
            let size = differences[0].abs().max(differences[N - 1].abs()).max_element();
            if gap - margin <= CLOSE * size || free <= t + LEAST_STEP {
                let n = F::normal(&differences).normalize_or_zero();
                free = self.free_until(t, margin, n).max(self.free_until(t, margin, -n));
                return (free <= 1.0).then_some(t);
            }
            // Newton's guess of the hit, and a plane that turns along almost up to it.
            let left = if gap - margin < -rate * (1.0 - t) { (gap - margin) / -rate } else { 1.0 - t };
            let goal = if left == 1.0 - t && boldness >= 0.9 { 1.0 } else { t + boldness * left };
            if goal - t > 1.2 * (free - t) {
                let turned = F::nearest(&self.at(goal)).0.normalize_or_zero();
                if self.free_between([t, goal], [n, turned], margin) {
                    if goal == 1.0 {
                        return None;
                    }
                    (t, boldness) = (goal, (1.0 - 0.1 * (1.0 - boldness)).min(0.999));
                    continue;
                }
                boldness *= 0.25;
            } else {
                boldness = boldness.max(0.9);
            }
            t = free;
        }
        Some(t)
    }

    /// The distance along n of the point with these weights [m], and its growth over the whole motion [m].
    #[inline]
    fn gap_and_rate(&self, n: Vec3, differences: &[Vec3; N], weights: &[Real; N]) -> (Real, Real) {
        let (mut gap, mut rate) = (0.0, 0.0);
        for i in 0..N {
            gap += weights[i] * n.dot(differences[i]);
            rate += weights[i] * n.dot(self.end[i] - self.start[i]);
        }
        (gap, rate)
    }

    #[inline]
    fn at(&self, t: Real) -> [Vec3; N] {
        std::array::from_fn(|i| self.start[i] * (1.0 - t) + self.end[i] * t)
    }

    /// What projections on the unit normal n must exceed [m]: the margin, and all they may be off.
    #[inline]
    fn floor(&self, margin: Real, n: Vec3) -> Real {
        margin + (ROUNDING * n.abs().dot(self.size) + 1e-300)
    }

    /// Up to when from t on the plane with the unit normal n keeps the pair apart: beyond 1 if it always does,
    /// before t if not even then.
    #[inline]
    fn free_until(&self, t: Real, margin: Real, n: Vec3) -> Real {
        let floor = self.floor(margin, n);
        let mut until = 2.0;
        for i in 0..N {
            let (h0, h1) = (n.dot(self.start[i]) - floor, n.dot(self.end[i]) - floor);
            if h0 > 0.0 && h1 > 0.0 {
                continue;
            }
            let crossing = h0 / (h0 - h1);
            if h0 > 0.0 && h1 <= 0.0 {
                until = crossing.min(until);
            } else if !(h1 > 0.0 && crossing + LEAST_STEP < t) {
                return -1.0;
            }
        }
        if until > 1.0 { until } else { until - LEAST_STEP }
    }

    /// Whether a plane that turns from the one unit normal to the other keeps the pair apart over a span of time.
    #[inline]
    fn free_between(&self, span: [Real; 2], normals: [Vec3; 2], margin: Real) -> bool {
        let [n0, n1] = normals;
        let (first, last) = (self.at(span[0]), self.at(span[1]));
        let floor = self.floor(margin, n0).max(self.floor(margin, n1));
        (0..N).all(|i| {
            n0.dot(first[i]) > floor
                && n1.dot(last[i]) > floor
                && n0.dot(last[i]) + n1.dot(first[i]) > 2.0 * floor
        })
    }
}

/// Two kinds of features, by the differences of their corners.
trait Features<const N: usize> {
    /// The direction towards the point of the differences' hull that is closest to the origin, of any length,
    /// and that point's weights.
    fn nearest(differences: &[Vec3; N]) -> (Vec3, [Real; N]);

    /// The normal of the hull, also where it is too close to the origin to tell a direction; either sign.
    fn normal(differences: &[Vec3; N]) -> Vec3;
}

/// By vertex − corners.
struct VertexTriangle;

impl Features<3> for VertexTriangle {
    #[inline(always)]
    fn nearest(&[a, b, c]: &[Vec3; 3]) -> (Vec3, [Real; 3]) {
        let weights = point_triangle(Vec3::ZERO, [a, b, c]);
        let q = blend([a, b, c], weights);
        let direction = match weights.map(|w| w > 0.0) {
            [true, true, true] => along((b - a).cross(c - a), q),
            [true, true, false] => across(q, b - a),
            [true, false, true] => across(q, c - a),
            [false, true, true] => across(q, c - b),
            _ => q,
        };
        (direction, weights)
    }

    #[inline(always)]
    fn normal(&[a, b, c]: &[Vec3; 3]) -> Vec3 {
        (b - a).cross(c - a)
    }
}

/// By a − c, b − c, a − d, b − d of the edges ab and cd.
struct EdgeEdge;

impl Features<4> for EdgeEdge {
    #[inline(always)]
    fn nearest(&[ac, bc, ad, _]: &[Vec3; 4]) -> (Vec3, [Real; 4]) {
        let (ab, cd) = (bc - ac, ac - ad);
        let [s, t] = segment_segment([ac, bc], [Vec3::ZERO, cd]);
        let q = ac + ab * s - cd * t;
        let n = ab.cross(cd);
        let direction = match [s, t].map(|x| x > 0.0 && x < 1.0) {
            // The common normal, unless nearly parallel: then it is all noise, but that of one of them is not.
            [true, true] if n.length_squared() > 1e-8 * ab.length_squared() * cd.length_squared() => {
                along(n, q)
            }
            [true, _] => across(q, ab),
            [false, true] => across(q, cd),
            [false, false] => q,
        };
        (direction, [(1.0 - s) * (1.0 - t), s * (1.0 - t), (1.0 - s) * t, s * t])
    }

    #[inline(always)]
    fn normal(&[ac, bc, ad, _]: &[Vec3; 4]) -> Vec3 {
        (bc - ac).cross(ac - ad)
    }
}

/// n, to the side where q is.
#[inline]
fn along(n: Vec3, q: Vec3) -> Vec3 {
    if n.dot(q) < 0.0 { -n } else { n }
}

/// The part of q across an edge: closest points a tiny distance apart are orthogonal to it only to the rounding
/// of their coordinates, which over the edge's length could be more than the distance.
#[inline]
fn across(q: Vec3, edge: Vec3) -> Vec3 {
    let length2 = edge.length_squared();
    if length2 > 0.0 { q - edge * (q.dot(edge) / length2) } else { q }
}
