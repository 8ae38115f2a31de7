//! Layouts that outlive an edit of the surface: those around vertices where nothing that they were made of is another.

use super::layout::{Layout, Plan};
use crate::contact::mesh::adjacency::Adjacency;
use crate::contact::mesh::patches::Patches;
use crate::math::Vec3;
use crate::par;
use std::sync::Arc;

/// Vertices in a chunk: some 0.2 ms of work.
const CHUNK: usize = 256;

/// The layouts around the vertices of a surface's cloth, and what they were made of.
#[derive(Clone, Debug, Default)]
pub struct KnownLayouts {
    /// Corners of the triangles.
    triangles: Arc<Vec<[u32; 3]>>,
    traits: Arc<Vec<Traits>>,
    of_vertices: Vec<Arc<Known>>,
}

/// All that layouts depend on, of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Traits {
    /// Where its corners are at rest [m].
    corners: [Vec3; 3],
    /// The first triangles at its corners: they tell vertices at one place apart.
    firsts: [Option<u32>; 3],
    /// The triangles at its sides, if there are two.
    beside: [Option<[u32; 2]>; 3],
}

/// What is known around a vertex.
#[derive(Clone, Debug, Default)]
struct Known {
    /// The triangles of the patches there.
    core: Vec<u32>,
    /// All triangles on which the layout depends, or that there is none.
    seen: Vec<u32>,
    layout: Option<Layout>,
}

impl KnownLayouts {
    /// The layouts of another surface, some of them as they are here.
    #[must_use]
    pub fn renewed(&self, plan: &Plan, patches: &Patches) -> Self {
        let surface = plan.surface;
        let traits: Vec<Traits> = (0..surface.triangles.len() as u32).map(|t| Traits::of(plan, t)).collect();
        let is_same: Vec<bool> =
            traits.iter().enumerate().map(|(t, traits)| self.traits.get(t) == Some(traits)).collect();
        let mut of_vertices = vec![Arc::default(); surface.cloth_len()];
        par::fill_chunks(&mut of_vertices, CHUNK, |chunk, all| {
            for (k, known) in all.iter_mut().enumerate() {
                let vertex = (chunk * CHUNK + k) as u32;
                let around = patches.around.of(vertex as usize).iter();
                let core: Vec<u32> =
                    around.flat_map(|&patch| patches.triangles.of(patch as usize)).copied().collect();
                let before = self.before(plan, vertex);
                *known = before.filter(|known| known.core == core && known.serves(&is_same)).map_or_else(
                    || {
                        let mut seen = Vec::new();
                        let layout = plan.around(&core, &mut seen);
                        Arc::new(Known { core, seen, layout })
                    },
                    Arc::clone,
                );
            }
        });
        Self { triangles: Arc::new(surface.triangles.clone()), traits: Arc::new(traits), of_vertices }
    }

    /// The layout around each vertex, where there is one.
    pub fn layouts(&self) -> impl Iterator<Item = (u32, &Layout)> {
        let numbered = self.of_vertices.iter().enumerate();
        numbered.filter_map(|(vertex, known)| Some((vertex as u32, known.layout.as_ref()?)))
    }

    /// What is known around the vertex that had this one's place in its first triangle.
    fn before(&self, plan: &Plan, vertex: u32) -> Option<&Arc<Known>> {
        let first = plan.surface.first_triangle_at_vertex(vertex)? as usize;
        let corner = plan.surface.triangles[first].iter().position(|&v| v == vertex)?;
        self.of_vertices.get(self.triangles.get(first)?[corner] as usize)
    }
}

impl Known {
    fn serves(&self, is_same: &[bool]) -> bool {
        self.seen.iter().all(|&t| is_same.get(t as usize) == Some(&true))
    }
}

impl Traits {
    fn of(plan: &Plan, triangle: u32) -> Self {
        let Plan { surface, x, at_edges } = plan;
        let corners = surface.triangles[triangle as usize];
        let beside = |at_edges: &Adjacency, side: u32| <[u32; 2]>::try_from(at_edges.of(side as usize)).ok();
        Self {
            corners: corners.map(|v| x[v as usize]),
            firsts: corners.map(|v| surface.first_triangle_at_vertex(v)),
            beside: surface.sides(triangle).map(|side| beside(at_edges, side)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Resolution, Sheet, Surroundings};
    use crate::contact::mesh::collision_mesh::CollisionMesh;
    use crate::model::{Model, Split};

    const SIDE: usize = 12;

    fn renewed(model: &Model, before: &KnownLayouts) -> KnownLayouts {
        let surface = CollisionMesh::of(model, &[]);
        let x = &model.rest_positions;
        before.renewed(&Plan::new(&surface, x), &Patches::of(&surface, x))
    }

    /// Two sheets, so that a split in the first renumbers the second; splits all over both.
    #[test]
    fn layouts_that_are_taken_over_are_those_made_anew() {
        let mut builder = Builder::default();
        let sheet = Sheet { resolution: Resolution::Particles([SIDE; 2]), ..Sheet::default() };
        builder.add_sheet(&sheet).unwrap();
        builder.add_sheet(&Sheet { origin: Vec3::Z, ..sheet }).unwrap();
        let (mut model, state) = builder.finish(&Surroundings::default()).unwrap();
        model.set_rest_positions(&state.positions);
        let mut known = renewed(&model, &KnownLayouts::default());
        assert!(known.layouts().count() > 100);
        for k in 0..60 {
            let vertex = (k * 37 % model.len()) as u32;
            let corners = |face: &u32| model.faces[*face as usize].corners().contains(&vertex);
            let faces: Vec<u32> = (0..model.faces.len() as u32).filter(corners).take(1 + k % 3).collect();
            let Ok((split, ..)) = model.split(&[Split { vertex, faces }]) else { continue };
            model = split;
            let (next, anew) = (renewed(&model, &known), renewed(&model, &KnownLayouts::default()));
            assert!(next.layouts().eq(anew.layouts()), "after the split of {vertex}");
            let is_taken = |new: &Arc<Known>| known.of_vertices.iter().any(|old| Arc::ptr_eq(old, new));
            let taken = next.of_vertices.iter().filter(|new| is_taken(new)).count();
            assert!(taken > 2 * SIDE * SIDE - 100, "{taken} layouts of {} are taken over", model.len());
            known = next;
        }
    }
}
