//! Tearing: edges of cloth that carry too much are opened.
//!
//! ```text
//! overloads    where the cloth carries more than it can, how many times so, and in which direction     overload.rs
//! paths        which edges open there: those across the direction of the load                          path.rs
//! fans         which vertices are split: those whose faces no longer hang together                     fan.rs
//! blade        the mesh and the edges that open where a blade passes                                   blade/
//! ```
//!
//! At the end of a step overloads are taken in order, the largest first, and of two within two rings of faces only the first; so a
//! crack runs by one edge per step. A tear that would leave a piece of fewer faces than the fabric allows is refused.

mod blade;
mod fan;
mod overload;
mod path;

pub use crate::torn::{Blade, BladeError, Sweep, TearReport, TimedCut};
pub(crate) use blade::blade_cut;
pub(crate) use fan::splits;

use crate::math::{Real, Vec3};
use crate::mesh::VertexFaces;
use crate::model::ModelData;
use overload::{Overload, overloads};
use path::{Surface, crossing_edges};
use std::collections::BTreeSet;

/// Edges that open together, by their ends.
pub(crate) type Tear = Vec<[u32; 2]>;

/// The tears of cloth at positions `x` [m] and a time [s], no two within two rings of faces.
pub(crate) fn tears(model: &ModelData, x: &[Vec3], time: Real) -> Vec<Tear> {
    let overloads = overloads(model, x, time);
    if overloads.is_empty() {
        return Vec::new();
    }
    let at_vertices = VertexFaces::of(&model.faces, model.len());
    let surface = Surface {
        faces: &model.faces,
        at_vertices: &at_vertices,
        x,
        inverse_masses: &model.inverse_masses,
        sewn: sewn_edges(model),
    };
    let mut ratios = vec![1.0; model.len()];
    for overload in overloads.iter().rev() {
        ratios[overload.vertex as usize] = overload.ratio;
    }
    let mut is_near = vec![false; model.len()];
    let (mut tears, mut opened) = (Vec::new(), Vec::new());
    for overload in overloads {
        if is_near[overload.vertex as usize]
            || model.is_held(overload.vertex as usize)
            || is_shielded(&surface, &overload, &ratios)
        {
            continue;
        }
        let Some(tear) = crossing_edges(&surface, &overload, &opened) else { continue };
        mark_two_rings(&surface, &tear, &mut is_near);
        opened.extend(tear.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
        tears.push(tear);
    }
    tears
}

/// The edges of seams with a strength of their own.
fn sewn_edges(model: &ModelData) -> BTreeSet<[u32; 2]> {
    let sides = model.cloths.iter().flat_map(|cloth| &cloth.seams);
    sides.filter_map(|sewn| sewn.ends(&model.faces)).collect()
}

/// How many times as much as at the tip of a tear cloth must carry beside it to tear there, too.
const SHIELDING: Real = 1.5;

/// Whether a tear that runs takes up a load. Its tip opens, and draws its lips out, until the next edge gives way: lips do not tear
/// off for that, and nothing begins within two rings of faces.
fn is_shielded(surface: &Surface, overload: &Overload, ratios: &[Real]) -> bool {
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
