//! Where cloth carries more than it can.
//!
//! ```text
//! stretch    l/L of edges, over `break_at`                                            along the edge
//! stress     largest principal value of W/A in the tangent plane, over `strength`     its direction
//!            W = Σ ∂ψ/∂xᵢ ⊗ (xᵢ − x₀): the virial of an element, shared by its particles
//!            A: area of the elements around the vertex, as it is
//! release    root of G over `toughness`, at the tips of cracks                        that of the stress around the tip
//! rip        |(W/A) n| in the tangent plane, n across a seam, over the strength of the seam
//! ```
//!
//! Of a fabric with `toughness` the first two begin cracks, and only the last runs them: the stress at the tip of a crack depends on
//! the mesh, what the cloth releases does not. Its root grows as the load does. The virial holds for every kind of element: of a
//! membrane it is the Cauchy stress times the area.

use super::CrackTip;
use crate::elements::{Element, ElementVisitor};
use crate::math::{Mat3, Real, Vec3};
use crate::mesh::{Face, influence_areas, vertex_normals};
use crate::model::ModelData;
use crate::seam::SewnSide;

/// A vertex at which cloth carries more than it can.
#[derive(Clone, Debug, PartialEq)]
pub struct Overload {
    /// How many times as much as it can.
    pub ratio: Real,
    /// Whether the vertex lies at a border; a tear rather goes on than begins.
    pub is_at_border: bool,
    /// Whether it is an edge of the border that is too long.
    pub is_of_border: bool,
    /// Whether it is the tip of a crack that releases enough energy to go on.
    pub is_running: bool,
    /// The vertex.
    pub vertex: u32,
    /// The direction of the load, of unit length.
    pub direction: Vec3,
    /// Fewest faces of a piece that may come off.
    pub least_piece: usize,
    /// The edges of a seam that rip; none where the cloth itself carries too much.
    pub seam: Vec<[u32; 2]>,
}

/// All of them at a time [s], the largest first; equal ones at borders first, then by number.
pub fn overloads(model: &ModelData, x: &[Vec3], time: Real, tips: &[CrackTip]) -> Vec<Overload> {
    let mut found = stretched(model, x);
    if model.cloths.iter().any(|cloth| cloth.fabric.strength.is_some() || !cloth.seams.is_empty()) {
        let stresses = Stresses::of(model, x);
        found.extend(stressed(model, &stresses));
        found.extend(ripping(model, x, time, &stresses));
    }
    found.extend(releasing(model, tips));
    if !found.is_empty() {
        let mut is_at_border = vec![false; model.len()];
        for vertex in crate::discretize::springs::border(&model.faces) {
            is_at_border[vertex as usize] = true;
        }
        for overload in &mut found {
            overload.is_at_border = is_at_border[overload.vertex as usize];
        }
    }
    found.sort_by(|one, other| {
        let by_ratio = other.ratio.total_cmp(&one.ratio);
        by_ratio.then(other.is_at_border.cmp(&one.is_at_border)).then(one.vertex.cmp(&other.vertex))
    });
    found
}

/// The ends of edges that are longer than they can be. Diagonals of quads do not count: threads slide where cloth is sheared, and do
/// not break.
fn stretched(model: &ModelData, x: &[Vec3]) -> Vec<Overload> {
    let mut found = Vec::new();
    for cloth in &model.cloths {
        let Some(break_at) = cloth.fabric.break_at else { continue };
        let faces = &model.faces[cloth.faces.start as usize..cloth.faces.end as usize];
        let span = |[a, b]: [u32; 2]| x[b as usize] - x[a as usize];
        // First those that are too long: most often there are none.
        let mut long: Vec<([u32; 2], Real)> = Vec::new();
        for (face, places) in faces.iter().zip(&model.rest_shape[cloth.faces.start as usize..]) {
            let count = face.corners().len();
            for (k, [a, b]) in face.sides().enumerate() {
                let rest = places[k].distance(places[(k + 1) % count]);
                let ends = [a.min(b), a.max(b)];
                let ratio = span(ends).length() / (break_at * rest);
                if ratio > 1.0 && ratio.is_finite() {
                    long.push((ends, ratio));
                }
            }
        }
        long.sort_by_key(|edge| edge.0);
        for sides in long.chunk_by(|one, other| one.0 == other.0) {
            let (ends, ratio) = sides[0];
            let at = |vertex: u32| Overload {
                ratio,
                is_at_border: false,
                is_of_border: sides.len() == 1,
                is_running: false,
                vertex,
                direction: span(ends).normalize_or_zero(),
                least_piece: cloth.fabric.least_piece as usize,
                seam: Vec::new(),
            };
            found.extend(ends.map(at));
        }
    }
    found
}

/// The stress at each vertex.
struct Stresses {
    /// Of the elements around [J].
    virials: Vec<Mat3>,
    /// Around the vertex, as it is, by the elements: of membranes a third of each triangle around [m²].
    areas: Vec<Real>,
    /// Zero where there is none.
    normals: Vec<Vec3>,
}

impl Stresses {
    fn of(model: &ModelData, x: &[Vec3]) -> Self {
        let mut normals = vec![Vec3::ZERO; model.len()];
        vertex_normals(&model.faces, x, &mut normals);
        Self { virials: virials(model, x), areas: element_areas(model, x), normals }
    }

    /// A force by width [N/m], if there is cloth around: where it is uniform it is that force, whatever way quads are divided.
    fn at(&self, vertex: u32) -> Option<Mat3> {
        let v = vertex as usize;
        let is_cloth = self.areas[v] > 0.0 && self.normals[v] != Vec3::ZERO;
        is_cloth.then(|| self.virials[v] * (1.0 / self.areas[v]))
    }
}

/// The area around each vertex that its elements share with it: of cloth of membranes by their triangles, else by faces [m²].
fn element_areas(model: &ModelData, x: &[Vec3]) -> Vec<Real> {
    let mut found = influence_areas(&model.faces, x);
    for cloth in model.cloths.iter().filter(|cloth| cloth.fabric.membrane.is_some()) {
        let faces = &model.faces[cloth.faces.start as usize..cloth.faces.end as usize];
        for (face, &is_crossed) in faces.iter().zip(&cloth.crossed) {
            let corners = face.corners();
            let part = face.area(x) / corners.len() as Real;
            for &corner in corners {
                found[corner as usize] -= part;
            }
            for [a, b, c] in face.triangles_of(is_crossed) {
                let part = Face::triangle(a, b, c).area(x) / 3.0;
                for corner in [a, b, c] {
                    found[corner as usize] += part;
                }
            }
        }
    }
    found
}

/// The vertices at which the stress is greater than it can be.
fn stressed(model: &ModelData, stresses: &Stresses) -> Vec<Overload> {
    let mut found = Vec::new();
    for cloth in &model.cloths {
        let Some(strength) = cloth.fabric.strength else { continue };
        for vertex in model.parts[cloth.part].clone() {
            let Some(stress) = stresses.at(vertex) else { continue };
            let (stress, direction) = largest_principal(stress, stresses.normals[vertex as usize]);
            let ratio = stress / strength;
            if ratio > 1.0 && ratio.is_finite() {
                found.push(Overload {
                    ratio,
                    is_at_border: false,
                    is_of_border: false,
                    is_running: false,
                    vertex,
                    direction,
                    least_piece: cloth.fabric.least_piece as usize,
                    seam: Vec::new(),
                });
            }
        }
    }
    found
}

/// The tips of cracks that release more energy than it takes to go on.
fn releasing(model: &ModelData, tips: &[CrackTip]) -> Vec<Overload> {
    let overload = |tip: &CrackTip| {
        let cloth = model.cloths.iter().find(|cloth| model.parts[cloth.part].contains(&tip.vertex))?;
        Some(Overload {
            ratio: (tip.energy_release / cloth.fabric.toughness?).sqrt(),
            is_at_border: false,
            is_of_border: false,
            is_running: true,
            vertex: tip.vertex,
            direction: tip.direction,
            least_piece: cloth.fabric.least_piece as usize,
            seam: Vec::new(),
        })
    };
    tips.iter().filter_map(overload).filter(|overload| overload.ratio > 1.0).collect()
}

/// The virials around all particles [J].
pub fn virials(model: &ModelData, x: &[Vec3]) -> Vec<Mat3> {
    let mut virials = Virials { x, of_vertices: vec![Mat3::ZERO; model.len()] };
    model.elements.accept(&mut virials);
    virials.of_vertices
}

/// An edge of a seam, from one of its ends.
struct SeamSpoke {
    vertex: u32,
    to: u32,
    /// [N/m].
    strength: Real,
    least_piece: usize,
    /// [s].
    holds_until: Real,
}

/// The vertices of seams at which these carry more than they can, by their own strengths.
fn ripping(model: &ModelData, x: &[Vec3], time: Real, stresses: &Stresses) -> Vec<Overload> {
    let mut spokes: Vec<SeamSpoke> = Vec::new();
    for cloth in &model.cloths {
        let least_piece = cloth.fabric.least_piece as usize;
        for sewn in &cloth.seams {
            let Some([a, b]) = sewn.ends(&model.faces) else { continue };
            let SewnSide { strength, holds_until, .. } = *sewn;
            let spoke = |vertex, to| SeamSpoke { vertex, to, strength, least_piece, holds_until };
            spokes.extend([spoke(a, b), spoke(b, a)]);
        }
    }
    spokes.sort_by_key(|spoke| (spoke.vertex, spoke.to));
    let mut found = Vec::new();
    for around in spokes.chunk_by(|one, other| one.vertex == other.vertex) {
        // Both faces at an edge know it. Where one does, the seam is still closing, and draws at this vertex.
        let mut edges = around.chunk_by(|one, other| one.to == other.to);
        if edges.clone().all(|edge| edge.len() > 1 && time > edge[0].holds_until) {
            let edges: Vec<&SeamSpoke> = edges.by_ref().map(|edge| &edge[0]).collect();
            found.extend(ripping_at(&edges, x, stresses));
        }
    }
    found
}

/// The overload of the edges of a seam at their vertex.
fn ripping_at(edges: &[&SeamSpoke], x: &[Vec3], stresses: &Stresses) -> Option<Overload> {
    let SeamSpoke { vertex, least_piece, .. } = *edges[0];
    let stress = stresses.at(vertex)?;
    let normal = stresses.normals[vertex as usize].normalize_or_zero();
    let way = |edge: &&SeamSpoke| (x[edge.to as usize] - x[vertex as usize]).normalize_or_zero();
    // A line, whichever way its edges run.
    let first = way(&edges[0]);
    let line: Vec3 = edges.iter().map(way).map(|way| way * way.dot(first).signum()).sum();
    let across = normal.cross(line).try_normalize()?;
    let load = stress * across;
    let within = load - normal * normal.dot(load);
    let strength = edges.iter().map(|edge| edge.strength).fold(Real::INFINITY, Real::min);
    let ratio = within.length() / strength;
    let rips = within.dot(across) > 0.0 && ratio > 1.0 && ratio.is_finite();
    rips.then(|| Overload {
        ratio,
        is_at_border: false,
        is_of_border: false,
        is_running: false,
        vertex,
        direction: across,
        least_piece,
        seam: edges.iter().map(|edge| [vertex, edge.to]).collect(),
    })
}

/// Adds up the virials of elements at their particles [J].
struct Virials<'a> {
    x: &'a [Vec3],
    of_vertices: Vec<Mat3>,
}

impl ElementVisitor for Virials<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        if N < 2 {
            return; // ties to points in space
        }
        for element in elements.iter().filter(|element| !element.bends()) {
            let particles = element.particles();
            let gradients = element.transpose(&element.stress(&element.strain(self.x)));
            let origin = self.x[particles[0]];
            let mut virial = Mat3::ZERO;
            for (gradient, particle) in gradients.into_iter().zip(particles) {
                let arm = self.x[particle] - origin;
                virial += Mat3::from_cols(gradient * arm.x, gradient * arm.y, gradient * arm.z);
            }
            for particle in particles {
                self.of_vertices[particle] += virial * (1.0 / N as Real);
            }
        }
    }
}

/// The largest principal value of a tensor in the plane across a normal, and its direction.
pub fn largest_principal(tensor: Mat3, normal: Vec3) -> (Real, Vec3) {
    let u = normal.any_orthonormal_vector();
    let v = normal.cross(u);
    let (a, b) = (u.dot(tensor * u), v.dot(tensor * v));
    let c = 0.5 * (u.dot(tensor * v) + v.dot(tensor * u));
    let angle = 0.5 * (2.0 * c).atan2(a - b);
    let value = 0.5 * (a + b) + (0.25 * (a - b) * (a - b) + c * c).sqrt();
    (value, u * angle.cos() + v * angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_values_are_those_of_the_tensor() {
        let direction = Vec3::new(0.6, 0.8, 0.0);
        let across = Vec3::Z.cross(direction);
        let outer = |d: Vec3| Mat3::from_cols(d * d.x, d * d.y, d * d.z);
        let tensor = outer(direction) * 5.0 + outer(across) * 2.0 + outer(Vec3::Z) * 100.0;
        let (value, found) = largest_principal(tensor, Vec3::Z);
        assert!((value - 5.0).abs() < 1e-12, "{value}");
        assert!(found.cross(direction).length() < 1e-12, "{found}");
    }
}
