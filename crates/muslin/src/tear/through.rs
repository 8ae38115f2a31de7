//! Tears through faces: where no edge lies across the load, the face there is divided so that one does.
//!
//! ```text
//! an edge within 10° of the line across the load      opens
//! else, whichever is nearest to the line, of
//!   a vertex on the side of the face across           comes, and the edge to it opens
//!   the diagonal of a quad                            comes, and opens
//!   the nearest edge                                  opens
//! ```
//!
//! Faces around the tip of such a tear differ in size, and their mean stress leans towards the large ones. The load there is that of a
//! region: W = Σ (1 − d²/r²) Wᵢ, virials of the vertices at distances d < r along the mesh, r two mean sides of a face at the start.
//!
//! The vertex comes where the line meets the side, at part t of it; if that is not within 0.2 and 0.8, or nearer to an end than the
//! least length, at the nearest place that is and where no new angle at rest is below 10° and no new edge shorter than the least length.
//!
//! The least length is the fabric's, or a part of the mean side of a face as the cloth was made; so pieces do not become splinters,
//! however often a tear comes by.

use super::blade::least_angle;
use super::overload::{Overload, largest_principal, virials};
use super::path::Surface;
use crate::math::{Mat3, Real, Vec3};
use crate::mesh::{Face, has_side};
use crate::model::{ClothPart, ModelData};
use crate::remesh::{Corner, Inserted, Remeshing, Replacement};

/// Angle from the line across the load within which an edge opens [rad]; and the least angle of new triangles at rest.
const WITHIN: Real = 10.0 / 180.0 * std::f64::consts::PI;
/// Part of a side next to its ends where it gets no vertex.
const END_PART: Real = 0.2;
/// Places on a side that are tried, besides the nearest to the line.
const PLACES: usize = 9;
/// Least length of new edges, as a part of the mean side of a face at the start, unless the fabric has one.
const LEAST_PART: Real = 0.3;

/// Radius of the region by which the load is known, in mean sides of a face at the start.
const RADIUS: Real = 2.0;

/// The direction of the load around an overloaded vertex whose cloth may be divided there.
pub(crate) fn load_around(model: &ModelData, surface: &Surface, vertex: u32) -> Option<Vec3> {
    let cloth = model.cloths.iter().find(|cloth| model.parts[cloth.part].contains(&vertex))?;
    if !cloth.fabric.tear_through_faces {
        return None;
    }
    let normal = surface.normal(vertex).try_normalize()?;
    let virials = virials(model, surface.x);
    let radius = RADIUS * cloth.mean_side;
    let part = |other: u32| {
        let away = surface.x[other as usize].distance_squared(surface.x[vertex as usize]);
        1.0 - away / (radius * radius)
    };
    let mut sum = Mat3::ZERO;
    let (mut region, mut done) = (vec![vertex], 0);
    let mut is_found = vec![false; model.len()];
    is_found[vertex as usize] = true;
    while let Some(&next) = region.get(done) {
        sum += virials[next as usize] * part(next);
        let corners = surface.at_vertices.at(next).iter().flat_map(|&face| surface.face(face).corners());
        region.extend(corners.copied().filter(|&corner| {
            part(corner) > 0.0 && !std::mem::replace(&mut is_found[corner as usize], true)
        }));
        done += 1;
    }
    Some(largest_principal(sum, normal).1)
}

/// Another mesh around an overloaded vertex, with edges across the load.
pub(crate) struct Way {
    pub remeshing: Remeshing,
    /// The other ends of these edges.
    pub ends: Vec<Corner>,
}

/// The way through the faces at an overload, if its cloth may be divided and no edge lies near enough.
pub(crate) fn way_through(model: &ModelData, surface: &Surface, overload: &Overload) -> Option<Way> {
    let vertex = overload.vertex;
    let cloth = model.cloths.iter().find(|cloth| model.parts[cloth.part].contains(&vertex))?;
    if !cloth.fabric.tear_through_faces {
        return None;
    }
    let across = surface.normal(vertex).cross(overload.direction).try_normalize()?;
    let back = surface.back(overload);
    let mut lines = vec![across, -across];
    if let Some(back) = back {
        lines.retain(|line| line.dot(back) <= 0.0);
    }
    let has_edge = |line: &Vec3| surface.most_along(vertex, *line) >= WITHIN.cos();
    if surface.is_within(vertex) {
        lines.retain(|line| !has_edge(line));
    } else if lines.iter().any(has_edge) {
        return None;
    }
    let mut way = Way { remeshing: Remeshing::default(), ends: Vec::new() };
    for line in lines {
        if let Some(next) = (Divider { model, surface, cloth, vertex }).way(line) {
            way.add(next);
            if !surface.is_within(vertex) {
                break;
            }
        }
    }
    (!way.ends.is_empty()).then_some(way)
}

impl Way {
    /// Adds another one that divides other faces.
    fn add(&mut self, next: Self) {
        let faces = |way: &Self| -> Vec<u32> {
            way.remeshing.replaced.iter().flat_map(|r| r.faces.clone()).collect()
        };
        let taken = faces(self);
        if faces(&next).iter().any(|face| taken.contains(face)) {
            return;
        }
        let first = self.remeshing.inserted.len() as u32;
        let shifted = |corner: Corner| match corner {
            Corner::Old(particle) => Corner::Old(particle),
            Corner::New(k) => Corner::New(first + k),
        };
        self.remeshing.inserted.extend(next.remeshing.inserted);
        self.remeshing.replaced.extend(next.remeshing.replaced.into_iter().map(|replacement| Replacement {
            triangles: replacement.triangles.iter().map(|corners| corners.map(shifted)).collect(),
            ..replacement
        }));
        self.ends.extend(next.ends.into_iter().map(shifted));
    }
}

/// Divides faces at a vertex.
struct Divider<'a> {
    model: &'a ModelData,
    surface: &'a Surface<'a>,
    cloth: &'a ClothPart,
    vertex: u32,
}

/// A new vertex on a side of a face, at part `t` of the way.
#[derive(Clone, Copy)]
struct Crossing {
    side: [u32; 2],
    t: Real,
}

impl Divider<'_> {
    /// The way along a line, if it is nearer to that than all edges.
    fn way(&self, line: Vec3) -> Option<Way> {
        let from = self.surface.x[self.vertex as usize];
        let x = |corner: u32| self.surface.x[corner as usize] - from;
        for &face in self.surface.at_vertices.at(self.vertex) {
            let corners = self.behind_vertex(face);
            for pair in corners.windows(2) {
                let Some(t) = meets(line, x(pair[0]), x(pair[1])) else { continue };
                let side = [pair[0], pair[1]];
                let through = self.places(face, side, t).into_iter().find_map(|t| {
                    let along = x(side[0]).lerp(x(side[1]), t).normalize_or_zero().dot(line);
                    Some((along, self.through(face, &corners, Crossing { side, t })?))
                });
                let ways = [through, self.along_diagonal(face, &corners, line)].into_iter().flatten();
                let best = ways.reduce(|best, way| if way.0 > best.0 { way } else { best });
                let nearest = self.surface.most_along(self.vertex, line);
                return best.filter(|&(along, _)| along > nearest).map(|(_, way)| way);
            }
        }
        None
    }

    /// Parts of a side at which it may get a vertex, the nearest to `t` first.
    fn places(&self, face: u32, side: [u32; 2], t: Real) -> Vec<Real> {
        let end = (self.least() / self.model.rest_length(face, side)).max(END_PART);
        if end > 0.5 {
            return Vec::new();
        }
        let nearest = t.clamp(end, 1.0 - end);
        let place = |k: usize| end + (1.0 - 2.0 * end) * (k as Real / (PLACES - 1) as Real);
        let mut places: Vec<Real> = (0..PLACES).map(place).collect();
        places.push(nearest);
        places.sort_by(|one, other| (one - nearest).abs().total_cmp(&(other - nearest).abs()));
        places
    }

    /// The least length of new edges [m].
    fn least(&self) -> Real {
        self.cloth.fabric.least_length.unwrap_or(LEAST_PART * self.cloth.mean_side)
    }

    /// The corners of a face behind the vertex, in order.
    fn behind_vertex(&self, face: u32) -> Vec<u32> {
        let corners = self.surface.face(face).corners();
        let k = corners.iter().position(|&corner| corner == self.vertex).unwrap_or(0);
        (1..corners.len()).map(|i| corners[(k + i) % corners.len()]).collect()
    }

    /// To a new vertex on a side across.
    fn through(&self, face: u32, corners: &[u32], crossing: Crossing) -> Option<Way> {
        let Crossing { side, t } = crossing;
        let [v, n] = [Corner::Old(self.vertex), Corner::New(0)];
        let pieces: Vec<Vec<[Corner; 3]>> = match *corners {
            [b, c] => vec![vec![[v, Corner::Old(b), n], [v, n, Corner::Old(c)]]],
            [b, c, d] => {
                let [b, c, d] = [b, c, d].map(Corner::Old);
                if side[0] == corners[0] {
                    vec![vec![[v, b, n], [v, n, c], [v, c, d]], vec![[v, b, n], [v, n, d], [n, c, d]]]
                } else {
                    vec![vec![[v, b, c], [v, c, n], [v, n, d]], vec![[v, b, n], [b, c, n], [v, n, d]]]
                }
            }
            _ => return None,
        };
        let mut replaced = vec![self.best(face, pieces, Some(crossing))?];
        let beside = self.surface.at_vertices.at(side[0]).iter().copied();
        for other in beside.filter(|&other| other != face && has_side(self.surface.face(other), side)) {
            replaced.push(self.best(other, beside_pieces(self.surface.face(other), side), Some(crossing))?);
        }
        let place = |corner: Corner| self.place(face, corner, Some(crossing));
        let ends = [self.vertex, side[0], side[1]].map(|end| place(Corner::Old(end)).distance(place(n)));
        let inserted = vec![Inserted::on_edge(side, t)];
        let way = Way { remeshing: Remeshing { inserted, replaced }, ends: vec![n] };
        (ends.into_iter().fold(Real::INFINITY, Real::min) >= self.least() * (1.0 - 1e-9)).then_some(way)
    }

    /// To the corner of a quad across, with the cosine of the angle between that and the line.
    fn along_diagonal(&self, face: u32, corners: &[u32], line: Vec3) -> Option<(Real, Way)> {
        let &[b, c, d] = corners else { return None };
        if self.surface.inverse_masses[c as usize] == 0.0 {
            return None;
        }
        let diagonal = self.surface.x[c as usize] - self.surface.x[self.vertex as usize];
        let [v, b, c, d] = [self.vertex, b, c, d].map(Corner::Old);
        let replaced = vec![self.best(face, vec![vec![[v, b, c], [v, c, d]]], None)?];
        let way = Way { remeshing: Remeshing { inserted: Vec::new(), replaced }, ends: vec![c] };
        Some((diagonal.normalize_or_zero().dot(line), way))
    }

    /// The pieces of a face with the greatest least angle at rest, if that is large enough.
    fn best(
        &self,
        face: u32,
        ways: Vec<Vec<[Corner; 3]>>,
        crossing: Option<Crossing>,
    ) -> Option<Replacement> {
        let angle =
            |corners: &[Corner; 3]| least_angle(corners.map(|corner| self.place(face, corner, crossing)));
        let least = |pieces: &Vec<[Corner; 3]>| pieces.iter().map(angle).fold(Real::INFINITY, Real::min);
        let best =
            ways.into_iter().reduce(|best, way| if least(&way) > least(&best) { way } else { best })?;
        (least(&best) >= WITHIN * (1.0 - 1e-9)).then(|| Replacement { faces: vec![face], triangles: best })
    }

    /// Where a corner is at rest, as a face has it [m].
    fn place(&self, face: u32, corner: Corner, crossing: Option<Crossing>) -> Vec3 {
        let of = |particle: u32| {
            let corners = self.surface.face(face).corners();
            let k = corners.iter().position(|&corner| corner == particle).unwrap_or(0);
            self.model.rest_shape[face as usize][k]
        };
        match (corner, crossing) {
            (Corner::Old(particle), _) => of(particle),
            (Corner::New(_), Some(Crossing { side, t })) => of(side[0]).lerp(of(side[1]), t),
            (Corner::New(_), None) => Vec3::NAN, // no vertex comes without a crossing
        }
    }
}

/// Where a line from the corner between two sides `p` and `q` [m] meets the third one: the part of the way from the end of p.
fn meets(line: Vec3, p: Vec3, q: Vec3) -> Option<Real> {
    let normal = p.cross(q);
    let (from_p, from_q) = (line.cross(q).dot(normal), p.cross(line).dot(normal));
    (from_p >= 0.0 && from_q >= 0.0 && from_p + from_q > 0.0).then(|| from_q / (from_p + from_q))
}

/// Pieces of a face with a new vertex on a side, in all ways.
fn beside_pieces(face: &Face, side: [u32; 2]) -> Vec<Vec<[Corner; 3]>> {
    let corners = face.corners();
    let n = Corner::New(0);
    let starts = |k: &usize| side.contains(&corners[*k]) && side.contains(&corners[(k + 1) % corners.len()]);
    let first = (0..corners.len()).find(starts).unwrap_or(0);
    let turned: Vec<Corner> =
        (0..corners.len()).map(|i| Corner::Old(corners[(first + i) % corners.len()])).collect();
    match *turned {
        [a, b, c] => vec![vec![[a, n, c], [n, b, c]]],
        [a, b, c, d] => vec![
            vec![[n, b, c], [n, c, d], [n, d, a]],
            vec![[n, b, c], [a, n, c], [a, c, d]],
            vec![[a, n, d], [n, b, d], [b, c, d]],
        ],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_meets_the_third_side() {
        let (p, q) = (Vec3::X * 2.0, Vec3::Y);
        let t = meets(Vec3::new(1.0, 1.0, 0.3), p, q).unwrap();
        let place = p.lerp(q, t);
        assert!((place.x - place.y).abs() < 1e-12, "{place}");
        assert_eq!(meets(p, p, q), Some(0.0));
        assert_eq!(meets(-p, p, q), None);
        assert_eq!(meets(Vec3::new(-1.0, 1.0, 0.0), p, q), None);
    }
}
