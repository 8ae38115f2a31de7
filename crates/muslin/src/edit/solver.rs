//! What an edit of the topology means to the solver: it goes on, or is prepared anew.

use crate::model::Model;
use crate::state::State;
use crate::world::World;

impl World {
    /// Gets the solver ready for an edit of the topology, on a copy of the state: true if it then goes on without being prepared anew. In
    /// any case it goes on from its pasts, unless a change of the model that was no edit has ended them.
    pub(crate) fn prepare_solver_for_edit(&mut self, state: &mut State) -> bool {
        if self.is_memory_of_another_model() {
            state.history.clear();
            return false;
        }
        let is_ready = self.prepared.is_some() && !self.is_stale;
        is_ready && self.solver.prepare_for_edit(&self.model, &mut state.history)
    }

    /// Has the solver prepared anew before the next step; it goes on from its pasts.
    pub(crate) fn prepare_solver_anew(&mut self) {
        self.prepared = None;
        self.state.history.lagged = None;
    }

    /// Takes over model and state after an edit, which the solver `follows` or has to be prepared for.
    pub(crate) fn take_edit(&mut self, model: Model, state: State, follows: bool) {
        (self.model, self.state) = (model, state);
        self.prepared = self.prepared.map(|_| self.model.revisions().matrices);
        self.is_stale = !follows;
    }
}
