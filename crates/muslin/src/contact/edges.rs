//! What bears on the edges of a solid.

use super::Owner;
use super::closest_points::ClosestPoints;
use super::contacts::Contacts;
use super::geometry::distance::segment_segment;
use super::settings::LEAST_GAP;
use crate::math::{Real, Vec3};
use crate::state::State;
use crate::stencil::Kind;
use std::collections::BTreeSet;

/// The cloth that bears on an edge.
#[derive(Clone, Debug, Default)]
pub struct Bearing {
    /// Its particles.
    pub particles: BTreeSet<u32>,
    /// The sum of the normals of contact, from the edge to the cloth.
    pub normal: Vec3,
}

impl Contacts {
    /// What bears on each of some edges of a collider, where these are now [m]. What bears on a common end of two edges bears on both.
    pub fn bearings_on_edges(&mut self, state: &State, collider: usize, edges: &[[Vec3; 2]]) -> Vec<Bearing> {
        let mut bearings = vec![Bearing::default(); edges.len()];
        if state.contact.contacts.is_empty() {
            return bearings;
        }
        let x = self.vertices(state);
        let near = LEAST_GAP * self.prepared.thickness;
        let surface = &self.prepared.surface;
        let is_of = |v: u32| !surface.is_cloth(v) && surface.owner(v) == Owner::Collider(collider);
        for contact in state.contact.contacts.iter().filter(|contact| contact.past > 0.0) {
            let stencil = contact.stencil;
            let is_first = is_of(stencil.vertices[0]);
            if matches!(stencil.kind, Kind::VertexWall { .. }) || !(is_first || is_of(stencil.vertices[3])) {
                continue;
            }
            let closest = ClosestPoints::of(stencil, &x);
            let weights = || stencil.vertices.into_iter().zip(closest.weights.map(Real::abs));
            let of_solid = weights().filter(|&(v, _)| is_of(v));
            let point: Vec3 = of_solid.map(|(v, weight)| x[v as usize] * weight).sum();
            for (bearing, &[a, b]) in bearings.iter_mut().zip(edges) {
                let [s, _] = segment_segment([a, b], [point, point]);
                if a.lerp(b, s).distance(point) <= near {
                    bearing.normal += if is_first { -closest.normal } else { closest.normal };
                    let of_cloth = weights().filter(|&(v, weight)| weight > 0.0 && surface.is_cloth(v));
                    bearing.particles.extend(of_cloth.map(|(v, _)| v));
                }
            }
        }
        bearings
    }
}
