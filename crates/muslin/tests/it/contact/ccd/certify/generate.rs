//! Queries that are hard for a reason.
//!
//! Most stand on small integers and eighths, so that contacts are exact in double precision, also after
//! scaling by a power of two and, if bits are left, after moving far away.

use super::{Features, Query};
use muslin::math::{Real, Vec3};

/// A kind of query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Both ends random: fast, turning, mostly missing.
    Scattered,
    /// Random, through an inner point of both features.
    Piercing,
    /// Both ends on a grid of 5³ points: everything is degenerate now and then.
    Grid,
    /// All corners move within one plane.
    Coplanar,
    /// Parallel edges, a vertex above the plane: nearly so at the end.
    Parallel,
    /// An exact contact at an exact time, inside, on the rim or at a corner.
    Touching,
    /// The same with all motion along the plane of contact.
    Sliding,
    /// Touching or sliding, but for a gap from 1e-1 down to 1e-14.
    NearMiss,
    /// No motion at all.
    Still,
    /// Triangles and edges without area or length.
    Degenerate,
    /// Sizes, gaps and moves of a cloth in a step.
    Cloth,
}

/// Random numbers, the same on every machine [Steele 2014, SplitMix64].
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^ (x >> 31)
    }

    /// A number from 0 to n − 1.
    pub fn below(&mut self, n: u64) -> u64 {
        self.bits() % n
    }

    /// A number in [−1, 1).
    pub fn real(&mut self) -> Real {
        (self.bits() >> 11) as Real / (1u64 << 52) as Real - 1.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.real(), self.real(), self.real())
    }

    /// A whole number from −n to n.
    fn whole(&mut self, n: u64) -> Real {
        self.below(2 * n + 1) as Real - n as Real
    }

    fn whole_vector(&mut self, n: u64) -> Vec3 {
        Vec3::new(self.whole(n), self.whole(n), self.whole(n))
    }

    fn corners(&mut self, mut corner: impl FnMut(&mut Self) -> Vec3) -> [Vec3; 4] {
        std::array::from_fn(|_| corner(self))
    }

    /// A power of ten with an exponent between the two.
    fn power(&mut self, low: Real, high: Real) -> Real {
        Real::powf(10.0, low + (high - low) * (0.5 + 0.5 * self.real()))
    }
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Scattered,
        Self::Piercing,
        Self::Grid,
        Self::Coplanar,
        Self::Parallel,
        Self::Touching,
        Self::Sliding,
        Self::NearMiss,
        Self::Still,
        Self::Degenerate,
        Self::Cloth,
    ];

    /// A query of this kind, of some size [1e-9 m to 1 m], somewhere within 1e6 m, with or without a margin.
    pub fn query(self, random: &mut Random) -> Query {
        let features = if random.below(2) == 0 { Features::VertexTriangle } else { Features::EdgeEdge };
        let mut query = self.plain(features, random);
        query.margin = match random.below(8) {
            0 => 0.1,
            1 => 1e-3,
            2 => 1e-9,
            _ => 0.0,
        };
        let scale = [1.0, 1.0, Real::exp2(-8.0), Real::exp2(-30.0)][random.below(4) as usize];
        let reach = [0.0, 0.0, 0.0, 1e3, 1e6][random.below(5) as usize];
        let offset = (random.vector() * reach).round();
        for x in query.start.iter_mut().chain(&mut query.end) {
            *x = *x * scale + offset;
        }
        query.margin *= scale;
        query
    }

    fn plain(self, features: Features, random: &mut Random) -> Query {
        let query = |start, end| Query { features, start, end, margin: 0.0, hint: None };
        match self {
            Self::Scattered => query(random.corners(Random::vector), random.corners(Random::vector)),
            Self::Piercing => {
                let x = contact(features, random, Random::vector, |random| 0.5 + 0.5 * random.real());
                through(features, x, random.corners(Random::vector), 0.5 + 0.5 * random.real())
            }
            Self::Grid => query(
                random.corners(|random| random.whole_vector(2)),
                random.corners(|random| random.whole_vector(2)),
            ),
            Self::Coplanar => {
                let (u, v) = (random.whole_vector(2), random.whole_vector(2));
                let mut corners = || random.corners(|random| u * random.whole(4) + v * random.whole(4));
                query(corners(), corners())
            }
            Self::Parallel => parallel(features, random),
            Self::Touching => {
                let (x, t) = (exact_contact(features, random), random.below(9) as Real / 8.0);
                through(features, x, random.corners(|random| random.whole_vector(8)), t)
            }
            Self::Sliding => sliding(features, random),
            Self::NearMiss => {
                let family = if random.below(2) == 0 { Self::Touching } else { Self::Sliding };
                let mut near = family.plain(features, random);
                let gap = random.vector() * random.power(-14.0, -1.0);
                let moved = if features == Features::VertexTriangle { 1 } else { 2 };
                for x in near.start[..moved].iter_mut().chain(&mut near.end[..moved]) {
                    *x += gap;
                }
                near
            }
            Self::Still => {
                let mut x = exact_contact(features, random);
                if random.below(2) == 0 {
                    x[0] += random.vector() * random.power(-15.0, 0.0);
                }
                query(x, x)
            }
            Self::Degenerate => {
                let mut pair = Self::Grid.plain(features, random);
                for _ in 0..=random.below(2) {
                    let (i, j) = (random.below(4) as usize, random.below(4) as usize);
                    pair.start[i] = pair.start[j];
                    if random.below(3) > 0 {
                        pair.end[i] = pair.end[j];
                    }
                }
                pair
            }
            Self::Cloth => {
                let x = contact(
                    features,
                    random,
                    |random| random.vector() * 0.02,
                    |random| 0.5 + 0.5 * random.real(),
                );
                let gap = random.vector() * random.power(-5.0, -2.0);
                let moved = if features == Features::VertexTriangle { 1 } else { 2 };
                let mut start = x;
                start[..moved].iter_mut().for_each(|x| *x += gap);
                let (common, speed) = (random.vector() * 0.05, random.power(-5.0, -2.0));
                query(start, start.map(|x| x + common + random.vector() * speed))
            }
        }
    }
}

/// The corners of features that touch at these weights.
fn contact(
    features: Features,
    random: &mut Random,
    corner: impl Fn(&mut Random) -> Vec3,
    weight: impl Fn(&mut Random) -> Real,
) -> [Vec3; 4] {
    let [mut a, b, c, mut d] = std::array::from_fn(|_| corner(random));
    let (v, w) = (weight(random), weight(random));
    match features {
        Features::VertexTriangle => {
            let (v, w) = if v + w <= 1.0 { (v, w) } else { (1.0 - v, 1.0 - w) };
            a = b + (c - b) * v + (d - b) * w;
        }
        Features::EdgeEdge => d = c + (a + (b - a) * v - c) / w.max(0.1),
    }
    [a, b, c, d]
}

/// The same, exactly: whole corners, weights in eighths, often 0 or 1.
fn exact_contact(features: Features, random: &mut Random) -> [Vec3; 4] {
    let eighths = |random: &mut Random| match random.below(3) {
        0 => random.below(2) as Real,
        _ => random.below(9) as Real / 8.0,
    };
    // An edge is built from its point, so that only halves of it stay exact.
    let halves = |random: &mut Random| [0.25, 0.5, 1.0][random.below(3) as usize];
    match features {
        Features::VertexTriangle => contact(features, random, |random| random.whole_vector(8), eighths),
        Features::EdgeEdge => {
            let mut x = contact(features, random, |random| random.whole_vector(8), halves);
            if random.below(2) == 0 {
                // The other way round: the point at an end is the first one's.
                x.swap(2, 3);
            }
            x
        }
    }
}

/// Motion that brings the corners to x at time t.
fn through(features: Features, x: [Vec3; 4], moves: [Vec3; 4], t: Real) -> Query {
    let at = |s: Real| std::array::from_fn(|i| x[i] + moves[i] * s);
    Query { features, start: at(-t), end: at(1.0 - t), margin: 0.0, hint: Some(t) }
}

/// An exact contact in whose plane everything moves.
fn sliding(features: Features, random: &mut Random) -> Query {
    let x = exact_contact(features, random);
    let (u, v) = match features {
        Features::VertexTriangle => (x[2] - x[1], x[3] - x[1]),
        Features::EdgeEdge => (x[1] - x[0], x[3] - x[2]),
    };
    let common = random.whole_vector(8);
    let mut moves = random.corners(|random| common + (u * random.whole(8) + v * random.whole(8)) / 8.0);
    if random.below(2) == 0 {
        // Rigid.
        moves[2] = moves[3];
        moves[1] = if features == Features::VertexTriangle { moves[3] } else { moves[0] };
    }
    through(features, x, moves, random.below(9) as Real / 8.0)
}

/// Parallel edges, or a vertex that moves parallel to its triangle.
fn parallel(features: Features, random: &mut Random) -> Query {
    let (a, u, v) = (random.whole_vector(4), random.whole_vector(4), random.whole_vector(4));
    let off =
        if random.below(2) == 0 { Vec3::ZERO } else { random.whole_vector(1) * random.power(-9.0, 0.0) };
    let mut state = || {
        let [i, j, k] = std::array::from_fn(|_| random.whole(4));
        let b = a + off + v * k;
        match features {
            Features::VertexTriangle => [b + u * i + v * j, a, a + u, a + v],
            Features::EdgeEdge => [a, a + u, b + u * i, b + u * j],
        }
    };
    let (start, mut end) = (state(), state());
    if random.below(2) == 0 {
        let tilt = random.power(-16.0, -2.0);
        end = end.map(|x| x + random.vector() * tilt);
    }
    Query { features, start, end, margin: 0.0, hint: None }
}
