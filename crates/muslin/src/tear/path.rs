//! Which edges open where cloth carries too much: those across the load.

use super::overload::Overload;
use crate::math::{Real, Vec3};
use crate::mesh::has_side;
use crate::mesh::{Face, VertexFaces};
use crate::model::ModelData;
use std::collections::BTreeSet;

/// Least cosine of the angle between an edge that opens and the line across the load.
const LEAST_COSINE: Real = 0.35;
/// Angle of the faces at a vertex of the border from which on it is the tip of a tear [rad].
const TIP_ANGLE: Real = 1.25 * std::f64::consts::PI;

/// The surface that tears, with its vertices at `x` [m].
pub struct Surface<'a> {
    pub faces: &'a [Face],
    pub at_vertices: &'a VertexFaces,
    pub x: &'a [Vec3],
    pub inverse_masses: &'a [Real],
    /// Edges of seams that rip at their own strength only, the smaller number first.
    pub sewn: BTreeSet<[u32; 2]>,
}

/// An edge at a vertex.
struct Spoke {
    /// Its other end.
    to: u32,
    /// How many faces it has.
    faces: usize,
    /// Its direction, of unit length.
    direction: Vec3,
}

impl<'a> Surface<'a> {
    pub fn of(model: &'a ModelData, at_vertices: &'a VertexFaces, x: &'a [Vec3]) -> Self {
        let sides = model.cloths.iter().flat_map(|cloth| &cloth.seams);
        let sewn = sides.filter_map(|sewn| sewn.ends(&model.faces)).collect();
        Self { faces: &model.faces, at_vertices, x, inverse_masses: &model.inverse_masses, sewn }
    }
}

impl Surface<'_> {
    pub fn face(&self, number: u32) -> &Face {
        &self.faces[number as usize]
    }

    /// The sum of the area vectors of the faces around a vertex [m²].
    pub fn normal(&self, vertex: u32) -> Vec3 {
        self.at_vertices.at(vertex).iter().map(|&face| self.face(face).doubled_area_vector(self.x)).sum()
    }

    /// The inner edge at the tip of a crack that lies nearest to a line, and does not lead `back`: its other end and its direction.
    pub fn edge_ahead(&self, tip: u32, line: Vec3, back: Vec3) -> Option<(u32, Vec3)> {
        let spokes = self.spokes(tip).into_iter().filter(|spoke| spoke.faces == 2);
        let ahead = spokes.filter(|spoke| spoke.direction.dot(back) <= 0.0);
        let along = |spoke: &Spoke| spoke.direction.dot(line).abs();
        let best = ahead.reduce(|best, spoke| if along(&spoke) > along(&best) { spoke } else { best })?;
        Some((best.to, best.direction))
    }

    /// Whether a vertex is not on the border.
    pub fn is_within(&self, vertex: u32) -> bool {
        self.spokes(vertex).iter().all(|spoke| spoke.faces == 2)
    }

    /// The largest cosine of the angle between a direction and an inner edge at a vertex to a free particle.
    pub fn most_along(&self, vertex: u32, direction: Vec3) -> Real {
        let is_free = |spoke: &Spoke| self.inverse_masses[spoke.to as usize] != 0.0;
        let inner = self.spokes(vertex).into_iter().filter(|spoke| spoke.faces == 2 && is_free(spoke));
        inner.map(|spoke| spoke.direction.dot(direction)).fold(-1.0, Real::max)
    }

    /// Where an overloaded vertex is the tip of a tear: the direction from which that comes.
    pub fn back(&self, overload: &Overload) -> Option<Vec3> {
        let is_tip = overload.is_running || self.is_tip(overload.vertex);
        let lips = || self.spokes(overload.vertex).into_iter().filter(|spoke| spoke.faces == 1);
        is_tip.then(|| lips().map(|spoke| spoke.direction).sum())
    }

    /// The edges at a vertex, by the numbers of their other ends.
    fn spokes(&self, vertex: u32) -> Vec<Spoke> {
        let mut ends: Vec<u32> = Vec::new();
        for &face in self.at_vertices.at(vertex) {
            let sides = self.face(face).sides().filter(|side| side.contains(&vertex));
            ends.extend(sides.map(|[a, b]| if a == vertex { b } else { a }));
        }
        ends.sort_unstable();
        let direction = |to: u32| (self.x[to as usize] - self.x[vertex as usize]).normalize_or_zero();
        let spoke = |run: &[u32]| Spoke { to: run[0], faces: run.len(), direction: direction(run[0]) };
        ends.chunk_by(|one, other| one == other).map(spoke).collect()
    }

    /// Whether a vertex is the tip of a tear, or of a cut.
    pub fn is_tip(&self, vertex: u32) -> bool {
        let spokes = self.spokes(vertex);
        let is_at_border = spokes.iter().any(|spoke| spoke.faces == 1);
        is_at_border && self.angle(vertex) > TIP_ANGLE && spokes.iter().all(|spoke| spoke.faces < 3)
    }

    /// The angle that the faces at a vertex take up [rad]: some π at a straight border, 2π at the tip of a slit.
    fn angle(&self, vertex: u32) -> Real {
        let of_face = |face: &u32| {
            let sides = self.face(*face).sides().filter(|side| side.contains(&vertex));
            let ends: Vec<Vec3> = sides
                .map(|[a, b]| self.x[if a == vertex { b } else { a } as usize] - self.x[vertex as usize])
                .collect();
            ends[0].angle_between(ends[1])
        };
        self.at_vertices.at(vertex).iter().map(of_face).sum()
    }

    /// The faces across the sides of a face, but for opened edges.
    fn neighbours<'a>(&'a self, number: u32, opened: &'a [[u32; 2]]) -> impl Iterator<Item = u32> + 'a {
        let closed = self.face(number).sides().filter(move |&[a, b]| !opened.contains(&[a.min(b), a.max(b)]));
        closed.flat_map(move |side| {
            let beside = self.at_vertices.at(side[0]).iter().copied();
            beside.filter(move |&other| other != number && has_side(self.face(other), side))
        })
    }

    /// Whether a face belongs to a piece of fewer faces than there must be.
    fn is_splinter(&self, face: u32, opened: &[[u32; 2]], least_piece: usize) -> bool {
        let mut piece = vec![face];
        let mut done = 0;
        while done < piece.len() && piece.len() < least_piece {
            for other in self.neighbours(piece[done], opened).collect::<Vec<_>>() {
                if !piece.contains(&other) {
                    piece.push(other);
                }
            }
            done += 1;
        }
        piece.len() < least_piece
    }
}

/// The edges that open at an overload: one from a border, two from within, as straight across the load as can be, so that no piece
/// is too small and no particle that is held is split; none if there are no such edges. Some are open already.
pub fn crossing_edges(surface: &Surface, overload: &Overload, opened: &[[u32; 2]]) -> Option<Vec<[u32; 2]>> {
    let vertex = overload.vertex;
    let is_allowed = |tear: &Vec<[u32; 2]>| leaves_no_splinter(surface, tear, opened, overload.least_piece);
    if !overload.seam.is_empty() {
        let is_held = |end: u32| surface.inverse_masses[end as usize] == 0.0;
        let mut seam = overload.seam.clone();
        seam.retain(|edge| !is_held(edge[1]));
        // Within cloth one edge alone opens nothing.
        let least = if surface.spokes(vertex).iter().any(|spoke| spoke.faces == 1) { 1 } else { 2 };
        return Some(seam).filter(|seam| seam.len() >= least && is_allowed(seam));
    }
    let across = surface.normal(vertex).cross(overload.direction).try_normalize()?;
    let spokes = surface.spokes(vertex);
    let (inner, border): (Vec<&Spoke>, Vec<&Spoke>) = spokes.iter().partition(|spoke| spoke.faces > 1);
    let along = |line: Vec3| {
        let mut sorted: Vec<(Real, u32)> =
            inner.iter().map(|spoke| (spoke.direction.dot(line), spoke.to)).collect();
        let is_held = |end: u32| surface.inverse_masses[end as usize] == 0.0;
        let is_sewn = |end: u32| surface.sewn.contains(&[vertex.min(end), vertex.max(end)]);
        sorted.retain(|&(cosine, end)| cosine >= LEAST_COSINE && !is_held(end) && !is_sewn(end));
        sorted.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        sorted
    };
    if border.is_empty() {
        let (ahead, behind) = (along(across), along(-across));
        let pairs = ahead.iter().flat_map(|&(_, p)| behind.iter().map(move |&(_, q)| [p, q]));
        let mut tears = pairs.filter(|[p, q]| p != q).map(|ends| ends.map(|end| [vertex, end]).to_vec());
        return tears.find(is_allowed);
    }
    // A tear that runs turns by at most 90 degrees: it does not come back along its lips.
    let back = surface.back(overload).unwrap_or(Vec3::ZERO);
    let mut ways = along(across);
    ways.extend(along(-across));
    ways.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    let direction = |to: u32| (surface.x[to as usize] - surface.x[vertex as usize]).normalize_or_zero();
    ways.retain(|&(_, to)| direction(to).dot(back) <= 0.0);
    let mut tears = ways.into_iter().map(|(_, to)| vec![[vertex, to]]);
    tears.find(is_allowed)
}

/// The length of an edge at rest [m].
pub fn rest_length(model: &ModelData, at_vertices: &VertexFaces, edge: [u32; 2]) -> Real {
    let mut beside =
        at_vertices.at(edge[0]).iter().filter(|&&face| has_side(&model.faces[face as usize], edge));
    beside.next().map_or(0.0, |&face| model.rest_length(face, edge))
}

/// Whether all faces beside edges that open belong to pieces of enough faces; some edges are open already.
fn leaves_no_splinter(surface: &Surface, tear: &[[u32; 2]], opened: &[[u32; 2]], least_piece: usize) -> bool {
    let mut all = opened.to_vec();
    all.extend(tear.iter().map(|&[a, b]| [a.min(b), a.max(b)]));
    let beside = |edge: &[u32; 2]| {
        let edge = *edge;
        let faces = surface.at_vertices.at(edge[0]).iter().copied();
        faces.filter(move |&face| has_side(surface.face(face), edge))
    };
    !tear.iter().flat_map(beside).any(|face| surface.is_splinter(face, &all, least_piece))
}
