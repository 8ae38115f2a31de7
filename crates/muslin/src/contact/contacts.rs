//! Contact of surfaces as the world sees it: detection, response, guarantee, for every solver.

use super::audit::{Intersection, intersections_with_solids};
use super::candidates::Candidates;
use super::mesh::solids::Solids;
use super::prepare::Prepared;
use super::repair::{Faults, Repair, RepairReport};
use super::step::{ContactStep, Scratch};
use crate::budget::Budget;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
#[cfg(feature = "checkpoint")]
use std::borrow::Cow;

/// Bounds that serve for several steps, for a checkpoint; none if there are none.
#[cfg(feature = "checkpoint")]
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct SavedCandidates<'a>(Option<Cow<'a, Candidates>>);

/// The contacts of a world; what they remember from step to step is in its state.
#[derive(Clone, Debug, Default)]
pub struct Contacts {
    pub(in crate::contact) prepared: Prepared,
    pub(in crate::contact) solids: Solids,
    pub(in crate::contact) candidates: Candidates,
    pub(in crate::contact) scratch: Scratch,
}

impl Contacts {
    /// Before a step of h [s], in which the solver makes some `inner` steps: the state is safe. The contact forces of the last
    /// steps change the velocities of bodies; what they do to particles is returned [m/s²].
    pub fn begin(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        h: Real,
        inner: u32,
    ) -> &[Vec3] {
        self.run(model, law, state, h, |step, state| step.begin(state, inner));
        &self.scratch.accelerations
    }

    /// After the solver's step of h [s], which ends at `state.time`: moves the particles and bodies as far as they can go without
    /// intersections, and as far as the time budget allows.
    pub fn resolve(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        h: Real,
        budget: &Budget,
    ) {
        self.run(model, law, state, h, |step, state| step.resolve(state, budget));
    }

    /// Runs phases of a step on a state and what it remembers.
    pub(in crate::contact) fn run(
        &mut self,
        model: &Model,
        law: &SurfaceContact,
        state: &mut State,
        h: Real,
        phases: impl FnOnce(&mut ContactStep, &mut State),
    ) {
        let mut memory = std::mem::take(&mut state.contact);
        let Self { prepared, solids, candidates, scratch } = self;
        let mut step =
            ContactStep { model, law, h, prepared, memory: &mut memory, solids, candidates, scratch };
        phases(&mut step, state);
        state.contact = memory;
    }

    /// Thickness and mean edge of the cloth [m].
    pub fn lengths(&self) -> [Real; 2] {
        [self.prepared.thickness, self.prepared.mean_edge]
    }

    /// What a checkpoint needs besides the state; none before the first step.
    #[cfg(feature = "checkpoint")]
    pub fn save_candidates(&self) -> Option<SavedCandidates<'_>> {
        let bounds = (!self.candidates.is_empty()).then_some(Cow::Borrowed(&self.candidates));
        self.is_prepared().then_some(SavedCandidates(bounds))
    }

    /// Takes over the bounds in a checkpoint of the same model.
    #[cfg(feature = "checkpoint")]
    pub fn restore_candidates(&mut self, saved: Option<SavedCandidates>) {
        if let Some(candidates) = saved.and_then(|saved| saved.0) {
            self.candidates.take_bounds(candidates.into_owned());
        }
    }

    /// Distance that cloth keeps from cloth [m].
    pub fn thickness(&self) -> Real {
        self.prepared.thickness
    }

    /// Every intersection of the surface with itself, with solids and with bodies, where these are now.
    pub fn intersections(&mut self, state: &State) -> Vec<Intersection> {
        self.solids.put_bodies(&state.bodies, state.time);
        intersections_with_solids(&self.prepared.surface, &self.solids, state)
    }

    /// What is wrong with a state.
    pub fn faults(&mut self, model: &Model, law: &SurfaceContact, state: &State) -> Faults {
        let x = self.vertices(state);
        self.repairer(model, law, state).faults(&x)
    }

    /// Moves the cloth until it intersects nothing and lies in no solid, as far as possible. Pinned particles and all velocities stay;
    /// a clean start stays as it is.
    pub fn repair(&mut self, model: &Model, law: &SurfaceContact, state: &mut State) -> RepairReport {
        let mut x = self.vertices(state);
        let report = self.repairer(model, law, state).repair(&mut x);
        if report.moved > 0 {
            state.positions.copy_from_slice(&x[..model.len()]);
            self.prepared.rest[..model.len()].copy_from_slice(&state.positions);
            self.prepare_candidates();
        }
        report
    }

    fn repairer<'a>(&'a self, model: &'a Model, law: &SurfaceContact, state: &State) -> Repair<'a> {
        let Prepared { surface, thickness, mean_edge, .. } = &self.prepared;
        Repair::new(model, law, surface, state, [*thickness, *mean_edge])
    }

    /// Where all vertices are [m].
    pub(in crate::contact) fn vertices(&mut self, state: &State) -> Vec<Vec3> {
        self.solids.put_bodies(&state.bodies, state.time);
        state.positions.iter().copied().chain(self.solids.positions()).collect()
    }
}
