//! Faces that were divided at a contact become whole again when it has gone.

use crate::math::{Real, Vec3};
use crate::mesh::VertexFaces;
use crate::model::{EditError, Remap};
use crate::world::World;
use std::collections::BTreeSet;

use super::remesh::{energy, keep_angular_momentum};

/// How long nothing must have borne on them [s].
const QUIET: Real = 0.1;
/// How far from the middle of its edge the vertex may be, by the length of the edge: a fold of five degrees.
const FLAT: Real = 0.02;
/// Vertices that go in a step at the most.
const MOST: usize = 8;

impl World {
    /// Makes faces whole again that nothing bears on any more, after a step.
    pub(crate) fn merge_divided_faces(&mut self) {
        if self.model.divisions.is_empty() {
            return;
        }
        let is_borne = self.contacts.borne(&self.state);
        self.model.touch_divisions(&is_borne, self.state.time);
        let mut merged = 0;
        // The last ones first: their pieces are no longer divided themselves.
        for number in (0..self.model.divisions.len()).rev() {
            if merged < MOST && self.is_quiet_and_flat(number) {
                // Where something is in the way, the faces stay divided.
                merged += usize::from(self.make_whole(number).is_ok());
            }
        }
    }

    fn is_quiet_and_flat(&self, number: usize) -> bool {
        let division = &self.model.divisions[number];
        let x = |particle: u32| self.state.positions[particle as usize];
        let [a, b] = division.ends.map(x);
        self.state.time - division.touched >= QUIET
            && x(division.vertex).distance(a.midpoint(b)) <= FLAT * a.distance(b)
            && self.model.is_whole_again(division, &VertexFaces::of(&self.model.faces, self.model.len()))
    }

    /// Takes the vertex of a division out. Momenta stay as they are; what energy that takes, the ledger has.
    fn make_whole(&mut self, number: usize) -> Result<Remap, EditError> {
        let division = self.model.divisions[number].clone();
        let (vertex, ends) = (division.vertex, division.ends);
        let mut model = self.model.clone();
        let map = model.make_whole(number)?;
        let mut state = self.state.clone();
        let follows = self.prepare_solver_for_edit(&mut state);
        let half = 0.5 * self.model.masses[vertex as usize];
        for end in ends.map(|end| end as usize).into_iter().filter(|&end| !self.model.is_held(end)) {
            let mass = self.model.masses[end];
            let momentum = state.velocities[end] * mass + state.velocities[vertex as usize] * half;
            state.velocities[end] = momentum / (mass + half);
        }
        state.follow(&map);
        let around: BTreeSet<u32> = division.particles().collect();
        keep_angular_momentum([&self.model, &model], (&self.state, &mut state), &around, &[], &map);
        let before = energy(&self.model, &self.state);
        state.torn.released += before - energy(&model, &state);
        if let Some(law) = self.surface_contact() {
            let mut contacts = self.contacts.clone();
            contacts.prepare(&self.model, &law, &mut self.state.clone());
            let middle: Vec3 = ends.map(|end| self.state.positions[end as usize]).iter().sum::<Vec3>() * 0.5;
            let is_free = contacts.can_close(&self.state, &[[vertex; 2]], &[middle]);
            is_free.map_err(|_| EditError::NoRoom(vertex))?;
            let faults = contacts.faults_around(&self.state, &around.iter().copied().collect::<Vec<_>>());
            contacts.prepare(&model, &law, &mut state);
            let now: Vec<u32> = around.iter().map(|&particle| map.place(particle)).collect();
            if contacts.faults_around(&state, &now) > faults {
                return Err(EditError::NoRoom(vertex));
            }
            contacts.renumber_triangles(&mut state);
            self.contacts = contacts;
        }
        self.take_edit(model, state, follows);
        Ok(map)
    }
}
