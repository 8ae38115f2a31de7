//! Vertices that come, and particles that become one, while a world runs.

use crate::math::{Mat3, Real, Vec3, outer};
use crate::mesh::{Face, VertexFaces};
use crate::model::{EditError, Model, Remap};
use crate::remesh::Remeshing;
use crate::state::State;
use crate::world::World;
use std::collections::BTreeSet;

impl World {
    /// Puts a vertex on an edge, at part `t` of the way: its faces become triangles there. Nothing moves, and cloth resists as before:
    /// the springs of a divided face are spread over its pieces. The number of the vertex, and where the particles are.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { resolution: Resolution::Cells([2, 2]), ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// let (vertex, _) = world.divide_edge([3, 4], 0.5)?;
    /// assert_eq!((vertex, world.model.len()), (9, 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn divide_edge(&mut self, edge: [u32; 2], t: Real) -> Result<(u32, Remap), EditError> {
        self.check_particles(&edge)?;
        if !(t > 0.0 && t < 1.0) {
            return Err(EditError::Outside);
        }
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        let remeshing = Remeshing::of_edge(&self.model.faces, &at_vertices, edge, t);
        let (vertices, map) = self.remesh(&remeshing.ok_or(EditError::NoEdge(edge))?)?;
        Ok((vertices[0], map))
    }

    /// Puts a vertex inside of a face: of a triangle of it by its corners, with weights that are positive and sum to one. See
    /// [`World::divide_edge`].
    pub fn divide_face(
        &mut self,
        face: u32,
        corners: [u32; 3],
        weights: [Real; 3],
    ) -> Result<(u32, Remap), EditError> {
        self.check_particles(&corners)?;
        let sum: Real = weights.iter().sum();
        if !weights.iter().all(|&weight| weight > 0.0) || (sum - 1.0).abs() > 1e-9 {
            return Err(EditError::Outside);
        }
        let is_its = |triangle: [u32; 3]| corners.iter().all(|corner| triangle.contains(corner));
        let found = self.model.faces.get(face as usize);
        if !found.is_some_and(|found| found.triangles().any(is_its)) {
            return Err(EditError::OtherFace { face, particle: corners[0] });
        }
        let corners = std::array::from_fn(|k| (corners[k], weights[k] / sum));
        let (vertices, map) = self.remesh(&Remeshing::of_face(&self.model.faces, face, corners))?;
        Ok((vertices[0], map))
    }

    /// Makes one particle of each pair, the first of the two, in the middle of their masses; a tear is mended, or a seam closed.
    /// Refused, with nothing changed, if the surface would no longer be one, or if something is in the way.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { resolution: Resolution::Cells([2, 2]), ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// world.cut(&[3, 4, 5])?;
    /// world.join(&[[3, 9], [4, 10], [5, 11]])?;
    /// assert_eq!(world.model.len(), 9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn join(&mut self, pairs: &[[u32; 2]]) -> Result<Remap, EditError> {
        let mut model = self.model.clone();
        let map = model.join(pairs)?;
        let mut state = self.state.clone();
        let follows = self.prepare_solver_for_edit(&mut state);
        state.follow(&map);
        let law = self.surface_contact();
        if let Some(law) = law {
            let targets: Vec<Vec3> =
                pairs.iter().map(|pair| state.positions[map.place(pair[0]) as usize]).collect();
            let mut contacts = self.contacts.clone();
            contacts.prepare(&self.model, &law, &mut self.state.clone());
            contacts.can_close(&self.state, pairs, &targets).map_err(|k| EditError::NoRoom(pairs[k][0]))?;
        }
        let mut around: BTreeSet<u32> = pairs.iter().flatten().copied().collect();
        let beside = self.model.faces.iter().filter(|face| face.corners().iter().any(|p| around.contains(p)));
        let ring: Vec<u32> = beside.flat_map(Face::corners).copied().collect();
        around.extend(ring);
        keep_angular_momentum([&self.model, &model], (&self.state, &mut state), &around, &[], &map);
        let before = energy(&self.model, &self.state);
        state.torn.released += before - energy(&model, &state);
        state.sewn.joined += (self.model.waiting_partners() - model.waiting_partners()) as u64;
        if let Some(law) = law {
            self.contacts.prepare(&model, &law, &mut state);
        }
        self.take_edit(model, state, follows);
        Ok(map)
    }

    /// Gives cloth another mesh. The numbers of the new vertices, and where the particles are.
    pub(crate) fn remesh(&mut self, remeshing: &Remeshing) -> Result<(Vec<u32>, Remap), EditError> {
        let mut model = self.model.clone();
        let (vertices, map) = model.remesh(remeshing)?;
        let mut state = self.state.clone();
        state.follow(&map);
        // Pieces are stiffer than the whole: the factor from before would lead too far there, and the step would gain energy.
        state.history.lagged = None;
        let gone = remeshing.replaced.iter().flat_map(|replacement| &replacement.faces);
        let around: BTreeSet<u32> =
            gone.flat_map(|&face| self.model.faces[face as usize].corners()).copied().collect();
        keep_angular_momentum([&self.model, &model], (&self.state, &mut state), &around, &vertices, &map);
        if let Some(law) = self.surface_contact() {
            let mut contacts = self.contacts.clone();
            contacts.prepare(&self.model, &law, &mut self.state.clone());
            let old: Vec<u32> = around.iter().copied().collect();
            let before = contacts.faults_around(&self.state, &old);
            contacts.prepare(&model, &law, &mut state);
            let mut new: Vec<u32> = old.iter().map(|&vertex| map.place(vertex)).collect();
            new.extend(&vertices);
            if contacts.faults_around(&state, &new) > before {
                return Err(EditError::NoRoom(old[0]));
            }
            contacts.renumber_triangles(&mut state);
            self.contacts = contacts;
        }
        self.take_edit(model, state, false);
        Ok((vertices, map))
    }
}

/// Elastic and kinetic energy [J].
pub(super) fn energy(model: &Model, state: &State) -> Real {
    let kinetic = model.masses.iter().zip(&state.velocities).map(|(m, v)| 0.5 * m * v.length_squared());
    model.elements.energy(&state.positions) + kinetic.sum::<Real>()
}

/// Gives the particles around an edit, some of which it `added`, the angular momentum that they had: a rotation about their centre,
/// δv = ω × (x − c) with I ω = ΔL. Momentum does not change. Where a particle is held nothing is to keep.
pub(super) fn keep_angular_momentum(
    [before, after]: [&Model; 2],
    (old, state): (&State, &mut State),
    around: &BTreeSet<u32>,
    added: &[u32],
    map: &Remap,
) {
    if around.iter().any(|&p| before.is_held(p as usize)) {
        return;
    }
    let of = |model: &Model, state: &State, p: u32| {
        let p = p as usize;
        (model.masses[p], state.positions[p], state.velocities[p])
    };
    let now: BTreeSet<u32> = around.iter().map(|&p| map.place(p)).chain(added.iter().copied()).collect();
    let bodies: Vec<(Real, Vec3, Vec3)> = now.iter().map(|&p| of(after, state, p)).collect();
    let mass: Real = bodies.iter().map(|body| body.0).sum();
    let center = bodies.iter().map(|&(m, x, _)| x * m).sum::<Vec3>() / mass;
    let turning = |&(m, x, v): &(Real, Vec3, Vec3)| (x - center).cross(v * m);
    let was: Vec3 = around.iter().map(|&p| turning(&of(before, old, p))).sum();
    let missing = was - bodies.iter().map(turning).sum::<Vec3>();
    let inertia = bodies.iter().fold(Mat3::ZERO, |sum, &(m, x, _)| {
        let arm = x - center;
        sum + (Mat3::IDENTITY * arm.length_squared() - outer(arm, arm)) * m
    });
    let size = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    // Particles in one line, or in one place, cannot turn about it.
    if inertia.determinant() <= 1e-12 * size * size * size {
        return;
    }
    let spin = inertia.inverse() * missing;
    for p in now {
        let arm = state.positions[p as usize] - center;
        state.velocities[p as usize] += spin.cross(arm);
    }
}
