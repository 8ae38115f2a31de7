//! Solids that cut: where cloth bears on a sharp edge of a collider, it opens ahead of the edge.
//!
//! ```text
//! when     −Σ f·n over the particles of the pairs that touch the edge is its resistance at least: f what elements and pressure put
//!          on them, n the mean normal. Where the edge holds the cloth it puts as much on it
//! where    in the strip ahead of the edge, as wide as its reach, and around its ends              shape/edge.rs
//! how      as by a blade that sweeps this strip, once                                           slice.rs
//! ```
//!
//! The solid itself never enters cloth: it goes on when contact has pushed the lips apart.

use crate::contact::Bearing;
use crate::math::{Real, Vec3};
use crate::mesh::{Face, edges};
use crate::model::EditError;
use crate::tear::Sweep;
use crate::world::World;

impl World {
    /// Cuts cloth that bears on the sharp edges of colliders, after a step. Where there is no room for lips, a later step cuts; what would
    /// come off as a piece of fewer faces than the fabric allows stays.
    pub(crate) fn cut_at_sharp_edges(&mut self) {
        if self.surface_contact().is_none() {
            return;
        }
        for collider in 0..self.model.colliders.len() {
            let sweeps = self.sweeps_ahead(collider);
            if sweeps.is_empty() {
                continue;
            }
            match self.sliced(&sweeps) {
                Ok((other, _)) if self.has_new_splinters(&other) => {}
                Ok((other, _)) => *self = other,
                Err(EditError::NoRoom(_)) => self.state.torn.deferred += 1,
                Err(_) => {} // It misses, or has cut there before.
            }
        }
    }

    /// What lies ahead of the edges of a collider that cloth bears on, where it really is.
    fn sweeps_ahead(&mut self, collider: usize) -> Vec<Sweep> {
        let Some(edge) = self.model.colliders[collider].edge else { return Vec::new() };
        let times = &self.state.contact.collider_times;
        let time = times.get(collider).copied().unwrap_or(self.state.time);
        let frame = self.model.colliders[collider].motion.frame(time);
        let sharp = self.model.obstacles()[collider].sharp_edges();
        let ends: Vec<[Vec3; 2]> = sharp.iter().map(|edge| edge.ends.map(|end| frame.place(end))).collect();
        let bearings = self.contacts.bearings_on_edges(&self.state, collider, &ends);
        if bearings.iter().all(|bearing| bearing.particles.is_empty()) {
            return Vec::new();
        }
        let forces = self.elastic_forces();
        let force = |bearing: &Bearing| {
            let free = bearing.particles.iter().map(|&p| p as usize).filter(|&p| !self.model.is_held(p));
            let normal = bearing.normal.normalize_or_zero();
            (-free.map(|p| forces[p].dot(normal)).sum::<Real>()).max(0.0)
        };
        let cutting = sharp
            .iter()
            .zip(&bearings)
            .filter(|(_, bearing)| !bearing.particles.is_empty() && force(bearing) >= edge.resistance);
        let quads = cutting.flat_map(|(edge, _)| &edge.ahead).map(|quad| quad.map(|x| frame.place(x)));
        quads.map(|[a, b, c, d]| Sweep { from: [a, b], to: [d, c] }).collect()
    }

    /// What the elements and the pressure put on each particle where it is [N].
    fn elastic_forces(&self) -> Vec<Vec3> {
        let at_rest = vec![Vec3::ZERO; self.model.len()];
        let mut forces = at_rest.clone();
        self.model.elements.add_forces(&self.state.positions, &at_rest, &mut forces);
        forces
    }

    /// Whether there are more pieces with fewer faces than their fabric allows after an edit.
    fn has_new_splinters(&self, after: &Self) -> bool {
        let splinters = |world: &Self| -> usize {
            let of_cloth = |cloth: &crate::model::ClothPart| {
                let faces = &world.model.faces[cloth.faces.start as usize..cloth.faces.end as usize];
                piece_sizes(faces)
                    .into_iter()
                    .filter(|&size| size < cloth.fabric.least_piece as usize)
                    .count()
            };
            world.model.cloths.iter().map(of_cloth).sum()
        };
        splinters(after) > splinters(self)
    }
}

/// How many faces each piece has that hangs together by edges.
fn piece_sizes(faces: &[Face]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..faces.len()).collect();
    let root = |first: &mut Vec<usize>, mut k: usize| {
        while first[k] != k {
            first[k] = first[first[k]];
            k = first[k];
        }
        k
    };
    for edge in edges(faces) {
        for pair in edge.faces.windows(2) {
            let [one, other] = [pair[0], pair[1]].map(|face| root(&mut first, face as usize));
            let least = one.min(other);
            (first[one], first[other]) = (least, least);
        }
    }
    let mut sizes = vec![0; faces.len()];
    for k in 0..faces.len() {
        sizes[root(&mut first, k)] += 1;
    }
    sizes.retain(|&size| size > 0);
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::{ContactLaw, SurfaceContact};
    use crate::script::Motion;
    use crate::shape::{Collider, CuttingEdge, Shape};
    use crate::solver::SolverConfig;

    fn momenta(world: &World) -> [Vec3; 2] {
        let particles = world.state.positions.iter().zip(&world.state.velocities).zip(&world.model.masses);
        particles
            .fold([Vec3::ZERO; 2], |[sum, turning], ((x, v), m)| [sum + *v * *m, turning + x.cross(*v * *m)])
    }

    /// A free sheet that a wedge pushes along: the cut itself changes neither mass nor momenta.
    #[test]
    fn a_cut_keeps_mass_and_momenta() {
        let mut builder = Builder::default();
        let resolution = Resolution::Cells([8, 8]);
        builder.add_sheet(&Sheet { resolution, axes: [Vec3::X, Vec3::Y], ..Sheet::default() }).unwrap();
        let wedge = [0.11, 0.93].into_iter().flat_map(|y| {
            [[0.0, -0.02], [-0.05, -0.3], [0.05, -0.3]].map(|[x, z]| Vec3::new(0.52 + x, y, z))
        });
        let edge = CuttingEdge { degrees: 60.0, resistance: 1e9, reach: 0.02 };
        let motion = Motion::Translate { velocity: Vec3::Z, from: 0.0, until: 1.0 };
        let blade = Collider { motion, edge: Some(edge), ..Shape::Hull { points: wedge.collect() }.into() };
        let around = Surroundings {
            gravity: Vec3::ZERO,
            colliders: vec![blade],
            contact: ContactLaw::Surface(SurfaceContact::default()),
            ..Surroundings::default()
        };
        let (model, state) = builder.finish(&around).unwrap();
        let config = SolverConfig::named("pncg").unwrap();
        let mut world = World::new(model, state, &config, 1.0 / 120.0);
        for _ in 0..8 {
            world.step().unwrap();
        }
        assert_eq!(world.state.torn.edges, 0);
        world.model.change(|data| data.colliders[0].edge = Some(CuttingEdge { resistance: 0.0, ..edge }));
        let mass: Real = world.model.masses.iter().sum();
        let before = momenta(&world);
        world.cut_at_sharp_edges();
        assert!(world.state.torn.edges >= 4, "{:?}", world.state.torn);
        assert!((world.model.masses.iter().sum::<Real>() / mass - 1.0).abs() < 1e-12);
        for (now, was) in momenta(&world).into_iter().zip(before) {
            // Twins are born apart with equal velocities; vertices come with rounding.
            assert!(now.distance(was) < 1e-12 * (was.length() + 1e-3), "{now} was {was}");
        }
        assert_eq!(world.intersections(), []);
    }

    #[test]
    fn pieces_hang_together_by_edges() {
        let faces = [[0, 1, 2], [2, 1, 3], [3, 4, 5], [6, 7, 8]].map(|[a, b, c]| Face::triangle(a, b, c));
        assert_eq!(piece_sizes(&faces), [2, 1, 1]);
    }
}
