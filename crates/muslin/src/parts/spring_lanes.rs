//! Springs eight at a time: gradients without a scatter, and curvatures along a direction.
//!
//! The gradient is computed particle by particle: eight neighbours in the order of elimination share a register, and each
//! sums up its own springs, so that every spring is computed twice, but nothing is ever written twice and no order of sums
//! depends on threads. Positions are double; their differences, which are small, are rounded to single precision.
//!
//! Over a step a damped spring is one of stiffness k + c/γ whose rest length lies between its own and the length from which
//! the rate counts; see [`Increment`](crate::elements::Increment). One-sided springs keep the two apart.

use crate::elements::{Element, Spring};
use crate::math::Real;
use crate::par;
use crate::simd::{self, Gather, Kernel, LANES, Quad, Register, Width};

type Numbers = [f32; LANES];

/// Springs in the layout of wide registers.
#[derive(Clone, Debug, Default)]
pub struct SpringLanes {
    /// First row of each group of eight particles in `around`.
    starts: Vec<u32>,
    /// The springs around particles: a row is one spring of each of eight particles.
    around: Table,
    /// Places of the neighbours, a row as in `around`.
    neighbours: Gather,
    /// Every spring once.
    once: Table,
    /// Places of their ends, a row as in `once`.
    ends: [Gather; 2],
    damped: bool,
}

/// The laws of springs, eight a row; springs of no effect fill the gaps.
#[derive(Clone, Debug, Default)]
struct Table {
    /// Number of the spring in the model, or none.
    springs: Vec<[Option<u32>; LANES]>,
    /// Stiffness [N/m] and rest length [m] over the step, damping included unless `slack` is in use.
    laws: Vec<[Numbers; 2]>,
    /// For models with one-sided springs: elongations between which there is no force [m], damping c/γ that always acts
    /// and that which acts with the force [N/m], and the length from which the rate counts [m].
    slack: Vec<[Numbers; 5]>,
}

impl Table {
    fn push(&mut self, springs: [Option<u32>; LANES]) {
        self.springs.push(springs);
        self.laws.push([[0.0; LANES]; 2]);
    }

    /// Writes the laws for a step of γ; `origin` tells the length from which the rate of a spring counts.
    fn fill(&mut self, springs: &[Spring], one_sided: bool, gamma: Real, origin: impl Fn(&Spring) -> Real) {
        self.slack.resize(if one_sided { self.springs.len() } else { 0 }, [[0.0; LANES]; 5]);
        for row in 0..self.springs.len() {
            for (l, spring) in self.springs[row].iter().enumerate() {
                let Some(spring) = spring.map(|k| &springs[k as usize]) else { continue };
                let (k, viscous) = (spring.stiffness, spring.damping / gamma);
                let counted_from = if viscous == 0.0 { 0.0 } else { origin(spring) };
                let (stiffness, rest) = if one_sided || k + viscous == 0.0 {
                    (k, spring.rest_length)
                } else {
                    (k + viscous, (k * spring.rest_length + viscous * counted_from) / (k + viscous))
                };
                self.laws[row][0][l] = stiffness as f32;
                self.laws[row][1][l] = rest as f32;
                if one_sided {
                    let (always, active) =
                        if spring.damps_when_slack { (viscous, 0.0) } else { (0.0, viscous) };
                    let numbers = [spring.slack[0], spring.slack[1], always, active, counted_from];
                    for (to, number) in self.slack[row].iter_mut().zip(numbers) {
                        to[l] = number as f32;
                    }
                }
            }
        }
    }
}

/// The springs at each free place, in their order, with the place at the other end.
struct Around {
    starts: Vec<u32>,
    springs: Vec<(u32, u32)>,
}

impl Around {
    fn of(springs: &[Spring], place_of: &[u32], free: usize) -> Self {
        let places = |spring: &Spring| spring.particles().map(|p| place_of[p]);
        let mut starts = vec![0u32; free + 1];
        for place in springs.iter().flat_map(places).filter(|&place| (place as usize) < free) {
            starts[place as usize + 1] += 1;
        }
        for place in 0..free {
            starts[place + 1] += starts[place];
        }
        let mut next = starts.clone();
        let mut sorted = vec![(0, 0); starts[free] as usize];
        for (k, spring) in springs.iter().enumerate() {
            let [a, b] = places(spring);
            for (own, other) in [(a, b), (b, a)] {
                if (own as usize) < free {
                    sorted[next[own as usize] as usize] = (other, k as u32);
                    next[own as usize] += 1;
                }
            }
        }
        Self { starts, springs: sorted }
    }

    fn at(&self, place: usize) -> &[(u32, u32)] {
        &self.springs[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

impl SpringLanes {
    /// Lays out the springs of a model: `place_of` tells the place of each particle; the first `free` places are those whose
    /// gradient is wanted. Places beyond `free`, up to a multiple of eight, belong to nobody.
    pub fn of(springs: &[Spring], place_of: &[u32], free: usize) -> Self {
        let mut lanes =
            Self { damped: springs.iter().any(|spring| spring.damping != 0.0), ..Self::default() };
        let around = Around::of(springs, place_of, free);
        let mut neighbours = Vec::new();
        for group in (0..free).step_by(LANES) {
            lanes.starts.push(neighbours.len() as u32);
            let members = group..free.min(group + LANES);
            for row in 0..members.clone().map(|place| around.at(place).len()).max().unwrap_or(0) {
                let at =
                    |l: usize| (group + l < members.end).then(|| around.at(group + l).get(row)).flatten();
                neighbours.push(std::array::from_fn(|l| at(l).map_or(group as u32, |s| s.0)));
                lanes.around.push(std::array::from_fn(|l| at(l).map(|s| s.1)));
            }
        }
        lanes.starts.push(neighbours.len() as u32);
        lanes.neighbours = Gather::new(neighbours);
        // Every spring at the lower of its places, by the higher one.
        let mut once: Vec<(u32, u32, u32)> = Vec::with_capacity(springs.len());
        for place in 0..free {
            let (own, first) = (place as u32, once.len());
            let higher = around.at(place).iter().filter(|(other, _)| *other > own);
            once.extend(higher.map(|&(other, spring)| (own, other, spring)));
            once[first..].sort_unstable();
        }
        let mut ends = [Vec::new(), Vec::new()];
        for row in once.chunks(LANES) {
            ends[0].push(std::array::from_fn(|l| row.get(l).map_or(0, |s| s.0)));
            ends[1].push(std::array::from_fn(|l| row.get(l).map_or(0, |s| s.1)));
            lanes.once.push(std::array::from_fn(|l| row.get(l).map(|s| s.2)));
        }
        lanes.ends = ends.map(Gather::new);
        lanes
    }

    /// Whether laws change from step to step even if its length does not.
    pub fn is_damped(&self) -> bool {
        self.damped
    }

    /// Sets the laws for a step of γ [s]; `origin` tells the length from which the rate of a spring counts [m].
    pub fn begin(&mut self, springs: &[Spring], gamma: Real, origin: impl Fn(&Spring) -> Real) {
        let one_sided = springs.iter().any(|spring| spring.slack[0] <= spring.slack[1]);
        self.around.fill(springs, one_sided, gamma, &origin);
        self.once.fill(springs, one_sided, gamma, &origin);
    }

    /// Adds the gradient of the springs' energy to `out` [N], eight places at a time.
    pub fn add_gradient(&self, x: &[Quad<f64>], out: &mut [Quad<f32>]) {
        const GROUPS: usize = 64;
        let (out, _) = out.as_chunks_mut::<LANES>();
        par::fill_chunks(&mut out[..self.starts.len() - 1], GROUPS, |first, out| {
            simd::run(Gradient { lanes: self, x, first: first * GROUPS, out });
        });
    }

    /// pᵀ H p with H the stiffness, negative parts raised to zero [J for p in m]; p is zero where held.
    pub fn curvature(&self, x: &[Quad<f64>], p: &[Quad<f32>]) -> f64 {
        const ROWS: usize = 512;
        let [sum] = par::sum_chunks(self.once.laws.len(), ROWS, |rows| {
            [simd::run(Curvature { lanes: self, x, p, rows })]
        });
        sum
    }
}

/// Below this a length counts as zero [m²]: a spring without direction.
const SHORT: f32 = 1e-30;

/// 1 where a one-sided spring acts, and the viscous stiffness that acts there.
#[inline(always)]
fn activity<R: Register<f32>>(slack: &[Numbers; 5], elongation: R) -> (R, R) {
    let (low, high) = (R::load(&slack[0]), R::load(&slack[1]));
    let active = elongation.less(low).max(high.less(elongation));
    (active, R::load(&slack[3]).mul_add(active, R::load(&slack[2])))
}

struct Gradient<'a> {
    lanes: &'a SpringLanes,
    x: &'a [Quad<f64>],
    first: usize,
    out: &'a mut [[Quad<f32>; LANES]],
}

impl Kernel for Gradient<'_> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { lanes, x, first, out } = self;
        let (one, short) = (W::F32::splat(1.0), W::F32::splat(SHORT));
        for (group, out) in out.iter_mut().enumerate() {
            let group = first + group;
            let (own, _) = x[group * LANES..(group + 1) * LANES].as_chunks::<LANES>();
            let own = own[0].each_ref();
            let [mut gx, mut gy, mut gz] = W::F32::columns(out.each_ref());
            for row in lanes.starts[group] as usize..lanes.starts[group + 1] as usize {
                let [dx, dy, dz] = W::F32::differences(lanes.neighbours.row(row, x), own);
                let squared = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, short)));
                let inverse = one.div(squared.sqrt());
                let [stiffness, rest] = &lanes.around.laws[row];
                let (stiffness, rest) = (W::F32::load(stiffness), W::F32::load(rest));
                let pull = if let Some(slack) = lanes.around.slack.get(row) {
                    let length = squared.mul(inverse);
                    let elongation = length.sub(rest);
                    let (active, viscous) = activity(slack, elongation);
                    let elastic = stiffness.mul(active).mul(elongation);
                    viscous.mul_add(length.sub(W::F32::load(&slack[4])), elastic).mul(inverse)
                } else {
                    stiffness.mul(one.sub(rest.mul(inverse)))
                };
                gx = pull.mul_add(dx, gx);
                gy = pull.mul_add(dy, gy);
                gz = pull.mul_add(dz, gz);
            }
            *out = W::F32::rows([gx, gy, gz]);
        }
    }
}

struct Curvature<'a> {
    lanes: &'a SpringLanes,
    x: &'a [Quad<f64>],
    p: &'a [Quad<f32>],
    rows: std::ops::Range<usize>,
}

impl Kernel for Curvature<'_> {
    type Output = f64;
    #[inline(always)]
    fn run<W: Width>(self) -> f64 {
        let Self { lanes, x, p, rows } = self;
        let (one, zero, short) = (W::F32::splat(1.0), W::F32::splat(0.0), W::F32::splat(SHORT));
        let mut sum = zero;
        for row in rows {
            let [a, b] = &lanes.ends;
            let [dx, dy, dz] = W::F32::differences(a.row(row, x), b.row(row, x));
            let ([ax, ay, az], [bx, by, bz]) =
                (W::F32::columns(a.row(row, p)), W::F32::columns(b.row(row, p)));
            let (px, py, pz) = (bx.sub(ax), by.sub(ay), bz.sub(az));
            let squared = dx.mul_add(dx, dy.mul_add(dy, dz.mul_add(dz, short)));
            let inverse = one.div(squared.sqrt());
            let along = dx.mul_add(px, dy.mul_add(py, dz.mul(pz)));
            let along = along.mul(inverse);
            let along = along.mul(along);
            let all = px.mul_add(px, py.mul_add(py, pz.mul(pz)));
            let [stiffness, rest] = &lanes.once.laws[row];
            let (stiffness, rest) = (W::F32::load(stiffness), W::F32::load(rest));
            // k [ (n·p)² + t (|p|² − (n·p)²) ],  t = 1 − L/l raised to zero
            let across = all.sub(along);
            if let Some(slack) = lanes.once.slack.get(row) {
                let (active, viscous) = activity(slack, squared.mul(inverse).sub(rest));
                let elastic = one.sub(rest.mul(inverse)).max(zero).mul_add(across, along);
                let from = W::F32::load(&slack[4]);
                let damped = one.sub(from.mul(inverse)).max(zero).mul_add(across, along);
                sum = stiffness.mul(active).mul_add(elastic, viscous.mul_add(damped, sum));
            } else {
                let tension = one.sub(rest.mul(inverse)).max(zero);
                sum = stiffness.mul_add(tension.mul_add(across, along), sum);
            }
        }
        f64::from(sum.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::{Increment, SpringLaw};
    use crate::math::Vec3;
    use crate::profile::uniform;
    use crate::simd::Plain;

    const PARTICLES: usize = 45;
    const FREE: usize = 41;
    const GAMMA: Real = 0.01;
    const BETA: Real = 1.0 / 3.0;

    /// Springs between random particles, damped or not, of this law.
    fn springs(laws: &[SpringLaw], damping: Real) -> Vec<Spring> {
        let pick = |k: u64| (uniform(3, k) * PARTICLES as Real) as u32;
        let pairs = (0..200).map(|k| [pick(2 * k), pick(2 * k + 1)]).filter(|[a, b]| a != b);
        let spring = |(k, ends): (usize, [u32; 2])| {
            let (law, rest) = (laws[k % laws.len()], 0.1 + uniform(4, k as u64));
            Spring {
                damping,
                slack: law.slack(rest),
                damps_when_slack: k % 2 == 0,
                ..Spring::new(ends, rest, 100.0 * (1.0 + uniform(5, k as u64)))
            }
        };
        pairs.enumerate().map(spring).collect()
    }

    fn points(seed: u64) -> Vec<Vec3> {
        let number = |k: usize| 2.0 * uniform(seed, k as u64) - 1.0;
        (0..PARTICLES).map(|i| Vec3::new(number(3 * i), number(3 * i + 1), number(3 * i + 2))).collect()
    }

    struct Case {
        springs: Vec<Spring>,
        lanes: SpringLanes,
        place_of: Vec<u32>,
        x: Vec<Vec3>,
        p: Vec<Vec3>,
        past: [Vec<Vec3>; 2],
    }

    impl Case {
        fn new(laws: &[SpringLaw], damping: Real) -> Self {
            let springs = springs(laws, damping);
            // Places run the other way round; held particles start at a multiple of eight.
            let place =
                |p: usize| if p < FREE { FREE - 1 - p } else { FREE.next_multiple_of(LANES) + p - FREE };
            let place_of: Vec<u32> = (0..PARTICLES).map(|p| place(p) as u32).collect();
            let mut lanes = SpringLanes::of(&springs, &place_of, FREE);
            let past = [points(6), points(7)];
            lanes.begin(&springs, GAMMA, |spring| increment(&past, spring).origin(|[d]| d.length()));
            let p = points(9).into_iter().enumerate().map(|(i, p)| if i < FREE { p } else { Vec3::ZERO });
            Self { springs, lanes, place_of, x: points(8), p: p.collect(), past }
        }

        fn all() -> Vec<Self> {
            let one_sided = [SpringLaw::TensionOnly, SpringLaw::CompressionOnly, SpringLaw::DeadZone(0.1)];
            let mixed = [SpringLaw::TwoSided, SpringLaw::TensionOnly];
            vec![
                Self::new(&[SpringLaw::TwoSided], 0.0),
                Self::new(&[SpringLaw::TwoSided], 0.7),
                Self::new(&one_sided, 0.0),
                Self::new(&one_sided, 0.7),
                Self::new(&mixed, 0.7),
            ]
        }

        fn placed<T: Copy + Default>(&self, vectors: &[Vec3], number: impl Fn(Real) -> T) -> Vec<Quad<T>> {
            let places = FREE.next_multiple_of(LANES) + PARTICLES - FREE;
            let mut quads = vec![[T::default(); 4]; places];
            for (vector, &place) in vectors.iter().zip(&self.place_of) {
                quads[place as usize] = [number(vector.x), number(vector.y), number(vector.z), T::default()];
            }
            quads
        }

        fn gradient(&self) -> Vec<[Quad<f32>; LANES]> {
            let mut out = vec![[[0.0; 4]; LANES]; FREE.div_ceil(LANES)];
            self.lanes.add_gradient(&self.placed(&self.x, |x| x), out.as_flattened_mut());
            out
        }

        fn increment(&self, spring: &Spring) -> Increment<1> {
            increment(&self.past, spring)
        }
    }

    fn increment(past: &[Vec<Vec3>; 2], spring: &Spring) -> Increment<1> {
        Increment { gamma: GAMMA, past: [spring.strain(&past[0]), spring.strain(&past[1])], beta: BETA }
    }

    fn bits(numbers: &[[Quad<f32>; LANES]]) -> Vec<u32> {
        numbers.iter().flatten().flatten().map(|number| number.to_bits()).collect()
    }

    #[test]
    fn wide_and_plain_registers_give_the_same_bits() {
        for case in Case::all() {
            let (x, p) = (case.placed(&case.x, |x| x), case.placed(&case.p, |p| p as f32));
            let mut plain = vec![[[0.0; 4]; LANES]; FREE.div_ceil(LANES)];
            Gradient { lanes: &case.lanes, x: &x, first: 0, out: &mut plain }.run::<Plain>();
            assert_eq!(bits(&case.gradient()), bits(&plain));
            let rows = 0..case.lanes.once.laws.len();
            let plain = Curvature { lanes: &case.lanes, x: &x, p: &p, rows }.run::<Plain>();
            assert_eq!(case.lanes.curvature(&x, &p).to_bits(), plain.to_bits());
        }
    }

    /// Half the distance between 1 and the next number.
    const ROUNDING: Real = 6e-8;

    #[test]
    fn gradients_are_those_of_double_precision_to_single_rounding() {
        for case in Case::all() {
            let (mut exact, mut allowed) = (vec![Vec3::ZERO; PARTICLES], vec![0.0; PARTICLES]);
            for spring in &case.springs {
                let (strain, step) = (spring.strain(&case.x), case.increment(spring));
                let stress = spring.stress(&strain)[0] + spring.viscous_potential_stress(&strain, &step)[0];
                // d, l, L/l and the product round by one each, and so do both laws; the sum over springs by one
                // more each. Numbers up to k̂ (l + L̂) cancel.
                let lengths = strain[0].length() + spring.rest_length;
                let viscous = strain[0].length() + step.origin(|[d]| d.length()).abs();
                let scale = spring.stiffness * lengths + spring.damping / GAMMA * viscous;
                for (particle, stress) in spring.particles().into_iter().zip([-stress, stress]) {
                    exact[particle] += stress;
                    allowed[particle] += 8.0 * ROUNDING * scale;
                }
            }
            let found = case.gradient();
            for particle in 0..FREE {
                let g = found.as_flattened()[case.place_of[particle] as usize].map(f64::from);
                let off = exact[particle].distance(Vec3::new(g[0], g[1], g[2]));
                assert!(off <= allowed[particle], "off by {off:e}, allowed {:e}", allowed[particle]);
            }
        }
    }

    #[test]
    fn curvatures_are_those_of_double_precision_to_single_rounding() {
        for case in Case::all() {
            let one_sided = case.springs.iter().any(|spring| spring.slack[0] <= spring.slack[1]);
            let (mut exact, mut scale) = (0.0, 0.0);
            for spring in &case.springs {
                let (strain, step) = (spring.strain(&case.x), case.increment(spring));
                let (p, length) = (spring.strain(&case.p)[0], strain[0].length());
                let stiffness = spring.stiffness + spring.damping / GAMMA;
                exact += if one_sided {
                    let elastic = spring.positive_stiffness(&strain)[0][0];
                    p.dot((elastic + spring.viscous_potential_stiffness(&strain, &step)[0][0]) * p)
                } else {
                    // Spring and damper are one spring here, whose tension is raised as a whole.
                    let along = (p.dot(strain[0]) / length).powi(2);
                    let pull = spring.stress(&strain)[0] + spring.viscous_potential_stress(&strain, &step)[0];
                    let tension = pull.dot(strain[0]) / (length * length);
                    stiffness * along + tension.max(0.0) * (p.length_squared() - along)
                };
                // t = 1 − L/l is as large as its parts.
                let parts = 1.0 + (spring.rest_length + step.origin(|[d]| d.length()).abs()) / length;
                scale += stiffness * p.length_squared() * parts;
            }
            let (x, p) = (case.placed(&case.x, |x| x), case.placed(&case.p, |p| p as f32));
            let found = case.lanes.curvature(&x, &p);
            assert!((found - exact).abs() <= 8.0 * ROUNDING * scale, "{found} is not {exact}");
            assert!(found > 0.1 * scale / case.springs.len() as Real, "something is there: {found}");
        }
    }
}
