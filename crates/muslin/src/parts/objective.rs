//! A step of implicit Euler or BDF2 as a minimum [Martin et al. 2011; (8) of Wan et al. 2020].
//!
//! ```text
//! G(x) = ½ Σ aᵢ |xᵢ − yᵢ|² + ½ Σ bᵢ (nᵢ·(xᵢ − wᵢ))² + E(x) + Φ(x)            [J]
//! ```
//!
//! x = x̂ + γ v, as in [`implicit`](super::implicit). The first sum is inertia, gravity, loads and still air, a = m/γ² + C/γ;
//! the second the wind, with the normals n where inertia alone leads, x̂ + γ v̂, off by h² a; E the energy of the elements, Φ their damping over the
//! step. ∇G = 0 is the implicit step; γ² G is the g of (8).
//!
//! Places are those of the order of elimination: first the free particles, then, from a multiple of eight on, the held ones.

use super::bodies::Bodies;
use super::spring_lanes::SpringLanes;
use super::vectors::PLACES;
use crate::elements::{Element, ElementVisitor, Increment, Pressure};
use crate::math::{Mat3, Real, Vec3};
use crate::mesh::vertex_normals;
use crate::model::Model;
use crate::par;
use crate::simd::{self, Kernel, LANES, Quad, Scalar, Width};

/// The stage to minimise for.
#[derive(Clone, Copy, Debug)]
pub struct StepStart<'a> {
    /// x̂ [m].
    pub base_x: &'a [Vec3],
    /// v̂ [m/s].
    pub base_v: &'a [Vec3],
    /// γ [s].
    pub gamma: Real,
    /// Time at the end of the step [s].
    pub time: Real,
    /// Positions at the starts of this step and of the one before [m].
    pub past: [&'a [Vec3]; 2],
    /// β of rates; see [`Increment`].
    pub beta: Real,
}

/// G and its derivatives.
#[derive(Clone, Debug, Default)]
pub struct Objective {
    /// Place of each particle.
    pub place_of: Vec<u32>,
    /// Particle at each free place.
    pub free: Vec<u32>,
    /// Held particles.
    pub held: Vec<u32>,
    /// Places of the particles of each body that nothing holds.
    pub(super) bodies: Bodies,
    /// a at the free places [N/m].
    pub(super) inertia: Vec<Real>,
    /// y at the free places: where inertia and constant forces lead [m].
    pub targets: Vec<Quad<f64>>,
    /// b [N/m], n and w [m] at the free places, if wind blows.
    pub(super) wind: Vec<(Real, Vec3, Vec3)>,
    /// The springs, if they go through wide registers.
    springs: Option<SpringLanes>,
    gamma: Real,
    past: [Vec<Vec3>; 2],
    beta: Real,
    normals: Vec<Vec3>,
    positions: Vec<Vec3>,
    vectors: Vec<Vec3>,
}

impl Objective {
    /// Takes over a model; `free` are its free particles in the order of elimination. Springs go through wide registers of
    /// single precision if `single`.
    pub fn prepare(&mut self, model: &Model, free: Vec<u32>, single: bool) {
        self.place_of = vec![0; model.len()];
        for (place, &particle) in free.iter().enumerate() {
            self.place_of[particle as usize] = place as u32;
        }
        let first = free.len().next_multiple_of(LANES);
        self.held = (0..model.len()).filter(|&p| model.is_held(p)).map(|p| p as u32).collect();
        for (place, &particle) in self.held.iter().enumerate() {
            self.place_of[particle as usize] = (first + place) as u32;
        }
        self.springs = single.then(|| SpringLanes::of(&model.elements.springs, &self.place_of, free.len()));
        self.bodies = Bodies::free(model).renumbered(&self.place_of);
        self.gamma = 0.0;
        self.positions = vec![Vec3::ZERO; model.len()];
        self.vectors = vec![Vec3::ZERO; model.len()];
        self.free = free;
    }

    /// Places in all.
    pub fn places(&self) -> usize {
        self.free.len().next_multiple_of(LANES) + self.held.len()
    }

    /// Sets up G for a step.
    pub fn begin(&mut self, model: &Model, start: &StepStart) {
        let StepStart { base_x, base_v, gamma, time, .. } = *start;
        let remembers =
            self.needs_generic(model) || self.springs.as_ref().is_some_and(SpringLanes::is_damped);
        for (own, past) in self.past.iter_mut().zip(start.past) {
            own.clear();
            own.extend_from_slice(if remembers { past } else { &[] });
        }
        self.beta = start.beta;
        self.begin_springs(model, gamma);
        if self.gamma != gamma {
            let drag = |p: usize| model.forces.drag.get(p).copied().unwrap_or(0.0);
            let stiffness = |&p: &u32| (model.masses[p as usize] / gamma + drag(p as usize)) / gamma;
            self.inertia.clear();
            self.inertia.extend(self.free.iter().map(stiffness));
        }
        self.gamma = gamma;
        let Self { vectors: loads, targets, free, inertia, .. } = self;
        loads.fill(Vec3::ZERO);
        for load in &model.forces.loads {
            for &particle in &load.particles {
                loads[particle as usize] += load.force * load.profile.at(time);
            }
        }
        let (gravity, per_gamma) = (model.forces.gravity, 1.0 / gamma);
        targets.resize(free.len(), [0.0; 4]);
        par::fill_chunks(targets, PLACES, |chunk, targets| {
            let places = free[chunk * PLACES..].iter().zip(&inertia[chunk * PLACES..]);
            for (target, (&p, a)) in targets.iter_mut().zip(places) {
                let p = p as usize;
                let moved = (base_v[p] * per_gamma + gravity) * model.masses[p] + loads[p];
                let y = base_x[p] + moved * (1.0 / a);
                *target = [y.x, y.y, y.z, 0.0];
            }
        });
        self.wind.clear();
        self.normals.clear();
        if let Some(wind) = &model.forces.wind {
            self.normals.resize(model.len(), Vec3::ZERO);
            for (ahead, (x, v)) in self.positions.iter_mut().zip(base_x.iter().zip(base_v)) {
                *ahead = *x + *v * gamma;
            }
            vertex_normals(&model.faces, &self.positions, &mut self.normals);
            let way = wind.velocity * (wind.profile.at(time) * gamma);
            let at = |&p: &u32| {
                let p = p as usize;
                (wind.coefficients[p] / gamma, self.normals[p], base_x[p] + way)
            };
            self.wind.extend(self.free.iter().map(at));
        }
    }

    fn begin_springs(&mut self, model: &Model, gamma: Real) {
        let Some(springs) = &mut self.springs else { return };
        if self.gamma == gamma && !springs.is_damped() {
            return;
        }
        let ([now, before], beta) = ([&self.past[0], &self.past[1]], self.beta);
        springs.begin(&model.elements.springs, gamma, |spring| {
            let past = [spring.strain(now), spring.strain(before)];
            Increment { gamma, past, beta }.origin(|[d]| d.length())
        });
    }

    /// The normals that the wind meets, a particle; none if it does not blow.
    pub fn normals(&self) -> &[Vec3] {
        &self.normals
    }

    /// G(x) [J].
    pub fn value(&mut self, model: &Model, x: &[Quad<f64>]) -> Real {
        let moved = x.iter().zip(&self.targets).map(|(x, y)| (vec(x) - vec(y)).length_squared());
        let inertia: Real = self.inertia.iter().zip(moved).map(|(a, squared)| 0.5 * a * squared).sum();
        let wind: Real =
            self.wind.iter().zip(x).map(|((b, n, w), x)| 0.5 * b * n.dot(vec(x) - *w).powi(2)).sum();
        let mut energy = Value { terms: self.terms(model, x), sum: 0.0 };
        model.elements.accept(&mut energy);
        let elements = energy.sum;
        let enclosed = |pressure: &Pressure| pressure.energy(pressure.volume(&self.positions));
        inertia + wind + elements + model.elements.pressures.iter().map(enclosed).sum::<Real>()
    }

    /// ∇G at the free places [N]; `out` is as long as there are places.
    pub fn gradient<T: Scalar>(&mut self, model: &Model, x: &[Quad<f64>], out: &mut [Quad<T>]) {
        let generic = self.needs_generic(model);
        if generic {
            let mut scratch = std::mem::take(&mut self.vectors);
            scratch.fill(Vec3::ZERO);
            let terms = self.terms(model, x);
            model.elements.accept(&mut Gradient { terms, out: &mut scratch });
            for pressure in &model.elements.pressures {
                pressure.add_energy_gradient(&self.positions, &mut scratch);
            }
            self.vectors = scratch;
        }
        let elements = if generic { &self.vectors[..] } else { &[] };
        simd::run(InertiaGradient { objective: self, x, elements, out });
        if let Some(springs) = &self.springs {
            springs.add_gradient(x, T::as_single_mut(out));
        }
    }

    /// pᵀ H p with H = ∇²G, negative parts of the elements' stiffness raised to zero [J for p in m].
    pub fn curvature<T: Scalar>(&mut self, model: &Model, x: &[Quad<f64>], p: &[Quad<T>]) -> Real {
        let mut sum = simd::run(InertiaCurvature { objective: self, p });
        if let Some(springs) = &self.springs {
            sum += springs.curvature(x, T::as_single(p));
        }
        if self.needs_generic(model) {
            let mut direction = std::mem::take(&mut self.vectors);
            direction.fill(Vec3::ZERO);
            for (place, &particle) in self.free.iter().enumerate() {
                direction[particle as usize] = vec(&p[place].map(T::widened));
            }
            let mut curvature = Curvature { terms: self.terms(model, x), direction: &direction, sum: 0.0 };
            model.elements.accept(&mut curvature);
            sum += curvature.sum;
            let enclosed = |pressure: &Pressure| pressure.curvature(&self.positions, &direction);
            sum += model.elements.pressures.iter().map(enclosed).sum::<Real>();
            self.vectors = direction;
        }
        sum
    }

    /// Whether there are elements that do not go through wide registers.
    fn needs_generic(&self, model: &Model) -> bool {
        let elements = &model.elements;
        self.springs.is_none() || elements.len() > elements.springs.len() || !elements.pressures.is_empty()
    }

    /// Positions in the order of the model, and what else the elements need.
    fn terms(&mut self, model: &Model, x: &[Quad<f64>]) -> Terms<'_> {
        for (position, &place) in self.positions.iter_mut().zip(&self.place_of) {
            *position = vec(&x[place as usize]);
        }
        debug_assert_eq!(model.len(), self.positions.len());
        Terms {
            x: &self.positions,
            past: [&self.past[0], &self.past[1]],
            gamma: self.gamma,
            beta: self.beta,
            without_springs: self.springs.is_some(),
        }
    }
}

#[inline(always)]
fn vec(quad: &Quad<f64>) -> Vec3 {
    Vec3::new(quad[0], quad[1], quad[2])
}

/// Σ aᵢ (xᵢ − yᵢ) + bᵢ nᵢ nᵢ·(xᵢ − wᵢ), and what the elements added.
struct InertiaGradient<'a, T> {
    objective: &'a Objective,
    x: &'a [Quad<f64>],
    elements: &'a [Vec3],
    out: &'a mut [Quad<T>],
}

impl<T: Scalar> Kernel for InertiaGradient<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { objective, x, elements, out } = self;
        let stiff = objective.targets.iter().zip(&objective.inertia);
        for ((out, x), (y, a)) in out.iter_mut().zip(x).zip(stiff) {
            *out = [
                T::rounded((x[0] - y[0]) * a),
                T::rounded((x[1] - y[1]) * a),
                T::rounded((x[2] - y[2]) * a),
                T::rounded((x[3] - y[3]) * a),
            ];
        }
        if objective.wind.is_empty() && elements.is_empty() {
            return;
        }
        for (place, out) in out.iter_mut().enumerate().take(objective.free.len()) {
            let mut g = Vec3::ZERO;
            if let Some((b, n, w)) = objective.wind.get(place) {
                g += *n * (b * n.dot(vec(&x[place]) - *w));
            }
            if let Some(elements) = elements.get(objective.free[place] as usize) {
                g += *elements;
            }
            for c in 0..3 {
                out[c] = T::rounded(out[c].widened() + g[c]);
            }
        }
    }
}

/// Σ aᵢ pᵢ² + bᵢ (nᵢ·pᵢ)².
struct InertiaCurvature<'a, T> {
    objective: &'a Objective,
    p: &'a [Quad<T>],
}

impl<T: Scalar> Kernel for InertiaCurvature<'_, T> {
    type Output = Real;
    #[inline(always)]
    fn run<W: Width>(self) -> Real {
        let mut sums = [0.0; 4];
        for (a, p) in self.objective.inertia.iter().zip(self.p) {
            for c in 0..4 {
                let p = p[c].widened();
                sums[c] += a * p * p;
            }
        }
        let wind = self.objective.wind.iter().zip(self.p);
        let wind: Real = wind.map(|((b, n, _), p)| b * n.dot(vec(&p.map(T::widened))).powi(2)).sum();
        sums.iter().sum::<Real>() + wind
    }
}

/// What the elements' part of G depends on.
#[derive(Clone, Copy)]
struct Terms<'a> {
    x: &'a [Vec3],
    past: [&'a [Vec3]; 2],
    gamma: Real,
    beta: Real,
    without_springs: bool,
}

impl Terms<'_> {
    fn increment<const N: usize, const M: usize, E: Element<N, M>>(&self, element: &E) -> Increment<M> {
        let now = element.strain(self.past[0]);
        let before = if self.beta == 0.0 { now } else { element.strain(self.past[1]) };
        Increment { gamma: self.gamma, past: [now, before], beta: self.beta }
    }

    fn skips<const N: usize, const M: usize, E: Element<N, M>>(&self) -> bool {
        self.without_springs && E::WIDE
    }
}

struct Value<'a> {
    terms: Terms<'a>,
    sum: Real,
}

impl ElementVisitor for Value<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let (strain, step) = (element.strain(self.terms.x), self.terms.increment(element));
            self.sum += element.energy(&strain) + element.viscous_potential(&strain, &step);
        }
    }
}

struct Gradient<'a> {
    terms: Terms<'a>,
    out: &'a mut [Vec3],
}

impl ElementVisitor for Gradient<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        if self.terms.skips::<N, M, E>() {
            return;
        }
        for element in elements {
            let (strain, step) = (element.strain(self.terms.x), self.terms.increment(element));
            let (elastic, viscous) =
                (element.stress(&strain), element.viscous_potential_stress(&strain, &step));
            let stress = std::array::from_fn(|m| elastic[m] + viscous[m]);
            for (particle, gradient) in element.particles().into_iter().zip(element.transpose(&stress)) {
                self.out[particle] += gradient;
            }
        }
    }
}

struct Curvature<'a> {
    terms: Terms<'a>,
    direction: &'a [Vec3],
    sum: Real,
}

impl ElementVisitor for Curvature<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        if self.terms.skips::<N, M, E>() {
            return;
        }
        for element in elements {
            let (strain, step) = (element.strain(self.terms.x), self.terms.increment(element));
            let (elastic, viscous): ([[Mat3; M]; M], _) =
                (element.positive_stiffness(&strain), element.viscous_potential_stiffness(&strain, &step));
            let along = element.strain(self.direction);
            for m in 0..M {
                for l in 0..M {
                    self.sum += along[m].dot((elastic[m][l] + viscous[m][l]) * along[l]);
                }
            }
        }
    }
}
