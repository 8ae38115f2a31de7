//! Pairs of particles that are to become one: whether nothing is in their way.
//!
//! Both go straight to where they meet. Their faces sweep tetrahedra then, of which the old faces were free and the new ones must be;
//! so nothing is inside if nothing pierces their other sides, each from an edge as it was to where it is.

use super::audit::intersections_of;
use super::broad_phase::Aabb;
use super::contacts::Contacts;
use super::settings::LEAST_GAP;
use crate::math::{Real, Vec3};
use crate::state::State;
use crate::stencil::{Kind, Stencil};

impl Contacts {
    /// Whether pairs can go to their targets, one pair after the other, given the triangles before they become one; else the first
    /// pair that cannot.
    pub fn can_close(&mut self, state: &State, pairs: &[[u32; 2]], targets: &[Vec3]) -> Result<(), usize> {
        let mut x = self.vertices(state);
        let mut one: Vec<u32> = (0..x.len() as u32).collect();
        for (number, (&pair, &target)) in pairs.iter().zip(targets).enumerate() {
            let near = self.triangles_near(pair, target, &x);
            let joined = |one: &[u32]| -> Vec<[u32; 3]> {
                near.iter().map(|triangle| triangle.map(|v| one[v as usize])).collect()
            };
            let before =
                intersections_of(&self.prepared.surface, &joined(&one), &x).len() + self.below(pair, &x);
            let mut swept = x.clone();
            swept.extend(pair.map(|p| x[p as usize]));
            one[pair[1] as usize] = pair[0];
            for p in pair {
                swept[p as usize] = target;
            }
            let mut triangles = joined(&one);
            let old = x.len() as u32;
            for (k, p) in pair.into_iter().enumerate() {
                let around = near.iter().filter(|triangle| triangle.contains(&p)).flatten();
                let ends: std::collections::BTreeSet<u32> = around.copied().filter(|&v| v != p).collect();
                triangles.extend(ends.into_iter().map(|end| [one[end as usize], old + k as u32, pair[0]]));
            }
            let found = intersections_of(&self.prepared.surface, &triangles, &swept);
            // A swept side and a face around the pair may lie in one plane.
            let is_side = |triangle: &[u32; 3]| triangle.iter().any(|&v| v >= old);
            let is_around = |triangle: &[u32; 3]| triangle.contains(&pair[0]);
            let counts = |pair: &&super::Intersection| {
                !((is_side(&pair.first) || is_side(&pair.second))
                    && is_around(&pair.first)
                    && is_around(&pair.second))
            };
            let after = found.iter().filter(counts).count() + self.below(pair, &swept);
            if after > before {
                return Err(number);
            }
            swept.truncate(x.len());
            x = swept;
        }
        Ok(())
    }

    /// Whether the triangles around some vertices intersect anything more than before; those before are given by their count.
    pub fn faults_around(&mut self, state: &State, vertices: &[u32]) -> usize {
        let x = self.vertices(state);
        let all = &self.prepared.surface.triangles;
        let star = all.iter().filter(|triangle| vertices.iter().any(|vertex| triangle.contains(vertex)));
        let at = |triangle: &[u32; 3]| triangle.map(|v| x[v as usize]);
        let room = Aabb::of_points(star.flat_map(at), LEAST_GAP * self.prepared.thickness);
        let near: Vec<[u32; 3]> = all
            .iter()
            .copied()
            .filter(|triangle| Aabb::of_points(at(triangle), 0.0).overlaps(&room))
            .collect();
        intersections_of(&self.prepared.surface, &near, &x).len()
    }

    /// Gives the pairs that contact remembers the numbers that their triangles have now.
    pub fn renumber_triangles(&self, state: &mut State) {
        let sorted = |corners: [u32; 3]| {
            let mut corners = corners;
            corners.sort_unstable();
            corners
        };
        let all = self.prepared.surface.triangles.iter().enumerate();
        let mut numbers: Vec<([u32; 3], u32)> =
            all.map(|(k, &corners)| (sorted(corners), k as u32)).collect();
        numbers.sort_unstable();
        state.contact.contacts.retain_mut(|contact| {
            let [_, a, b, c] = contact.stencil.vertices;
            let Kind::VertexTriangle { triangle } = &mut contact.stencil.kind else { return true };
            let found = numbers.binary_search_by_key(&sorted([a, b, c]), |entry| entry.0);
            found.map(|k| *triangle = numbers[k].1).is_ok()
        });
    }

    /// Where solids bear on cloth with a vertex or an edge, not with a wall: the corners of the cloth's feature, and the radius of the
    /// solid's [m].
    pub fn bearings(&self, state: &State) -> Vec<(Vec<u32>, Real)> {
        let surface = &self.prepared.surface;
        let of = |stencil: Stencil| {
            let (one, other) = stencil.vertices.split_at(stencil.kind.first());
            let (cloth, solid) = match [one.first(), other.first()] {
                [Some(&a), Some(&b)] if surface.is_cloth(a) && !surface.is_cloth(b) => (one, b),
                [Some(&a), Some(&b)] if surface.is_cloth(b) && !surface.is_cloth(a) => (other, a),
                _ => return None,
            };
            (cloth.len() > 1).then(|| (cloth.to_vec(), surface.radius(solid)))
        };
        let bears = state.contact.contacts.iter().filter(|contact| contact.force > 0.0);
        bears.filter_map(|contact| of(contact.stencil)).collect()
    }

    /// Which particles of cloth a solid bears on.
    pub fn borne(&self, state: &State) -> Vec<bool> {
        let surface = &self.prepared.surface;
        let mut is_borne = vec![false; state.positions.len()];
        for contact in state.contact.contacts.iter().filter(|contact| contact.force > 0.0) {
            let (cloth, others): (Vec<u32>, Vec<u32>) =
                contact.stencil.vertices.iter().partition(|&&vertex| surface.is_cloth(vertex));
            if !others.is_empty() || contact.stencil.kind.first() == 0 {
                for vertex in cloth {
                    is_borne[vertex as usize] = true;
                }
            }
        }
        is_borne
    }

    /// The triangles that reach into where the faces around a pair are, and will be.
    fn triangles_near(&self, pair: [u32; 2], target: Vec3, x: &[Vec3]) -> Vec<[u32; 3]> {
        let all = &self.prepared.surface.triangles;
        let at = |triangle: &[u32; 3]| triangle.map(|v| x[v as usize]);
        let star = all.iter().filter(|triangle| pair.iter().any(|p| triangle.contains(p)));
        let room = Aabb::of_points(star.flat_map(at).chain([target]), LEAST_GAP * self.prepared.thickness);
        all.iter().copied().filter(|triangle| Aabb::of_points(at(triangle), 0.0).overlaps(&room)).collect()
    }

    /// How many of two vertices lie below planes.
    fn below(&self, vertices: [u32; 2], x: &[Vec3]) -> usize {
        let of = |v: u32| self.solids.walls.iter().filter(|wall| wall.is_below(x[v as usize])).count();
        vertices.map(of).iter().sum()
    }
}
