//! The walk: from particle to particle through strained elements, each evaluated once.

use crate::elements::{Element, ElementVisitor, Spring};
use crate::math::{Real, Vec3};
use crate::model::Model;

/// Beyond what an element acts and passes the walk on.
#[derive(Clone, Copy, Debug)]
pub struct Thresholds {
    /// ε of springs, of their length.
    pub strain: Real,
    /// ε_a of the other elements [m/s²].
    pub acceleration: Real,
}

/// Who was visited, and the forces of the elements met.
#[derive(Clone, Debug, Default)]
pub struct Walk {
    /// Whether a particle was visited.
    pub visited: Vec<bool>,
    /// The visited particles.
    pub order: Vec<u32>,
    /// Elements that acted.
    pub strained: u32,
    /// For each slot of an element force: the first slot of its element, and its particle.
    firsts: Vec<u32>,
    particles: Vec<u32>,
    /// The walk that last met the element which begins at a slot.
    marks: Vec<u32>,
    forces: Vec<Vec3>,
    stack: Vec<u32>,
    number: u32,
}

impl Walk {
    pub fn prepare(&mut self, model: &Model) {
        struct Slots<'a>(&'a mut Vec<u32>, &'a mut Vec<u32>);
        impl ElementVisitor for Slots<'_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                for element in elements {
                    let first = self.0.len() as u32;
                    self.0.extend([first; N]);
                    self.1.extend(element.particles().map(|p| p as u32));
                }
            }
        }
        self.firsts.clear();
        self.particles.clear();
        model.elements.accept(&mut Slots(&mut self.firsts, &mut self.particles));
        self.marks.clear();
        self.marks.resize(self.firsts.len(), 0);
        self.forces.clear();
        self.forces.resize(self.firsts.len(), Vec3::ZERO);
        self.visited.clear();
        self.visited.resize(model.len(), false);
        self.order.clear();
        // No step may take memory: a walk can visit all.
        self.order.reserve(model.len());
        self.stack.reserve(2 * model.len());
        self.number = 0;
    }

    /// Begins anew: nobody is visited.
    pub fn start(&mut self) {
        for p in self.order.drain(..) {
            self.visited[p as usize] = false;
        }
        self.strained = 0;
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.marks.fill(0);
            self.number = 1;
        }
    }

    /// Visits a particle and all that can be reached from it through strained elements, at positions and velocities [m, m/s].
    /// Pinned particles are reached, but passed only as a root.
    pub fn spread(&mut self, model: &Model, field: [&[Vec3]; 2], thresholds: &Thresholds, root: u32) {
        let is_new = self.visit(root);
        if !is_new && !model.is_held(root as usize) {
            return;
        }
        self.stack.push(root);
        while let Some(p) = self.stack.pop() {
            for &slot in model.incidence().slots(p as usize) {
                let first = self.firsts[slot as usize] as usize;
                if self.marks[first] == self.number {
                    continue;
                }
                self.marks[first] = self.number;
                let reached = first..first + self.evaluate(model, field, thresholds, first);
                for slot in reached {
                    let q = self.particles[slot];
                    if self.visit(q) && !model.is_held(q as usize) {
                        self.stack.push(q);
                    }
                }
            }
        }
    }

    fn visit(&mut self, p: u32) -> bool {
        let is_new = !std::mem::replace(&mut self.visited[p as usize], true);
        if is_new {
            self.order.push(p);
        }
        is_new
    }

    /// The sum of the forces of its elements on a particle that was visited and is free [N].
    pub fn force(&self, model: &Model, particle: usize) -> Vec3 {
        let slots = model.incidence().slots(particle).iter();
        slots.fold(Vec3::ZERO, |sum, &slot| sum + self.forces[slot as usize])
    }

    /// How many of the visited are free.
    pub fn visited_free(&self, model: &Model) -> u32 {
        self.order.iter().filter(|&&p| !model.is_held(p as usize)).count() as u32
    }

    /// Finds the forces of the element that begins at a slot. How many particles it acts on: none if it is not strained.
    fn evaluate(
        &mut self,
        model: &Model,
        field: [&[Vec3]; 2],
        thresholds: &Thresholds,
        first: usize,
    ) -> usize {
        if let Some(spring) = model.elements.springs.get(first / 2) {
            let pull = pull(spring, field, thresholds.strain);
            self.forces[first] = pull;
            self.forces[first + 1] = -pull;
            self.strained += u32::from(pull != Vec3::ZERO);
            return if pull == Vec3::ZERO { 0 } else { 2 };
        }
        let mut other = Other { skip: first, model, field, threshold: thresholds.acceleration, count: None };
        let acts = other.evaluate(&mut self.forces[first..]);
        self.strained += u32::from(acts);
        if acts { other.count.unwrap_or(0) } else { 0 }
    }
}

/// The force of a spring on its first end [N]; zero within ε of its length, unless its damper pulls as hard as a spring at ε.
#[inline]
fn pull(spring: &Spring, field: [&[Vec3]; 2], part: Real) -> Vec3 {
    let band = part * spring.rest_length;
    let [force, _] = spring.forces(field[0], field[1]);
    let elongation = spring.strain(field[0])[0].length() - spring.rest_length;
    let is_damped = spring.damping != 0.0 && force.length_squared() > (spring.stiffness * band).powi(2);
    if elongation.abs() > band || is_damped { force } else { Vec3::ZERO }
}

/// An element of any kind, by its first slot.
struct Other<'a> {
    /// Slots before it, among the kinds still to come.
    skip: usize,
    model: &'a Model,
    field: [&'a [Vec3]; 2],
    threshold: Real,
    /// Its particles, once it is found.
    count: Option<usize>,
}

impl Other<'_> {
    /// Writes its forces, or zeros; whether it acts.
    fn evaluate(&mut self, forces: &mut [Vec3]) -> bool {
        struct Found<'a, 'b>(&'a mut Other<'b>, &'a mut [Vec3], bool);
        impl ElementVisitor for Found<'_, '_> {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                let Self(wanted, out, acts) = self;
                if wanted.count.is_some() {
                    return;
                }
                let Some(element) = elements.get(wanted.skip / N) else {
                    wanted.skip -= N * elements.len();
                    return;
                };
                wanted.count = Some(N);
                let forces = element.forces(wanted.field[0], wanted.field[1]);
                let weights = element.particles().map(|p| wanted.model.inverse_masses[p]);
                // What ties a particle to the world is a load: it has no other end to rest at.
                *acts = N == 1
                    || forces.iter().zip(weights).any(|(force, w)| force.length() * w > wanted.threshold);
                out[..N].copy_from_slice(&if *acts { forces } else { [Vec3::ZERO; N] });
            }
        }
        let model = self.model;
        let mut found = Found(self, forces, false);
        model.elements.accept(&mut found);
        found.2
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::material::{Bending, Fabric, MembraneMaterial};
    use crate::state::State;
    use std::collections::VecDeque;

    const THRESHOLDS: Thresholds = Thresholds { strain: 1e-3, acceleration: 1e-2 };

    /// A sheet of springs, or of membranes and hinges, shaken but for its last rows.
    fn shaken(springs: bool) -> (Model, State) {
        let membrane = Some(MembraneMaterial { warp: 200.0, ..Default::default() });
        let bending = Some(Bending { rigidity: 1e-4, ..Default::default() });
        let woven = Fabric { membrane, bending, ..Fabric::default() };
        let fabric = if springs { Fabric::default() } else { woven };
        let mut builder = Builder::default();
        let sheet = Sheet { resolution: Resolution::Particles([12, 12]), fabric, ..Sheet::default() };
        builder.add_sheet(&sheet).unwrap();
        let (model, mut state) = builder.finish(&Surroundings::default()).unwrap();
        for (p, x) in state.positions.iter_mut().enumerate().take(60) {
            let number = |k: u64| crate::profile::uniform(5, 3 * p as u64 + k) - 0.5;
            *x += Vec3::new(number(0), number(1), number(2)) * 0.02;
        }
        (model, state)
    }

    fn walked(model: &Model, state: &State, roots: &[u32]) -> (Vec<bool>, Vec<Vec3>, u32) {
        let mut walk = Walk::default();
        walk.prepare(model);
        walk.start();
        for &root in roots {
            walk.spread(model, [&state.positions, &state.velocities], &THRESHOLDS, root);
        }
        let force = |p: usize| if walk.visited[p] { walk.force(model, p) } else { Vec3::ZERO };
        (walk.visited.clone(), (0..model.len()).map(force).collect(), walk.strained)
    }

    #[test]
    fn the_order_of_the_walk_changes_no_bit() {
        for springs in [true, false] {
            let (model, state) = shaken(springs);
            let expected = walked(&model, &state, &[0, 7, 30]);
            assert!(expected.0.iter().any(|&v| v) && expected.0.iter().any(|&v| !v), "some and not all");
            for roots in [[30, 7, 0], [7, 0, 30], [30, 0, 7]] {
                assert_eq!(walked(&model, &state, &roots), expected);
            }
        }
    }

    /// Breadth first, over all elements again and again, in plain code.
    #[test]
    fn what_is_visited_is_what_can_be_reached() {
        let (model, state) = shaken(true);
        let mut reached = vec![false; model.len()];
        let mut queue = VecDeque::from([7_usize]);
        reached[7] = true;
        while let Some(p) = queue.pop_front() {
            for spring in &model.elements.springs {
                let [a, b] = spring.particles();
                let elongation = state.positions[a].distance(state.positions[b]) - spring.rest_length;
                let acts = spring.stress(&spring.strain(&state.positions))[0] != Vec3::ZERO;
                let is_strained = elongation.abs() > 1e-3 * spring.rest_length && acts;
                let other = if a == p { b } else { a };
                if (a == p || b == p) && is_strained && !std::mem::replace(&mut reached[other], true) {
                    queue.push_back(other);
                }
            }
        }
        assert_eq!(walked(&model, &state, &[7]).0, reached);
    }

    #[test]
    fn strained_elements_act_on_all_their_particles() {
        for springs in [true, false] {
            let (model, state) = shaken(springs);
            let (_, forces, strained) = walked(&model, &state, &[7]);
            let [sum, size] =
                [forces.iter().copied().sum::<Vec3>().length(), forces.iter().map(|f| f.length()).sum()];
            // Rounding of some hundred forces.
            assert!(strained > 50 && sum < 1e-13 * size, "{strained} elements, {sum:e} N of {size:e} N");
        }
    }
}
