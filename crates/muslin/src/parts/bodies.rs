//! Bodies: particles that elements hold together, and how they move as rigid ones.

use crate::elements::{Element, ElementVisitor};
use crate::math::{Mat3, Real, Vec3, outer};
use crate::model::Model;

/// The particles of each connected body, in order.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    starts: Vec<usize>,
    particles: Vec<u32>,
}

impl Bodies {
    /// The connected components of a model's elements; a pressure joins all particles of its surface.
    pub fn of(model: &Model) -> Self {
        struct Join(Vec<u32>);
        impl Join {
            fn root(&mut self, mut particle: u32) -> u32 {
                while self.0[particle as usize] != particle {
                    let above = self.0[self.0[particle as usize] as usize];
                    self.0[particle as usize] = above;
                    particle = above;
                }
                particle
            }
        }
        impl ElementVisitor for Join {
            fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
                for element in elements {
                    let particles = element.particles();
                    let first = self.root(particles[0] as u32);
                    for &other in &particles[1..] {
                        let root = self.root(other as u32);
                        self.0[root as usize] = first;
                    }
                }
            }
        }
        let count = model.len();
        let mut join = Join((0..count as u32).collect());
        model.elements.accept(&mut join);
        for pressure in &model.elements.pressures {
            for ends in pressure.triangles().as_flattened().windows(2) {
                let roots = [ends[0], ends[1]].map(|end| join.root(end));
                join.0[roots[1] as usize] = roots[0];
            }
        }
        let mut particles: Vec<u32> = (0..count as u32).collect();
        let roots: Vec<u32> = (0..count as u32).map(|p| join.root(p)).collect();
        particles.sort_by_key(|&p| roots[p as usize]);
        let new_body =
            |&k: &usize| k == 0 || roots[particles[k] as usize] != roots[particles[k - 1] as usize];
        let starts = (0..count).filter(new_body).chain([count]).collect();
        Self { starts, particles }
    }

    /// The bodies that nothing holds: without a held particle, and tied to no point in space. Elements push them neither
    /// aside nor around, as a whole.
    pub fn free(model: &Model) -> Self {
        let mut is_tied: Vec<bool> = (0..model.len()).map(|p| model.is_held(p)).collect();
        for attachment in &model.elements.attachments {
            is_tied[attachment.particle as usize] = true;
        }
        let mut free = Self { starts: vec![0], particles: Vec::new() };
        for body in Self::of(model).iter().filter(|body| !body.iter().any(|&p| is_tied[p as usize])) {
            free.particles.extend_from_slice(body);
            free.starts.push(free.particles.len());
        }
        free
    }

    /// The same bodies with other numbers for the particles, in the order of these.
    #[must_use]
    pub fn renumbered(mut self, number_of: &[u32]) -> Self {
        for ends in self.starts.windows(2) {
            let body = &mut self.particles[ends[0]..ends[1]];
            for particle in &mut *body {
                *particle = number_of[*particle as usize];
            }
            body.sort_unstable();
        }
        self
    }

    /// The particles of one body after the other.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|ends| &self.particles[ends[0]..ends[1]])
    }
}

/// Mass, centre and inertia of some particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// [kg].
    pub mass: Real,
    /// Centre of mass [m].
    pub center: Vec3,
    /// Σ m (|q|² I − q qᵀ) with q = x − centre [kg·m²].
    pub tensor: Mat3,
}

impl Inertia {
    /// Of these particles where they are; none if there is none.
    pub fn of(model: &Model, particles: impl Iterator<Item = usize> + Clone, x: &[Vec3]) -> Option<Self> {
        let (mut mass, mut moment) = (0.0, Vec3::ZERO);
        for p in particles.clone() {
            mass += model.masses[p];
            moment += x[p] * model.masses[p];
        }
        if mass == 0.0 {
            return None;
        }
        let center = moment / mass;
        let mut tensor = Mat3::ZERO;
        for p in particles {
            let q = x[p] - center;
            tensor += (Mat3::from_diagonal(Vec3::splat(q.length_squared())) - outer(q, q)) * model.masses[p];
        }
        Some(Self { mass, center, tensor })
    }

    /// ω with tensor · ω = `angular_momentum`, as far as the particles can turn: those on a line, or in one point, cannot
    /// about it.
    pub fn angular_velocity(&self, angular_momentum: Vec3) -> Vec3 {
        let trace = self.tensor.x_axis.x + self.tensor.y_axis.y + self.tensor.z_axis.z;
        if trace <= 0.0 {
            return Vec3::ZERO;
        }
        // The least that makes a line's tensor invertible; about the line itself nothing turns, whatever comes out.
        let regular = self.tensor + Mat3::from_diagonal(Vec3::splat(1e-14 * trace));
        let first = regular.inverse() * angular_momentum;
        // Once more on what is left takes the 1e-14 back.
        first + regular.inverse() * (angular_momentum - self.tensor * first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elements::{Attachment, Elements, Pressure, PressureLaw, Spring};
    use crate::model::ModelData;

    fn model(count: usize, springs: &[[u32; 2]]) -> Model {
        let springs = springs.iter().map(|&ends| Spring::new(ends, 1.0, 1.0)).collect();
        let elements = Elements { springs, ..Elements::default() };
        let (masses, inverse_masses) = (vec![2.0; count], vec![0.5; count]);
        ModelData { masses, inverse_masses, elements, ..ModelData::default() }.into()
    }

    #[test]
    fn what_is_connected_is_one_body() {
        let bodies = Bodies::of(&model(6, &[[3, 0], [1, 4], [4, 3]]));
        let found: Vec<Vec<u32>> = bodies.iter().map(<[u32]>::to_vec).collect();
        assert!(found.contains(&vec![0, 1, 3, 4]), "{found:?}");
        assert!(found.contains(&vec![2]) && found.contains(&vec![5]) && found.len() == 3, "{found:?}");
    }

    #[test]
    fn what_is_held_or_attached_is_not_free() {
        let mut model = model(8, &[[0, 1], [2, 3], [4, 5]]);
        model.change(|data| data.inverse_masses[3] = 0.0);
        model.change(|data| {
            data.elements.attachments =
                vec![Attachment { particle: 4, point: Vec3::ZERO, stiffness: 1.0, damping: 0.0 }];
        });
        let found: Vec<Vec<u32>> = Bodies::free(&model).iter().map(<[u32]>::to_vec).collect();
        assert_eq!(found, [vec![0, 1], vec![6], vec![7]]);
        let places = [5, 2, 0, 0, 0, 0, 7, 1];
        let found: Vec<Vec<u32>> =
            Bodies::free(&model).renumbered(&places).iter().map(<[u32]>::to_vec).collect();
        assert_eq!(found, [vec![2, 5], vec![7], vec![1]]);
    }

    /// Two halves of a tetrahedron that no element joins.
    #[test]
    fn a_pressure_joins_the_particles_of_its_surface() {
        let mut model = model(5, &[[0, 1], [2, 3]]);
        let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
        let pressure = Pressure::new(triangles, &corners, PressureLaw::Constant(1.0)).unwrap();
        model.change(|data| data.elements.pressures = vec![pressure]);
        let found: Vec<Vec<u32>> = Bodies::free(&model).iter().map(<[u32]>::to_vec).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&vec![0, 1, 2, 3]), "{found:?}");
    }

    #[test]
    fn a_dumbbell_turns_as_it_should_and_not_about_itself() {
        let x = [Vec3::X, Vec3::X * 3.0];
        let inertia = Inertia::of(&model(2, &[]), 0..2, &x).unwrap();
        assert_eq!((inertia.mass, inertia.center), (4.0, Vec3::X * 2.0));
        // Two times 2 kg at 1 m: 4 kg·m².
        let omega = inertia.angular_velocity(Vec3::new(0.0, 8.0, 0.0));
        assert!(omega.distance(Vec3::Y * 2.0) < 1e-12, "{omega}");
    }
}
