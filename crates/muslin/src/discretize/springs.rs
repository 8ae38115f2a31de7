//! Springs and areas of surfaces.

use crate::build_error::{BuildError, not_negative, positive, refuse};
use crate::elements::{Spring, SpringFamily, SpringLaw};
use crate::material::{Fabric, Link};
use crate::math::{Real, Vec3};
use crate::mesh::half_edge::joined_faces;
use crate::mesh::{Edge, Face, Grid, edges};

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

/// The springs of any surface: structural along its edges, shear across its quads, and flexion over its inner edges. Where an edge was
/// opened, each of its lips has half of its stiffness, so that opening adds no energy.
pub(crate) fn mesh_springs(
    faces: &[Face],
    lips: &[[u32; 2]],
    fabric: &Fabric,
    positions: &[Vec3],
) -> Vec<Spring> {
    let edges = edges(faces);
    let structural = edges.iter().map(|edge| edge.ends);
    let shear = faces.iter().flat_map(|face| match *face.corners() {
        [a, b, c, d] => vec![[a, c], [b, d]],
        _ => Vec::new(),
    });
    let mut flexion: Vec<[u32; 2]> = edges.iter().flat_map(|edge| across(edge, faces, positions)).collect();
    flexion.sort_unstable();
    flexion.dedup();
    let families = structural
        .map(|ends| (SpringFamily::Structural, ends))
        .chain(shear.map(|ends| (SpringFamily::Shear, ends)))
        .chain(flexion.into_iter().map(|ends| (SpringFamily::Flexion, ends)));
    let mut springs: Vec<Spring> = families
        .filter_map(|(family, ends)| fabric.spring(family, ends, distance(ends, positions)))
        .collect();
    if !lips.is_empty() {
        let mut halved: Vec<[u32; 2]> =
            edges.iter().filter(|edge| is_lip(edge, faces, lips)).map(|edge| edge.ends).collect();
        halved.sort_unstable();
        let structural = springs.iter_mut().filter(|spring| spring.family == SpringFamily::Structural);
        for spring in structural.filter(|spring| halved.binary_search(&spring.ends).is_ok()) {
            spring.stiffness *= 0.5;
            spring.damping *= 0.5;
        }
    }
    springs
}

/// Whether an edge is one of the lips of an opened one.
fn is_lip(edge: &Edge, faces: &[Face], lips: &[[u32; 2]]) -> bool {
    let &[face] = edge.faces.as_slice() else { return false };
    let [a, b] = edge.ends;
    let mut sides = faces[face as usize].sides();
    let side = sides.position(|side| side == [a, b] || side == [b, a]);
    side.is_some_and(|side| lips.binary_search(&[face, side as u32]).is_ok())
}

/// The pairs that face each other over an inner edge: the two tips of triangles; of quads, the corners two apart.
fn across(edge: &Edge, faces: &[Face], positions: &[Vec3]) -> Vec<[u32; 2]> {
    let Some([first, second]) = joined_faces(edge, faces, positions) else { return Vec::new() };
    let beside = |face: u32, end: u32| {
        let corners = faces[face as usize].corners();
        let at = corners.iter().position(|&c| c == end)?;
        let neighbours =
            [corners[(at + 1) % corners.len()], corners[(at + corners.len() - 1) % corners.len()]];
        neighbours.into_iter().find(|n| !edge.ends.contains(n))
    };
    let pair = |end: u32| Some([beside(first, end)?, beside(second, end)?]);
    edge.ends
        .iter()
        .filter_map(|&end| pair(end))
        .filter(|[a, b]| a != b)
        .map(|[a, b]| [a.min(b), a.max(b)])
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
    use crate::mesh::influence_areas;

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
        let by_mesh = ends(mesh_springs(&grid.quads(), &[], &fabric, &positions));
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
