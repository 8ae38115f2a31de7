//! How surfaces and solids of a material become elements: by the builder, and again near an edit.

pub(crate) mod springs;
mod unfold;

use crate::build_error::{BuildError, not_negative, positive, refuse};
use crate::elements::{
    CorotatedMembrane, Elements, FibreTriangle, Hinge, Membrane, Moduli, PressureLaw, QuadraticHinge, Rod,
    Spring, Tet, Weave, plane_coordinates,
};
use crate::material::{Bending, BendingLaw, Fabric, MembraneLaw, MembraneMaterial, SolidMaterial};
use crate::math::{Real, Vec3};
use crate::mesh::half_edge::joined_faces;
use crate::mesh::{Edge, Face, Grid, RestPlaces, edges};
use crate::seam::SewnSide;
use std::ops::Range;
use unfold::beyond;

/// A piece of cloth: what its elements are made of, besides the shape at rest.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClothPart {
    /// Number of the part that it is.
    pub part: usize,
    /// Its faces.
    pub faces: Range<u32>,
    /// Which of its faces are divided from the second corner to the fourth, instead of from the first to the third.
    pub crossed: Vec<bool>,
    /// Sides of faces at which it was opened, by face and number of the side, ascending: lips, that have half of an edge's stiffness.
    pub lips: Vec<[u32; 2]>,
    /// Sides of faces along seams with a strength of their own, in the order in which they were sewn.
    pub seams: Vec<SewnSide>,
    /// What the springs of faces became that were divided.
    pub weaves: Vec<Weave>,
    /// Which of its faces are pieces of a divided one, and of which weave.
    pub weave_of: Vec<Option<u32>>,
    /// Its material.
    pub fabric: Fabric,
    /// Direction of the warp at rest, unless the fabric knows better.
    pub warp: Vec3,
    /// By how much it was made stiffer since.
    pub stiffness: Real,
    /// Mean length at rest of the sides of its faces, as it was made [m].
    pub mean_side: Real,
}

impl ClothPart {
    /// Whether it can tear, or a seam of it rip.
    pub fn tears(&self) -> bool {
        self.fabric.tears() || !self.seams.is_empty()
    }
}

/// An edge and its length at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RestEdge {
    /// Its two particles.
    pub ends: [u32; 2],
    /// L [m].
    pub rest_length: Real,
}

impl RestEdge {
    /// l/L − 1.
    pub fn stretch(&self, positions: &[Vec3]) -> Real {
        let [a, b] = self.ends.map(|end| positions[end as usize]);
        a.distance(b) / self.rest_length - 1.0
    }
}

/// What holds a body together, numbered from its first particle.
#[derive(Default)]
pub(crate) struct Parts {
    pub elements: Elements,
    pub edges: Vec<RestEdge>,
}

/// The shape of cloth at rest.
pub(crate) struct RestShape<'a> {
    pub faces: &'a [Face],
    /// Where the corners of each face are [m].
    pub places: &'a [RestPlaces],
    /// Which faces are divided from the second corner to the fourth.
    pub crossed: &'a [bool],
    /// Sides at which cloth was opened, by face and number of the side, ascending.
    pub lips: &'a [[u32; 2]],
    /// What holds pieces of divided faces together; nothing for the other faces.
    pub weaves: &'a [Option<&'a Weave>],
    /// The grid, if it is a whole sheet.
    pub grid: Option<Grid>,
    /// Direction of the warp, unless the fabric knows better.
    pub warp: Vec3,
}

impl RestShape<'_> {
    /// Springs, or membranes; flexion springs, or hinges.
    pub fn parts(&self, fabric: &Fabric) -> Result<Parts, BuildError> {
        springs::check_fabric(fabric)?;
        let mut parts = Parts::default();
        let triangles = self.triangles();
        if let Some(material) = &fabric.membrane {
            let moduli = check_membrane(material).map_err(|error| error.under("fabric.membrane"))?;
            self.add_membranes(material, moduli, &triangles, &mut parts.elements);
            parts.edges = edges(self.faces).iter().map(|edge| self.rest_edge(edge)).collect();
        } else {
            parts.elements.springs = match self.grid {
                Some(grid) => springs::grid_springs(grid, fabric, &self.grid_positions(grid)),
                None => springs::mesh_springs(self, fabric),
            };
            self.add_fibres(&mut parts);
        }
        if let Some(bending) = &fabric.bending {
            check_bending(bending).map_err(|error| error.under("fabric.bending"))?;
            parts.elements.springs.retain(|spring| spring.family != crate::elements::SpringFamily::Flexion);
            Self::add_hinges(bending, &triangles, &mut parts.elements)?;
        }
        parts.elements.rods =
            take_rods(&mut parts.elements.springs, |spring| fabric.link(spring.family).rigid);
        Ok(parts)
    }

    /// The particles on its border.
    pub fn border(&self) -> Vec<u32> {
        let Some(grid) = self.grid else { return springs::border(self.faces) };
        grid.vertices().filter(|&(i, j)| grid.on_border(i, j)).map(|(i, j)| grid.index(i, j)).collect()
    }

    /// Its faces as triangles.
    fn triangles(&self) -> Vec<RestTriangle> {
        let mut triangles = Vec::with_capacity(2 * self.faces.len());
        for ((face, places), &is_crossed) in self.faces.iter().zip(self.places).zip(self.crossed) {
            let at = |corner: u32| {
                face.corners().iter().position(|&c| c == corner).map_or(Vec3::ZERO, |k| places[k])
            };
            let triangle = |corners: [u32; 3]| RestTriangle { corners, places: corners.map(at) };
            triangles.extend(face.triangles_of(is_crossed).map(triangle));
        }
        triangles
    }

    /// Where a corner of a face is [m].
    fn place(&self, face: u32, corner: u32) -> Vec3 {
        let corners = self.faces[face as usize].corners();
        corners.iter().position(|&c| c == corner).map_or(Vec3::ZERO, |k| self.places[face as usize][k])
    }

    /// The length of an edge: where its faces disagree, as along a seam that gathers, the mean [m].
    fn length(&self, edge: &Edge) -> Real {
        let of_face = |&face: &u32| {
            let [a, b] = edge.ends.map(|end| self.place(face, end));
            a.distance(b)
        };
        let first = of_face(&edge.faces[0]);
        if edge.faces.iter().all(|face| of_face(face) == first) {
            return first;
        }
        edge.faces.iter().map(of_face).sum::<Real>() / edge.faces.len() as Real
    }

    fn rest_edge(&self, edge: &Edge) -> RestEdge {
        RestEdge { ends: edge.ends, rest_length: self.length(edge) }
    }

    /// The places of the vertices of a grid, which its faces agree on [m].
    fn grid_positions(&self, grid: Grid) -> Vec<Vec3> {
        let mut positions = vec![Vec3::ZERO; grid.rows * grid.columns];
        for (face, places) in self.faces.iter().zip(self.places) {
            for (&corner, &place) in face.corners().iter().zip(places) {
                positions[corner as usize] = place;
            }
        }
        positions
    }

    /// The fibres of pieces of divided faces, and the edges between these, to measure how they stretch.
    fn add_fibres(&self, parts: &mut Parts) {
        if self.weaves.iter().all(Option::is_none) {
            return;
        }
        for ((face, places), weave) in self.faces.iter().zip(self.places).zip(self.weaves) {
            let (&[a, b, c], Some(weave)) = (face.corners(), weave) else { continue };
            let [p, q, r, _] = *places;
            parts.elements.fibre_triangles.extend(FibreTriangle::new([a, b, c], [p, q, r], weave));
        }
        let is_piece = |edge: &&Edge| edge.faces.iter().all(|&face| self.weaves[face as usize].is_some());
        parts.edges = edges(self.faces).iter().filter(is_piece).map(|edge| self.rest_edge(edge)).collect();
    }

    fn add_membranes(
        &self,
        material: &MembraneMaterial,
        moduli: Moduli<2>,
        triangles: &[RestTriangle],
        elements: &mut Elements,
    ) {
        let warp = material.direction.unwrap_or(self.warp);
        for &RestTriangle { corners, places } in triangles {
            // A triangle without area is half of a quad that has some: nothing to stretch.
            let Some(rest) = plane_coordinates(places, warp) else { continue };
            if material.law == MembraneLaw::Corotated {
                let membrane = CorotatedMembrane::new(corners, rest, material.warp);
                elements
                    .corotated_membranes
                    .push(CorotatedMembrane { damping: material.damping, ..membrane });
            } else {
                elements.membranes.push(Membrane {
                    damping: material.damping,
                    wrinkles: material.law == MembraneLaw::Wrinkling,
                    ..Membrane::new(corners, rest, moduli)
                });
            }
        }
    }

    fn add_hinges(
        bending: &Bending,
        triangles: &[RestTriangle],
        elements: &mut Elements,
    ) -> Result<(), BuildError> {
        let faces: Vec<Face> = triangles
            .iter()
            .map(|RestTriangle { corners: [a, b, c], .. }| Face::triangle(*a, *b, *c))
            .collect();
        for edge in edges(&faces) {
            let joined = joined_faces(&edge, |face| {
                let RestTriangle { corners, places } = &triangles[face as usize];
                (corners, places)
            });
            let Some([first, second]) = joined.map(|pair| pair.map(|face| &triangles[face as usize])) else {
                continue;
            };
            let (Some(c), Some(d)) = (first.tip(edge.ends), second.tip(edge.ends)) else { continue };
            let forward = first.sides().contains(&edge.ends);
            let [a, b] = if forward { edge.ends } else { [edge.ends[1], edge.ends[0]] };
            let particles = [a, b, c, d];
            let [p, q, r] = [a, b, c].map(|corner| first.place(corner));
            let [u, v, w] = [a, b, d].map(|corner| second.place(corner));
            let rest = [p, q, r, beyond([p, q], r, [u, v], w)];
            match bending.law {
                BendingLaw::Angle => elements.hinges.extend(
                    Hinge::new(particles, rest, bending.rigidity)
                        .map(|hinge| Hinge { damping: bending.damping, ..hinge }),
                ),
                BendingLaw::Quadratic => {
                    let Some(hinge) = QuadraticHinge::new(particles, rest, bending.rigidity) else {
                        continue;
                    };
                    let fold: Vec3 = (0..4).map(|k| rest[k] * hinge.weights[k]).sum();
                    // Rounding of places some sizes of the edge away; a real fold is some thousandths of it.
                    if fold.length() > 1e-6 * rest[0].distance(rest[1]) {
                        let allowed = "`angle`: the surface is not flat at rest";
                        return refuse("fabric.bending.law", "`quadratic`", allowed);
                    }
                    elements.quadratic_hinges.push(QuadraticHinge { damping: bending.damping, ..hinge });
                }
            }
        }
        Ok(())
    }
}

/// A triangle and where its corners are at rest [m].
#[derive(Clone, Copy, Debug)]
struct RestTriangle {
    corners: [u32; 3],
    places: [Vec3; 3],
}

impl RestTriangle {
    /// The corner that is no end of an edge.
    fn tip(&self, ends: [u32; 2]) -> Option<u32> {
        self.corners.into_iter().find(|corner| !ends.contains(corner))
    }

    fn sides(&self) -> [[u32; 2]; 3] {
        let [a, b, c] = self.corners;
        [[a, b], [b, c], [c, a]]
    }

    fn place(&self, corner: u32) -> Vec3 {
        self.corners.iter().position(|&c| c == corner).map_or(Vec3::ZERO, |k| self.places[k])
    }
}

/// The tetrahedra of a solid and their edges.
pub(crate) fn solid_parts(
    positions: &[Vec3],
    tets: &[[u32; 4]],
    material: &SolidMaterial,
) -> Result<Parts, BuildError> {
    check_solid(material).map_err(|error| error.under("material"))?;
    let mut parts = Parts::default();
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for (number, &corners) in tets.iter().enumerate() {
        let path = format!("tets[{number}]");
        if let Some(&wrong) = corners.iter().find(|&&corner| corner as usize >= positions.len()) {
            return refuse(
                &path,
                format!("with particle {wrong}"),
                format!("at most {}", positions.len() - 1),
            );
        }
        let rest = corners.map(|corner| positions[corner as usize]);
        let Some(tet) = Tet::new(corners, rest, material.young, material.poisson) else {
            let volume = (rest[1] - rest[0]).cross(rest[2] - rest[0]).dot(rest[3] - rest[0]) / 6.0;
            let what = if volume < 0.0 { "inside out" } else { "flat" };
            let allowed =
                "of positive volume: seen from the fourth corner, the first three run counter-clockwise";
            return refuse(&path, format!("{what} (volume {volume:e} m³)"), allowed);
        };
        parts.elements.tets.push(Tet { damping: material.damping, ..tet });
        let [a, b, c, d] = corners;
        pairs.extend([[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]].map(|[p, q]| [p.min(q), p.max(q)]));
    }
    pairs.sort_unstable();
    pairs.dedup();
    let length = |[a, b]: [u32; 2]| positions[a as usize].distance(positions[b as usize]);
    parts.edges = pairs.into_iter().map(|ends| RestEdge { ends, rest_length: length(ends) }).collect();
    Ok(parts)
}

/// Refuses membranes that cannot be.
fn check_membrane(material: &MembraneMaterial) -> Result<Moduli<2>, BuildError> {
    positive("warp", material.warp, "greater than 0 N/m")?;
    if let Some(weft) = material.weft {
        positive("weft", weft, "greater than 0 N/m")?;
    }
    if let Some(shear) = material.shear {
        not_negative("shear", shear, "0 N/m or more")?;
    }
    not_negative("damping", material.damping, "0 s or more")?;
    if material.direction.is_some_and(|direction| direction.try_normalize().is_none()) {
        return refuse("direction", format!("{:?}", material.direction), "a finite vector that is not zero");
    }
    let range = "more than -1 and less than 1, and its square less than warp/weft";
    let Some(moduli) = material.law().filter(|_| material.poisson.abs() < 1.0) else {
        return refuse("poisson", material.poisson, range);
    };
    match material.law {
        MembraneLaw::Wrinkling | MembraneLaw::Corotated if !material.is_isotropic() => refuse(
            "law",
            format!("{:?}", material.law),
            "`st-venant-kirchhoff` where warp, weft and shear differ",
        ),
        MembraneLaw::Corotated if material.poisson != 0.0 => {
            refuse("poisson", material.poisson, "0 with the law `corotated`")
        }
        _ => Ok(moduli),
    }
}

/// Refuses bending that cannot be.
fn check_bending(bending: &Bending) -> Result<(), BuildError> {
    positive("rigidity", bending.rigidity, "greater than 0 N·m")?;
    not_negative("damping", bending.damping, "0 s or more")
}

/// Refuses solids that cannot be.
fn check_solid(material: &SolidMaterial) -> Result<(), BuildError> {
    positive("density", material.density, "greater than 0 kg/m³")?;
    positive("young", material.young, "greater than 0 Pa")?;
    not_negative("damping", material.damping, "0 s or more")?;
    if (0.0..0.499).contains(&material.poisson) {
        Ok(())
    } else {
        refuse("poisson", material.poisson, "from 0 to less than 0.499")
    }
}

/// Refuses pressures that cannot be.
pub(crate) fn check_pressure(law: &PressureLaw) -> Result<(), BuildError> {
    match *law {
        PressureLaw::Constant(pressure) if pressure.is_finite() => Ok(()),
        PressureLaw::Constant(pressure) => refuse("pressure.constant", pressure, "finite"),
        PressureLaw::Gas { over, ambient } => {
            not_negative("pressure.gas.ambient", ambient, "0 Pa or more")?;
            positive("pressure.gas.over", over + ambient, "greater than minus the ambient pressure")
        }
        PressureLaw::Volume { factor, stiffness } => {
            positive("pressure.volume.factor", factor, "greater than 0")?;
            not_negative("pressure.volume.stiffness", stiffness, "0 Pa or more")
        }
    }
}

/// Makes rods of those `springs` that are `rigid`, asked in their order.
pub(crate) fn take_rods(springs: &mut Vec<Spring>, mut rigid: impl FnMut(&Spring) -> bool) -> Vec<Rod> {
    let mut rods = Vec::new();
    springs.retain(|spring| {
        let rigid = rigid(spring);
        if rigid {
            rods.push(Rod { ends: spring.ends, length: spring.rest_length, stiffness: spring.stiffness });
        }
        !rigid
    });
    rods
}
