//! Tearing: edges of cloth that carry too much are opened.
//!
//! ```text
//! cracks       tips of cracks, and the energy that the cloth releases as they go on                     crack.rs
//! overloads    where the cloth carries more than it can, how many times so, and in which direction     overload.rs
//! paths        which edges open there: those across the direction of the load                          path.rs
//! through      the mesh that a tear makes where no edge lies across the load                            through.rs
//! fans         which vertices are split: those whose faces no longer hang together                     fan.rs
//! blade        the mesh and the edges that open where a blade passes                                   blade/
//! ```
//!
//! At the end of a step overloads are taken in order, the largest first, and of two within two rings of faces only the first; so a
//! crack runs by one edge per step. A tear that would leave a piece of fewer faces than the fabric allows is refused.

mod blade;
mod crack;
mod fan;
mod overload;
mod path;
mod through;

pub use crate::torn::{Blade, BladeError, Sweep, TearReport, TimedCut};
pub(crate) use blade::blade_cut;
pub use crack::{CrackTip, crack_tips};
pub(crate) use fan::splits;

use crate::math::{Real, Vec3};
use crate::mesh::VertexFaces;
use crate::model::{ModelData, Remap};
use crack::crack_tips_of;
use overload::{Overload, overloads};
use path::{Surface, crossing_edges, rest_length};
use std::collections::BTreeSet;
use through::{Way, load_around, way_through};

/// Edges that open together.
#[derive(Clone)]
pub(crate) struct Tear {
    /// Their ends.
    pub edges: Vec<[u32; 2]>,
    overload: Overload,
    /// G where a crack goes on by energy release, else 0 [J/m].
    release: Real,
}

impl Tear {
    /// The elastic energy that the cloth around releases [J].
    pub fn fracture(&self, model: &ModelData, at_vertices: &VertexFaces) -> Real {
        let length = |&edge: &[u32; 2]| rest_length(model, at_vertices, edge);
        self.release * self.edges.iter().map(length).sum::<Real>()
    }

    /// The same after an edit of the topology.
    pub fn follow(&mut self, map: &Remap) {
        self.edges.iter_mut().flatten().for_each(|end| *end = map.place(*end));
        self.overload.vertex = map.place(self.overload.vertex);
    }

    /// Another mesh, with an edge across the load, where there is none and faces may be divided.
    pub fn way_through(&self, model: &ModelData, x: &[Vec3]) -> Option<Way> {
        if !self.overload.seam.is_empty() {
            return None;
        }
        let at_vertices = VertexFaces::of(&model.faces, model.len());
        let surface = Surface::of(model, &at_vertices, x);
        way_through(model, &surface, &self.overload)
    }

    /// Takes other edges, in a mesh that has one to one of these `ends`; whether it can.
    pub fn turn_to(&mut self, ends: &[u32], model: &ModelData, x: &[Vec3], opened: &[[u32; 2]]) -> bool {
        let at_vertices = VertexFaces::of(&model.faces, model.len());
        let surface = Surface::of(model, &at_vertices, x);
        let edges = crossing_edges(&surface, &self.overload, opened);
        let turned = edges.filter(|edges| edges.iter().flatten().any(|end| ends.contains(end)));
        turned.map(|edges| self.edges = edges).is_some()
    }
}

/// The tears of cloth at positions `x` [m] and a time [s], no two within two rings of faces.
pub(crate) fn tears(model: &ModelData, x: &[Vec3], time: Real) -> Vec<Tear> {
    let tips = crack_tips_of(model, x, |fabric| fabric.toughness.is_some());
    let overloads = overloads(model, x, time, &tips);
    if overloads.is_empty() {
        return Vec::new();
    }
    let at_vertices = VertexFaces::of(&model.faces, model.len());
    let surface = Surface::of(model, &at_vertices, x);
    let release_at = |vertex: u32| tips.iter().find(|tip| tip.vertex == vertex).map(|tip| tip.energy_release);
    let mut ratios = vec![1.0; model.len()];
    for overload in overloads.iter().rev() {
        ratios[overload.vertex as usize] = overload.ratio;
    }
    let mut is_near = vec![false; model.len()];
    let (mut tears, mut opened) = (Vec::new(), Vec::new());
    for mut overload in overloads {
        if is_near[overload.vertex as usize]
            || model.is_held(overload.vertex as usize)
            || (!overload.is_running && overload.seam.is_empty() && release_at(overload.vertex).is_some())
            || is_shielded(&surface, &overload, &ratios)
        {
            continue;
        }
        if let Some(direction) = load_around(model, &surface, overload.vertex) {
            overload.direction = direction;
        }
        let Some(edges) = crossing_edges(&surface, &overload, &opened) else { continue };
        mark_two_rings(&surface, &edges, &mut is_near);
        opened.extend(edges.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
        let release = release_at(overload.vertex).unwrap_or(0.0);
        tears.push(Tear { edges, overload, release });
    }
    tears
}

/// How many times as much as at the tip of a tear cloth must carry beside it to tear there, too.
const SHIELDING: Real = 1.5;

/// Whether a tear that runs takes up a load. Its tip opens, and draws its lips out, until the next edge gives way: lips do not tear
/// off for that, and nothing begins within two rings of faces.
fn is_shielded(surface: &Surface, overload: &Overload, ratios: &[Real]) -> bool {
    if overload.is_running {
        return false;
    }
    if surface.is_tip(overload.vertex) {
        return overload.is_of_border;
    }
    let mut is_near = BTreeSet::from([overload.vertex]);
    for _ in 0..2 {
        let faces = is_near.iter().flat_map(|&vertex| surface.at_vertices.at(vertex));
        is_near = faces.flat_map(|&face| surface.face(face).corners()).copied().collect();
    }
    let mut tips = is_near.into_iter().filter(|&vertex| surface.is_tip(vertex));
    tips.any(|tip| overload.ratio < SHIELDING * ratios[tip as usize])
}

/// Marks the vertices of the faces at the ends of edges, and of the faces next to these.
fn mark_two_rings(surface: &Surface, edges: &[[u32; 2]], is_near: &mut [bool]) {
    let mut ring: Vec<u32> = edges.iter().flatten().copied().collect();
    for _ in 0..2 {
        let faces = ring.iter().flat_map(|&vertex| surface.at_vertices.at(vertex));
        let corners: Vec<u32> = faces.flat_map(|&face| surface.face(face).corners()).copied().collect();
        ring = corners
            .into_iter()
            .filter(|&vertex| !std::mem::replace(&mut is_near[vertex as usize], true))
            .collect();
    }
}
