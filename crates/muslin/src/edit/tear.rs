//! Tears while a world runs, at the end of each step.

use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::model::{ClothPart, EditError};
use crate::remesh::Corner;
use crate::tear::{Tear, splits, tears};
use crate::world::World;

impl World {
    /// Tears cloth where it carries too much. A tear without room to separate its lips waits for the next step.
    pub(crate) fn tear(&mut self) {
        if !self.model.cloths.iter().any(ClothPart::tears) {
            return;
        }
        let mut tears = tears(&self.model, &self.state.positions, self.state.time);
        if tears.is_empty() {
            return;
        }
        for k in 0..tears.len() {
            self.divide_for_tear(&mut tears, k);
        }
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        while !tears.is_empty() {
            let edges: Vec<[u32; 2]> = tears.iter().flat_map(|tear| &tear.edges).copied().collect();
            let fracture: Real = tears.iter().map(|tear| tear.fracture(&self.model, &at_vertices)).sum();
            let splits = splits(&self.model.faces, &at_vertices, &edges);
            match self.open(&splits, edges.len()) {
                Err(EditError::NoRoom(vertex)) => {
                    self.state.torn.deferred += 1;
                    tears.retain(|tear| !tear.edges.iter().flatten().any(|&end| end == vertex));
                }
                Ok(_) => {
                    self.state.torn.fracture += fracture;
                    return;
                }
                // Cloth that cannot be split (with flexion along diagonals) does not tear; builders refuse it.
                Err(_) => return,
            }
        }
    }

    /// Divides faces where a tear runs through them. Where that cannot be it runs along edges.
    fn divide_for_tear(&mut self, tears: &mut [Tear], k: usize) {
        let Some(way) = tears[k].way_through(&self.model, &self.state.positions) else { return };
        let mut other = self.clone();
        let Ok((vertices, map)) = other.remesh(&way.remeshing) else { return };
        let number = |&corner: &Corner| match corner {
            Corner::Old(particle) => map.place(particle),
            Corner::New(k) => vertices[k as usize],
        };
        let ends: Vec<u32> = way.ends.iter().map(number).collect();
        let place = |&[a, b]: &[u32; 2]| {
            let [a, b] = [map.place(a), map.place(b)];
            [a.min(b), a.max(b)]
        };
        let others = tears.iter().enumerate().filter(|&(i, _)| i != k);
        let opened: Vec<[u32; 2]> = others.flat_map(|(_, tear)| &tear.edges).map(place).collect();
        let mut tear = tears[k].clone();
        tear.follow(&map);
        // Where that would leave a splinter the cloth stays whole.
        if tear.turn_to(&ends, &other.model, &other.state.positions, &opened) {
            for tear in tears.iter_mut() {
                tear.follow(&map);
            }
            tears[k] = tear;
            *self = other;
        }
    }
}
