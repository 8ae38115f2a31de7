//! Cuts with a blade while a world runs: through faces, wherever it goes.

use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::model::{EditError, Remap};
use crate::remesh::Corner;
use crate::tear::{Blade, Sweep, blade_cut, splits};
use crate::world::World;

/// Vertices nearer to the cut than this part of their shortest edge lie on it.
const SNAP: Real = 0.1;

impl World {
    /// Cuts cloth where a blade sweeps through it, in no time: faces that it crosses from side to side are divided along its way, and
    /// open there. Sweeps that follow each other make one cut. Refused, with nothing changed, if it crosses nothing, or opens nothing.
    ///
    /// ```
    /// use muslin::prelude::*;
    /// use muslin::tear::Sweep;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { axes: [Vec3::X, Vec3::Y], ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// let before = world.model.len();
    /// let upright = |x: f64, y: f64| [Vec3::new(x, y, 1.0), Vec3::new(x, y, -1.0)];
    /// world.slice(&[Sweep { from: upright(0.31, -0.5), to: upright(0.77, 1.5) }])?; // from border to border
    /// assert!(world.model.len() > before);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(&mut self, sweeps: &[Sweep]) -> Result<Remap, EditError> {
        let (other, map) = self.sliced(sweeps)?;
        *self = other;
        Ok(map)
    }

    /// The world after a cut, and where its particles are.
    pub(super) fn sliced(&self, sweeps: &[Sweep]) -> Result<(Self, Remap), EditError> {
        let Self { model, state, .. } = self;
        let least = shortest_edges(&model.faces, &state.positions);
        let may_cut = |face: u32| model.cloths.iter().any(|cloth| cloth.faces.contains(&face));
        let cut = blade_cut(
            &model.faces,
            |_| false,
            &state.positions,
            may_cut,
            sweeps,
            |vertex| SNAP * least[vertex as usize],
        )?;
        let mut other = self.clone();
        let (vertices, divided) = if cut.remeshing.inserted.is_empty() && cut.remeshing.replaced.is_empty() {
            (Vec::new(), Remap::identity(self.model.len()))
        } else {
            other.remesh(&cut.remeshing)?
        };
        let number = |corner: Corner| match corner {
            Corner::Old(particle) => divided.place(particle),
            Corner::New(k) => vertices[k as usize],
        };
        let edges: Vec<[u32; 2]> = cut
            .paths
            .iter()
            .flat_map(|path| path.windows(2).map(|pair| [number(pair[0]), number(pair[1])]))
            .collect();
        let at_vertices = VertexFaces::of(&other.model.faces, other.model.len());
        let splits = splits(&other.model.faces, &at_vertices, &edges);
        if splits.is_empty() {
            return Err(EditError::OpensNothing);
        }
        let opened = other.open(&splits, edges.len())?;
        Ok((other, divided.then(&opened)))
    }

    /// Moves the blades of the model through the step of h [s] that begins. Where there is no room for lips, the next step cuts.
    pub(crate) fn move_blades(&mut self, h: Real) {
        let time = self.state.time;
        for k in 0..self.model.blades.len() {
            let blade: Blade = self.model.blades[k];
            // A face that was entered before is cut when the blade leaves it: the way of some steps is swept again.
            let reach = 3.0 * self.longest_edge();
            let Some(sweep) = blade.sweep([time, time + h], reach) else { continue };
            // Else it misses, or has cut there before.
            if let Err(EditError::NoRoom(_)) = self.slice(&[sweep]) {
                self.state.torn.deferred += 1;
            }
        }
    }

    fn longest_edge(&self) -> Real {
        let x = &self.state.positions;
        let sides = self.model.faces.iter().flat_map(crate::mesh::Face::sides);
        sides.map(|[a, b]| x[a as usize].distance(x[b as usize])).fold(0.0, Real::max)
    }
}

/// The length of the shortest side of a face at each vertex [m].
fn shortest_edges(faces: &[crate::mesh::Face], x: &[crate::math::Vec3]) -> Vec<Real> {
    let mut least = vec![Real::INFINITY; x.len()];
    for [a, b] in faces.iter().flat_map(crate::mesh::Face::sides) {
        let length = x[a as usize].distance(x[b as usize]);
        for end in [a, b] {
            least[end as usize] = least[end as usize].min(length);
        }
    }
    least
}
