//! Continuous detection put to the proof: adversarial queries, and certificates of hit and miss.
//!
//! A certificate rests on directed rounding or exact signs, and on nothing of the code that it judges:
//!
//! ```text
//! hit, exact      at a time where all positions are exact in double precision, the exact predicates say touching
//! hit, crossing   over [t₀, t₁] the coplanarity determinant changes sign while all weights stay positive
//! hit, distance   two points of the features, at one time, are within the margin
//! miss            a chain of planes, each with all corners beyond the margin at both ends of its span of time
//! ```
//!
//! What gets neither is undecided, and counted.

use super::{edge_edge, vertex_triangle};
use muslin::contact::geometry::distance::{blend, point_triangle, segment_segment};
use muslin::contact::geometry::intersection::triangles_intersect;
use muslin::math::{Real, Vec3};

pub use generate::{Family, Random};

mod generate;

/// Which features move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Features {
    /// Corner 0 against the triangle 1, 2, 3.
    VertexTriangle,
    /// Edge 0, 1 against edge 2, 3.
    EdgeEdge,
}

/// A question to continuous detection.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Which features move.
    pub features: Features,
    /// Corners at t = 0 [m].
    pub start: [Vec3; 4],
    /// Corners at t = 1 [m].
    pub end: [Vec3; 4],
    /// Distance that counts as a hit [m].
    pub margin: Real,
    /// A time at which it was built to touch.
    pub hint: Option<Real>,
}

/// What is certain about a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// The distance is within the margin at some time up to this one.
    Hit(Real),
    /// It never is.
    Miss,
    /// Too close to call.
    Undecided,
}

/// The numbers of a study.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Certified hits.
    pub hits: u64,
    /// Certified misses.
    pub misses: u64,
    /// Queries without certificate.
    pub undecided: u64,
    /// Hits not reported, or reported later than certified: must be none.
    pub false_negatives: u64,
    /// Misses reported as hits.
    pub false_positives: u64,
}

impl Query {
    /// What continuous detection answers.
    #[inline]
    pub fn answer(&self) -> Option<Real> {
        match self.features {
            Features::VertexTriangle => vertex_triangle(self.start, self.end, self.margin),
            Features::EdgeEdge => edge_edge(self.start, self.end, self.margin),
        }
    }

    /// What is certain.
    pub fn certify(&self) -> Verdict {
        let mut by = Real::INFINITY;
        for t in self.hint.into_iter().chain((0..=16).map(|k| Real::from(k) / 16.0)) {
            if t < by && self.touches_exactly(t) {
                by = t;
            }
        }
        if let Some(t) = if self.margin > 0.0 { self.within_margin() } else { self.crossing() } {
            by = by.min(t);
        }
        if by <= 1.0 {
            Verdict::Hit(by)
        } else if self.separated() {
            Verdict::Miss
        } else {
            Verdict::Undecided
        }
    }

    /// Whether the features touch at time t, all positions then being exact.
    fn touches_exactly(&self, t: Real) -> bool {
        let mut x = [Vec3::ZERO; 4];
        for i in 0..4 {
            for k in 0..3 {
                let Some(value) = exact_lerp(self.start[i][k], self.end[i][k], t) else { return false };
                x[i][k] = value;
            }
        }
        match self.features {
            Features::VertexTriangle => triangles_intersect([x[0]; 3], [x[1], x[2], x[3]]),
            Features::EdgeEdge => triangles_intersect([x[0], x[1], x[1]], [x[2], x[3], x[3]]),
        }
    }

    /// An early time at which two points of the features are certainly within the margin.
    fn within_margin(&self) -> Option<Real> {
        const SAMPLES: usize = 32;
        let time = |k: usize| k as Real / SAMPLES as Real;
        let near: Vec<Real> = (0..=SAMPLES).map(|k| self.distance_at(time(k)).sqrt()).collect();
        for k in 0..=SAMPLES {
            let (mut low, mut high) = (time(k.max(1) - 1), time(k));
            if near[k] > self.margin {
                // A dip between samples.
                let valley = k > 0 && k < SAMPLES && near[k] <= near[k - 1] && near[k] <= near[k + 1];
                if !valley {
                    continue;
                }
                high = self.lowest_between(time(k - 1), time(k + 1));
            }
            if !self.certainly_within(high) {
                continue;
            }
            for _ in 0..40 {
                let middle = low.midpoint(high);
                if self.certainly_within(middle) { high = middle } else { low = middle }
            }
            return Some(high);
        }
        None
    }

    /// A time of locally least distance, by golden sections.
    fn lowest_between(&self, mut low: Real, mut high: Real) -> Real {
        const GOLDEN: Real = 0.618_033_988_749_895;
        for _ in 0..40 {
            let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            if self.distance_at(left) < self.distance_at(right) { high = right } else { low = left }
        }
        low.midpoint(high)
    }

    fn certainly_within(&self, t: Real) -> bool {
        self.distance_at(t) <= (self.margin * self.margin).next_down()
    }

    /// An upper bound of the squared distance at time t: that of two points, rounded upwards.
    fn distance_at(&self, t: Real) -> Real {
        let d = self.differences(Interval::exact(t));
        let rounded = d.map(|d| Vec3::from(d.map(Interval::middle)));
        // Shrunk so that weights never sum up to more than 1.
        let weight = |w: Real| Interval::exact(w * (1.0 - 1e-15));
        let q: [Interval; 3] = match self.features {
            Features::VertexTriangle => {
                let [_, v, w] = point_triangle(Vec3::ZERO, [rounded[0], rounded[1], rounded[2]]).map(weight);
                std::array::from_fn(|k| d[0][k] + v * (d[1][k] - d[0][k]) + w * (d[2][k] - d[0][k]))
            }
            Features::EdgeEdge => {
                let cd = rounded[0] - rounded[2];
                let [s, t] = segment_segment([rounded[0], rounded[1]], [Vec3::ZERO, cd]).map(weight);
                std::array::from_fn(|k| d[0][k] + s * (d[1][k] - d[0][k]) - t * (d[0][k] - d[2][k]))
            }
        };
        (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).high
    }

    /// A time up to which the features have certainly passed through each other.
    fn crossing(&self) -> Option<Real> {
        const SAMPLES: usize = 64;
        let time = |k: usize| k as Real / SAMPLES as Real;
        let volume = |t: Real| self.volume(Interval::exact(t));
        for k in 0..SAMPLES {
            let (mut low, mut high) = (time(k), time(k + 1));
            let (first, last) = (volume(low).sign(), volume(high).sign());
            if first * last != -1 {
                continue;
            }
            // The narrower, the sharper the weights; but the signs at both ends must stay certain.
            for _ in 0..45 {
                if self.weights(Interval { low, high }).iter().all(|w| w.low > 0.0) {
                    return Some(high);
                }
                let middle = low.midpoint(high);
                match volume(middle).sign() {
                    0 => break,
                    sign if sign == first => low = middle,
                    _ => high = middle,
                }
            }
        }
        None
    }

    /// Six times the volume of the four corners.
    fn volume(&self, t: Interval) -> Interval {
        let (u, v, r) = self.spanned(t);
        dot(cross(u, v), r)
    }

    /// The weights of the common point of coplanar features, times the square of twice the spanned area.
    fn weights(&self, t: Interval) -> [Interval; 4] {
        let (u, v, r) = self.spanned(t);
        let n = cross(u, v);
        // 0 = r + α u + β v.
        let (alpha, beta) = (dot(n, cross(v, r)), dot(n, cross(r, u)));
        let whole = dot(n, n);
        match self.features {
            Features::VertexTriangle => [alpha, beta, whole - alpha - beta, whole],
            Features::EdgeEdge => [alpha, beta, whole - alpha, whole - beta],
        }
    }

    /// Two edges of the hull of the differences, and its first corner.
    fn spanned(&self, t: Interval) -> ([Interval; 3], [Interval; 3], [Interval; 3]) {
        let d = self.differences(t);
        let minus = |a: [Interval; 3], b: [Interval; 3]| std::array::from_fn(|k| a[k] - b[k]);
        (minus(d[1], d[0]), minus(d[2], d[0]), d[0])
    }

    /// Whether a chain of planes keeps the features apart.
    fn separated(&self) -> bool {
        let mut spans = vec![(0.0, 1.0)];
        let mut budget = 2000;
        while let Some((low, high)) = spans.pop() {
            if self.plane_between(low, high) {
                continue;
            }
            let middle = Real::midpoint(low, high);
            budget -= 1;
            if budget == 0 || high - low < 1e-13 {
                return false;
            }
            spans.extend([(middle, high), (low, middle)]);
        }
        true
    }

    fn plane_between(&self, low: Real, high: Real) -> bool {
        let ends = [low, high].map(|t| self.differences(Interval::exact(t)));
        let margin = Interval::exact(self.margin);
        let separates = |n: Vec3| {
            let normal = n.to_array().map(Interval::exact);
            let needed = margin * margin * dot(normal, normal);
            ends.iter().flat_map(|d| &d[..self.pairs()]).all(|&d| {
                let height = dot(normal, d);
                height.low > 0.0 && (height * height).low > needed.high
            })
        };
        [low.midpoint(high), low, high].into_iter().any(|t| {
            let d = self.differences(Interval::exact(t)).map(|d| Vec3::from(d.map(Interval::middle)));
            let normal = (d[1] - d[0]).cross(d[2] - d[0]).normalize_or_zero();
            let q = match self.features {
                Features::VertexTriangle => {
                    let corners = [d[0], d[1], d[2]];
                    blend(corners, point_triangle(Vec3::ZERO, corners))
                }
                Features::EdgeEdge => {
                    let [s, t] = segment_segment([d[0], d[1]], [Vec3::ZERO, d[0] - d[2]]);
                    d[0] + (d[1] - d[0]) * s - (d[0] - d[2]) * t
                }
            };
            let across = |edge: Vec3| q - q.project_onto(edge.try_normalize().unwrap_or(Vec3::X));
            let (u, v) = (d[1] - d[0], d[2] - d[0]);
            [q, normal, -normal, across(u), across(v), across(u - v)]
                .into_iter()
                .filter_map(Vec3::try_normalize)
                .any(separates)
        })
    }

    /// Differences of opposing corners, as the detection has them; the last one is idle for a vertex.
    fn differences(&self, t: Interval) -> [[Interval; 3]; 4] {
        let pairs = match self.features {
            Features::VertexTriangle => [[0, 1], [0, 2], [0, 3], [0, 3]],
            Features::EdgeEdge => [[0, 2], [1, 2], [0, 3], [1, 3]],
        };
        let rest = Interval::exact(1.0) - t;
        pairs.map(|[i, j]| {
            std::array::from_fn(|k| {
                let difference = |x: &[Vec3; 4]| Interval::exact(x[i][k]) - Interval::exact(x[j][k]);
                rest * difference(&self.start) + t * difference(&self.end)
            })
        })
    }

    fn pairs(&self) -> usize {
        if self.features == Features::VertexTriangle { 3 } else { 4 }
    }
}

impl Tally {
    /// Counts an answer.
    pub fn count(&mut self, verdict: Verdict, answer: Option<Real>) {
        match verdict {
            Verdict::Hit(by) => {
                self.hits += 1;
                self.false_negatives += u64::from(!answer.is_some_and(|t| t <= by));
            }
            Verdict::Miss => {
                self.misses += 1;
                self.false_positives += u64::from(answer.is_some());
            }
            Verdict::Undecided => self.undecided += 1,
        }
    }
}

/// (1 − t) a + t b if double precision has it exactly, and exact steps lead to it.
fn exact_lerp(a: Real, b: Real, t: Real) -> Option<Real> {
    let way = exact_sum(b, -a)?;
    let part = way * t;
    (way.mul_add(t, -part) == 0.0).then_some(())?;
    exact_sum(a, part)
}

/// The sum if it needs no rounding [Knuth's TwoSum].
fn exact_sum(a: Real, b: Real) -> Option<Real> {
    let sum = a + b;
    let tail = sum - a;
    let error = (a - (sum - tail)) + (b - tail);
    (error == 0.0).then_some(sum)
}

fn cross(a: [Interval; 3], b: [Interval; 3]) -> [Interval; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [Interval; 3], b: [Interval; 3]) -> Interval {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Bounds of a real number; all operations round outwards.
#[derive(Clone, Copy, Debug)]
struct Interval {
    low: Real,
    high: Real,
}

impl Interval {
    fn exact(x: Real) -> Self {
        Self { low: x, high: x }
    }

    fn middle(self) -> Real {
        self.low.midpoint(self.high)
    }

    /// 1 or −1 if certain, else 0.
    fn sign(self) -> i8 {
        (self.low > 0.0) as i8 - (self.high < 0.0) as i8
    }
}

impl std::ops::Add for Interval {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }
}

impl std::ops::Sub for Interval {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { low: (self.low - other.high).next_down(), high: (self.high - other.low).next_up() }
    }
}

impl std::ops::Mul for Interval {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let products =
            [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        let (low, high) = products.iter().fold((products[0], products[0]), |(l, h), &x| (l.min(x), h.max(x)));
        Self { low: low.next_down(), high: high.next_up() }
    }
}
