//! Springs and areas of surfaces.

use super::RestShape;
use super::unfold::beyond;
use crate::build_error::{BuildError, not_negative, positive, refuse};
use crate::elements::{Fibre, Spring, SpringFamily, SpringLaw, Weave};
use crate::material::{Fabric, Link};
use crate::math::{Real, Vec3};
use crate::mesh::half_edge::joined_faces;
use crate::mesh::{Edge, Face, Grid, edges, rest_area};

/// The springs of a sheet: to the next, across the cells, and two apart.
pub(crate) fn grid_springs(grid: Grid, fabric: &Fabric, positions: &[Vec3]) -> Vec<Spring> {
    use SpringFamily::{Flexion, Shear, Structural};
    let mut offsets = vec![
        (Structural, 0, 1),
        (Structural, 1, 0),
        (Shear, 1, 1),
        (Shear, 1, -1),
        (Flexion, 0, 2),
        (Flexion, 2, 0),
    ];
    if fabric.flexion_diagonals {
        offsets.extend([(Flexion, 2, 2), (Flexion, 2, -2)]);
    }
    let pairs = offsets
        .into_iter()
        .flat_map(|(family, di, dj)| grid.pairs(di, dj).into_iter().map(move |ends| (family, ends)));
    pairs.filter_map(|(family, ends)| fabric.spring(family, ends, distance(ends, positions))).collect()
}

/// The springs of any surface: structural along its edges, shear across its quads, and flexion over its inner edges.
///
/// A structural spring inside of the surface is shared by two faces: each lip of an opened edge has half of its stiffness, so that
/// opening adds no energy, and pieces of divided faces have their share in their fibres.
pub(crate) fn mesh_springs(shape: &RestShape, fabric: &Fabric) -> Vec<Spring> {
    let edges = edges(shape.faces);
    let mut springs = Vec::new();
    for edge in &edges {
        let share: Real = edge.faces.iter().map(|&face| shape.share(edge, face)).sum();
        let spring = fabric.spring(SpringFamily::Structural, edge.ends, shape.length(edge));
        springs.extend(spring.filter(|_| share > 0.0).map(|spring| match share {
            1.0 => spring,
            _ => Spring { stiffness: spring.stiffness * share, damping: spring.damping * share, ..spring },
        }));
    }
    for ((face, places), weave) in shape.faces.iter().zip(shape.places).zip(shape.weaves) {
        if let (&[a, b, c, d], None) = (face.corners(), weave) {
            let [p, q, r, s] = *places;
            for (ends, length) in [([a, c], p.distance(r)), ([b, d], q.distance(s))] {
                springs.extend(fabric.spring(SpringFamily::Shear, ends, length));
            }
        }
    }
    let mut flexion: Vec<([u32; 2], Real)> = edges.iter().flat_map(|edge| across(edge, shape)).collect();
    flexion.sort_by_key(|(ends, _)| *ends);
    flexion.dedup_by_key(|(ends, _)| *ends);
    springs.extend(
        flexion.into_iter().filter_map(|(ends, length)| fabric.spring(SpringFamily::Flexion, ends, length)),
    );
    springs
}

impl RestShape<'_> {
    /// How much of the spring along an edge belongs to one of its faces: what pieces of divided faces have is in their fibres.
    fn share(&self, edge: &Edge, face: u32) -> Real {
        if self.weaves[face as usize].is_some() {
            return 0.0;
        }
        match *edge.faces.as_slice() {
            [_] if self.is_lip(edge, face) => 0.5,
            [_] => 1.0,
            ref all => 1.0 / all.len() as Real,
        }
    }

    /// Whether an edge with one face is a lip of an opened one.
    fn is_lip(&self, edge: &Edge, face: u32) -> bool {
        let [a, b] = edge.ends;
        let mut sides = self.faces[face as usize].sides();
        let side = sides.position(|side| side == [a, b] || side == [b, a]);
        side.is_some_and(|side| self.lips.binary_search(&[face, side as u32]).is_ok())
    }

    /// What the springs of a face become when it is divided: each spread over the area of the face. A side inside of the surface
    /// is shared with the face beyond.
    pub(crate) fn weave(&self, face: u32, fabric: &Fabric, is_inner: impl Fn([u32; 2]) -> bool) -> Weave {
        let corners = self.faces[face as usize].corners();
        let places = &self.places[face as usize];
        let area = rest_area(corners.len(), places);
        let side = |k: usize| {
            let (a, b) = (k, (k + 1) % corners.len());
            let ends = [corners[a], corners[b]];
            let is_lip = self.lips.binary_search(&[face, k as u32]).is_ok();
            let share = if is_lip || is_inner(ends) { 0.5 } else { 1.0 };
            (SpringFamily::Structural, [a, b], share)
        };
        let mut links: Vec<_> = (0..corners.len()).map(side).collect();
        if corners.len() == 4 {
            links.extend([[0, 2], [1, 3]].map(|ends| (SpringFamily::Shear, ends, 1.0)));
        }
        let fibre = |(family, [a, b], share): (SpringFamily, [usize; 2], Real)| {
            let way = places[b] - places[a];
            let spring = fabric.spring(family, [0; 2], 1.0)?;
            let factor = share * way.length_squared() / area;
            let spring =
                Spring { stiffness: spring.stiffness * factor, damping: spring.damping * factor, ..spring };
            Some(Fibre { direction: way.try_normalize()?, spring })
        };
        Weave { fibres: links.into_iter().filter_map(fibre).collect() }
    }
}

/// The pairs that face each other over an inner edge, and how far apart they are at rest [m]: the two tips of triangles; of quads,
/// the corners two apart.
fn across(edge: &Edge, shape: &RestShape) -> Vec<([u32; 2], Real)> {
    let joined =
        joined_faces(edge, |face| (shape.faces[face as usize].corners(), &shape.places[face as usize][..]));
    let Some([first, second]) = joined else { return Vec::new() };
    let beside = |face: u32, end: u32| {
        let corners = shape.faces[face as usize].corners();
        let at = corners.iter().position(|&c| c == end)?;
        let neighbours =
            [corners[(at + 1) % corners.len()], corners[(at + corners.len() - 1) % corners.len()]];
        neighbours.into_iter().find(|n| !edge.ends.contains(n))
    };
    let pair = |end: u32| Some([beside(first, end)?, beside(second, end)?]);
    let distance = |[c, d]: [u32; 2]| {
        let [a, b] = edge.ends;
        let [p, q, r] = [a, b, c].map(|corner| shape.place(first, corner));
        let [u, v, w] = [a, b, d].map(|corner| shape.place(second, corner));
        r.distance(beyond([p, q], r, [u, v], w))
    };
    edge.ends
        .iter()
        .filter_map(|&end| pair(end))
        .filter(|[a, b]| a != b)
        .map(|ends| ([ends[0].min(ends[1]), ends[0].max(ends[1])], distance(ends)))
        .collect()
}

fn distance([a, b]: [u32; 2], positions: &[Vec3]) -> Real {
    positions[a as usize].distance(positions[b as usize])
}

/// The vertices at the border of a surface.
pub(crate) fn border(faces: &[Face]) -> Vec<u32> {
    let edges = edges(faces);
    let mut found: Vec<u32> =
        edges.iter().filter(|edge| edge.faces.len() == 1).flat_map(|edge| edge.ends).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Refuses fabrics that cannot be.
pub(crate) fn check_fabric(fabric: &Fabric) -> Result<(), BuildError> {
    positive("fabric.density", fabric.density, "greater than 0 kg/m³")?;
    positive("fabric.thickness", fabric.thickness, "greater than 0 m")?;
    if let Some(break_at) = fabric.break_at.filter(|break_at| !(*break_at > 1.0 && break_at.is_finite())) {
        return refuse(
            "fabric.break_at",
            break_at,
            "greater than 1: how many times their length at rest threads can reach",
        );
    }
    if let Some(strength) = fabric.strength {
        positive("fabric.strength", strength, "greater than 0 N/m")?;
    }
    if let Some(toughness) = fabric.toughness {
        positive("fabric.toughness", toughness, "greater than 0 J/m")?;
    }
    if let Some(length) = fabric.least_length {
        positive("fabric.least_length", length, "greater than 0 m")?;
    }
    for family in [SpringFamily::Structural, SpringFamily::Shear, SpringFamily::Flexion] {
        check_link(family, &fabric.link(family)).map_err(|error| error.under("fabric"))?;
    }
    Ok(())
}

/// Refuses springs that cannot be.
pub(crate) fn check_link(family: SpringFamily, link: &Link) -> Result<(), BuildError> {
    let family = match family {
        SpringFamily::Structural => "structural",
        SpringFamily::Shear => "shear",
        SpringFamily::Flexion => "flexion",
        SpringFamily::Tether => "tether",
        SpringFamily::Seam => "seam",
    };
    not_negative(&format!("{family}.stiffness"), link.stiffness, "0 N/m or more")?;
    not_negative(&format!("{family}.damping"), link.damping, "0 N·s/m or more")?;
    if link.rigid {
        let allowed = "greater than 0 N/m: it stands for the rod in methods that cannot hold it rigid";
        positive(&format!("{family}.stiffness"), link.stiffness, allowed)?;
        if link.damping != 0.0 || link.law != SpringLaw::TwoSided {
            return refuse(
                &format!("{family}.rigid"),
                true,
                "false where there is a damping or a law of springs",
            );
        }
    }
    match link.law {
        SpringLaw::DeadZone(part) => not_negative(&format!("{family}.law.dead-zone"), part, "0 or more"),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{influence_areas, rest_places};

    #[test]
    fn a_sheet_read_as_a_mesh_has_the_springs_of_a_sheet() {
        let grid = Grid { rows: 5, columns: 4 };
        let positions: Vec<Vec3> =
            grid.vertices().map(|(i, j)| Vec3::new(i as Real, j as Real, 0.0)).collect();
        let fabric = Fabric::default();
        let ends = |springs: Vec<Spring>| {
            let mut ends: Vec<_> = springs
                .iter()
                .map(|s| (s.family as u8, s.ends[0].min(s.ends[1]), s.ends[0].max(s.ends[1])))
                .collect();
            ends.sort_unstable();
            ends
        };
        let faces = grid.quads();
        let shape = RestShape {
            faces: &faces,
            places: &rest_places(&faces, &positions),
            crossed: &grid.crossed(),
            lips: &[],
            weaves: &vec![None; faces.len()],
            grid: None,
            warp: Vec3::X,
        };
        let by_mesh = ends(mesh_springs(&shape, &fabric));
        assert_eq!(ends(grid_springs(grid, &fabric, &positions)), by_mesh);
        assert_eq!(by_mesh.iter().filter(|s| s.0 == SpringFamily::Flexion as u8).count(), 2 * 5 + 3 * 4);
    }

    #[test]
    fn areas_of_a_grid_are_four_to_two_to_one() {
        let grid = Grid { rows: 3, columns: 3 };
        let positions: Vec<Vec3> =
            grid.vertices().map(|(i, j)| Vec3::new(i as Real, j as Real, 0.0)).collect();
        let areas = influence_areas(&grid.quads(), &positions);
        assert_eq!([areas[0], areas[1], areas[4]], [0.25, 0.5, 1.0]);
    }
}
