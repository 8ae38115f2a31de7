//! Edits of the topology while a world runs: splits and cuts; tears (tear.rs); vertices that come, and particles that become one
//! (remesh.rs); blades (slice.rs), solids that cut (cutting_edge.rs), seams (sew.rs), division at contacts (refine.rs) and its end
//! (merge.rs). What all that means to the solver: solver.rs.

mod cutting_edge;
mod merge;
mod refine;
mod remesh;
mod sew;
mod slice;
mod solver;
mod tear;

use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::mesh::has_side;
use crate::model::{EditError, Remap, Split};
use crate::tear::{TimedCut, splits};
use crate::world::World;

impl World {
    /// Splits a vertex of cloth: some of its faces get a particle of their own, the twin, with the share of the mass that belongs to
    /// these faces, at the same velocity; where there was one, a seam opens. Elements around are made again from the shape at rest
    /// and the fabric. Under contact of surfaces the twins are born a little apart, so that contact can keep them so.
    ///
    /// The twin is the last particle of its part. All that the world knows by numbers of particles follows; what else does must
    /// follow the [`Remap`].
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// let sheet = builder.add_sheet(&Sheet { resolution: Resolution::Cells([2, 2]), ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// // A cut from the border to the middle: vertex 1 lies between the first two faces.
    /// let map = world.split(1, &[0])?;
    /// let twin = world.model.particles(sheet).end - 1;
    /// assert_eq!(map.origin(twin as u32), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn split(&mut self, vertex: u32, faces: &[u32]) -> Result<Remap, EditError> {
        self.split_all(&[Split { vertex, faces: faces.to_vec() }])
    }

    /// Makes several splits, or none of them.
    fn split_all(&mut self, splits: &[Split]) -> Result<Remap, EditError> {
        let (model, twins, map) = self.model.split(splits)?;
        let mut state = self.state.clone();
        let follows = self.prepare_solver_for_edit(&mut state);
        state.follow(&map);
        if let Some(law) = self.surface_contact() {
            let mut contacts = self.contacts.for_edit();
            contacts.prepare(&model, &law, &mut state);
            let pair = |(split, twin): (&Split, &u32)| [map.place(split.vertex), *twin];
            let pairs: Vec<[u32; 2]> = splits.iter().zip(&twins).map(pair).collect();
            let separated = contacts.separate_twins(&model, &mut state, &pairs);
            separated.map_err(|k| EditError::NoRoom(splits[k].vertex))?;
            self.contacts = contacts;
        }
        self.take_edit(model, state, follows);
        Ok(map)
    }

    /// Cuts cloth along edges, from particle to particle: every vertex whose faces hang together no longer is split. Refused, with
    /// nothing changed, if nothing would be open that is not open already.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { resolution: Resolution::Cells([2, 2]), ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// world.cut(&[3, 4, 5])?; // from border to border: two pieces
    /// assert_eq!(world.model.len(), 12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut(&mut self, path: &[u32]) -> Result<Remap, EditError> {
        self.check_particles(path)?;
        let edges: Vec<[u32; 2]> = path.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        let is_edge = |edge: &[u32; 2]| {
            at_vertices.at(edge[0]).iter().any(|&face| has_side(&self.model.faces[face as usize], *edge))
        };
        if let Some(other) = edges.iter().find(|edge| !is_edge(edge)) {
            return Err(EditError::NoEdge(*other));
        }
        let splits = splits(&self.model.faces, &at_vertices, &edges);
        if splits.is_empty() { Err(EditError::OpensNothing) } else { self.open(&splits, edges.len()) }
    }

    /// Makes splits that open some edges, and enters them into the ledger.
    pub(super) fn open(&mut self, splits: &[Split], edges: usize) -> Result<Remap, EditError> {
        // Elements that are made again, and those that twins stretch that are born apart, have only particles near these vertices.
        let mut near = self.model.near_splits(splits);
        let before = self.model.elements.energy_within(&self.state.positions, &near);
        let map = self.split_all(splits)?;
        map.follow(&mut near);
        self.state.torn.edges += edges as u64;
        self.state.torn.released += before - self.model.elements.energy_within(&self.state.positions, &near);
        Ok(map)
    }

    pub(super) fn check_particles(&self, particles: &[u32]) -> Result<(), EditError> {
        match particles.iter().find(|&&p| p as usize >= self.model.len()) {
            Some(&missing) => Err(EditError::Missing(missing)),
            None => Ok(()),
        }
    }

    /// Makes the cuts that are due before a step of h [s]. One without room to separate its lips waits for the next step.
    pub(crate) fn make_due_cuts(&mut self, h: Real) {
        let mut waiting: Vec<TimedCut> = Vec::new();
        // Half a step early is on time: sums of steps are never exact.
        while let Some(cut) = self.model.take_due_cut(self.state.time + 0.5 * h) {
            match self.cut(&cut.path) {
                Ok(map) => {
                    waiting.iter_mut().flat_map(|cut| &mut cut.path).for_each(|p| *p = map.place(*p));
                }
                Err(EditError::NoRoom(_)) => {
                    self.state.torn.deferred += 1;
                    waiting.push(cut);
                }
                Err(_) => {} // open already
            }
        }
        for cut in waiting {
            self.model.add_cut(cut);
        }
    }
}
