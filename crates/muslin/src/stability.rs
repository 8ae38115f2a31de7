//! The largest time step that linear theory allows, to warn and to advise.
//!
//! Around a state with all springs acting and all other elements as they are, u'' + M⁻¹C u' + M⁻¹K u = 0. The fastest oscillation has ω², the largest eigenvalue of
//! M⁻¹K; the fastest decay λ, the largest of M⁻¹C. A method is tried on the damped oscillators of these two modes, whatever its formulas.

use crate::elements::{Element, ElementVisitor, Elements, Pressure, Spring, Tangent};
use crate::math::{Mat3, Real, Vec3};
use crate::model::{Model, ModelData};
use crate::solver::SolverConfig;
use crate::state::State;
use crate::world::World;

/// A damped oscillation x'' + λ x' + ω² x = 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// ω [rad/s].
    pub omega: Real,
    /// λ [1/s].
    pub lambda: Real,
}

/// The modes that limit explicit methods: of the largest ω, and of the largest λ.
pub fn stiffest_modes(model: &Model, positions: &[Vec3]) -> [Mode; 2] {
    let network = Network::of(model, positions);
    [network.dominant(Side::Elastic), network.dominant(Side::Viscous)]
}

/// The largest step at which `config` does not amplify the stiffest modes [s]; none if there is no limit. Springs that go
/// slack leave their dampers without a spring, which counts as a mode of its own.
pub fn largest_stable_step(model: &Model, positions: &[Vec3], config: &SolverConfig) -> Option<Real> {
    if matches!(config, SolverConfig::Rods(_)) && !model.elements.rods.is_empty() {
        let mut without = model.clone();
        without.change(|data| data.elements.rods.clear());
        return largest_stable_step(&without, positions, config); // this method holds them
    }
    let [fastest, most_damped] = stiffest_modes(model, positions);
    let slackens = model.elements.springs.iter().any(|spring| spring.slack[0] <= spring.slack[1]);
    let slack = slackens.then_some(Mode { omega: 0.0, ..most_damped });
    let modes = [Some(fastest), Some(most_damped), slack];
    modes.into_iter().flatten().filter_map(|mode| mode_limit(config, mode)).min_by(Real::total_cmp)
}

/// The largest step at which `config` does not amplify one damped oscillator [s]; none if there is no limit.
pub fn mode_limit(config: &SolverConfig, mode: Mode) -> Option<Real> {
    let rate = mode.omega.max(mode.lambda);
    if !(rate > 0.0 && rate.is_finite()) || matches!(config, SolverConfig::Rk45(_)) {
        return None; // nothing to amplify, nothing to be said, or a method that adapts its own steps
    }
    let mut stable = 1e-3 / rate;
    while stable * rate < 1e3 && is_stable(config, mode, 2.0 * stable) {
        stable *= 2.0;
    }
    if stable * rate >= 1e3 {
        return None;
    }
    let mut unstable = 2.0 * stable;
    for _ in 0..16 {
        let middle = 0.5 * (stable + unstable);
        if is_stable(config, mode, middle) { stable = middle } else { unstable = middle }
    }
    Some(stable)
}

/// Whether the oscillator has no more energy in the last hundred of 300 steps than in the first hundred, by more than 10 %.
/// (Within a hundred steps even a stable method may swing far beyond the start.)
fn is_stable(config: &SolverConfig, mode: Mode, h: Real) -> bool {
    let spring = Spring { damping: mode.lambda, ..Spring::new([0, 1], 0.0, mode.omega * mode.omega) };
    let elements = Elements { springs: vec![spring], ..Elements::default() };
    let (masses, inverse_masses) = (vec![1.0; 2], vec![0.0, 1.0]);
    let data = ModelData { masses, inverse_masses, elements, ..ModelData::default() };
    let mut world = World::new(data.into(), State::at_rest(vec![Vec3::ZERO, Vec3::X]), config, h);
    world.state.velocities[1] = Vec3::X * mode.omega.max(mode.lambda); // a mode without stiffness needs a push
    let mut swing = || {
        let mut largest: Real = 0.0;
        for _ in 0..100 {
            world.step().ok()?;
            let (x, v) = (world.state.positions[1].x, world.state.velocities[1].x);
            largest = largest.max(v * v + mode.omega * mode.omega * x * x);
        }
        Some(largest)
    };
    match [swing(), swing(), swing()] {
        [Some(first), Some(_), Some(last)] => last <= 1.1 * first,
        _ => false,
    }
}

/// Which matrix: K, or C with the air's drag.
#[derive(Clone, Copy)]
enum Side {
    Elastic,
    Viscous,
}

/// A spring reduced to what acts along it: k and c.
struct Link {
    ends: [usize; 2],
    direction: Vec3,
    coefficients: [Real; 2],
}

/// What two particles of another element do to each other: a block of K and one of C.
struct Pair {
    ends: [usize; 2],
    blocks: [Mat3; 2],
}

struct Network<'a> {
    model: &'a Model,
    links: Vec<Link>,
    pairs: Vec<Pair>,
    /// ψ'' and ∂V of each pressure.
    bulks: Vec<(Real, Vec<Vec3>)>,
}

impl<'a> Network<'a> {
    fn of(model: &'a Model, positions: &[Vec3]) -> Self {
        let link = |spring: &Spring| Link {
            ends: spring.particles(),
            direction: spring.strain(positions)[0].normalize_or_zero(),
            coefficients: [spring.stiffness, spring.damping],
        };
        let elements = &model.elements;
        let others = Elements { springs: Vec::new(), pressures: Vec::new(), ..elements.clone() };
        let mut collector = Collector { positions, pairs: Vec::new() };
        others.accept(&mut collector);
        let bulk = |pressure: &Pressure| {
            let mut gradient = vec![Vec3::ZERO; positions.len()];
            pressure.gradient(positions, &mut gradient);
            (pressure.bulk(pressure.volume(positions)), gradient)
        };
        Self {
            model,
            links: elements.springs.iter().map(link).collect(),
            pairs: collector.pairs,
            bulks: elements.pressures.iter().map(bulk).collect(),
        }
    }

    /// The dominant mode of one matrix, found by power iteration.
    fn dominant(&self, side: Side) -> Mode {
        let count = self.model.len();
        // A start with a part in every mode: signs that alternate like the fastest one, and some disorder.
        let mut u: Vec<Vec3> = (0..count)
            .map(|i| {
                Vec3::new(1.0, -0.7, 0.4) * (if i % 2 == 0 { 1.0 } else { -1.0 })
                    + Vec3::splat(0.1 * ((i * 7919) % 13) as Real)
            })
            .collect();
        let mut product = vec![Vec3::ZERO; count];
        let mut last = 0.0;
        for iteration in 0..2000 {
            self.apply(side, &u, &mut product);
            for (p, w) in product.iter_mut().zip(&self.model.inverse_masses) {
                *p *= *w;
            }
            let size = product.iter().map(|p| p.length_squared()).sum::<Real>().sqrt();
            if size == 0.0 {
                return Mode { omega: 0.0, lambda: 0.0 };
            }
            for (u, p) in u.iter_mut().zip(&product) {
                *u = *p / size;
            }
            if iteration > 20 && (size - last).abs() < 1e-7 * size {
                break;
            }
            last = size;
        }
        Mode { omega: self.rayleigh(Side::Elastic, &u).sqrt(), lambda: self.rayleigh(Side::Viscous, &u) }
    }

    /// uᵀ A u / uᵀ M u.
    fn rayleigh(&self, side: Side, u: &[Vec3]) -> Real {
        let mut product = vec![Vec3::ZERO; u.len()];
        self.apply(side, u, &mut product);
        let energy: Real = product.iter().zip(u).map(|(p, u)| p.dot(*u)).sum();
        let mass: Real = self.model.masses.iter().zip(u).map(|(m, u)| m * u.length_squared()).sum();
        energy / mass
    }

    fn apply(&self, side: Side, u: &[Vec3], product: &mut [Vec3]) {
        match side {
            Side::Elastic => product.fill(Vec3::ZERO),
            Side::Viscous => {
                for (i, (p, u)) in product.iter_mut().zip(u).enumerate() {
                    *p = *u * self.model.forces.drag.get(i).copied().unwrap_or(0.0);
                }
            }
        }
        let which = side as usize;
        for link in &self.links {
            let [a, b] = link.ends;
            let pull = link.direction * (link.coefficients[which] * link.direction.dot(u[b] - u[a]));
            product[a] -= pull;
            product[b] += pull;
        }
        for pair in &self.pairs {
            product[pair.ends[0]] += pair.blocks[which] * u[pair.ends[1]];
        }
        for (bulk, gradient) in self.bulks.iter().filter(|_| matches!(side, Side::Elastic)) {
            let change: Real = gradient.iter().zip(u).map(|(g, u)| g.dot(*u)).sum();
            for (p, g) in product.iter_mut().zip(gradient) {
                *p += *g * (bulk * change);
            }
        }
    }
}

/// Gathers AᵀSA and AᵀVA of every element.
struct Collector<'a> {
    positions: &'a [Vec3],
    pairs: Vec<Pair>,
}

impl ElementVisitor for Collector<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        for element in elements {
            let tangents =
                element.tangents(&element.strain(self.positions), &[Vec3::ZERO; M], Tangent::Positive);
            let (particles, operator) = (element.particles(), element.operator());
            for (row, column) in (0..N).flat_map(|row| (0..N).map(move |column| (row, column))) {
                let block = |tangent: &[[Mat3; M]; M]| {
                    let mut sum = Mat3::ZERO;
                    for m in 0..M {
                        for l in 0..M {
                            sum += tangent[m][l] * (operator[m][row] * operator[l][column]);
                        }
                    }
                    sum
                };
                let blocks = [block(&tangents[0]), block(&tangents[1])];
                self.pairs.push(Pair { ends: [particles[row], particles[column]], blocks });
            }
        }
    }
}
