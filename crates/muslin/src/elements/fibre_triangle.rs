//! The fibre triangle: a piece of a face whose springs were replaced when the face was divided.
//!
//! A face with springs along its sides and diagonals, divided into triangles, keeps its law: each piece has the fibres of the whole
//! face, spread over its area. With the deformation gradient F of the piece, its area A_s, the area A of the face, and springs of
//! stiffness k_i, length L_i and direction t_i at rest:
//!
//! ```text
//! energy    (A_s/A) Σ ½ k_i L_i² (|F t_i| − 1)²            where the spring acts
//! ```
//!
//! A uniform F so costs what it cost the springs, at any strain, however the face is divided. Each fibre is a [`Spring`] of length 1,
//! whose strain vector is F t_i: the laws and derivatives are those of springs.

use super::membrane::rest_triangle;
use super::{Element, Increment, Spring};
use crate::math::{Mat3, Real, Vec3};

/// Fibres of a face at the most: four sides and two diagonals of a quad.
pub const MOST_FIBRES: usize = 6;

/// What the springs of a face become when it is divided: fibres, spread over its area.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Weave {
    /// The fibres.
    pub fibres: Vec<Fibre>,
}

/// A spring spread over an area.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Fibre {
    /// Its direction at rest, of unit length.
    pub direction: Vec3,
    /// The spring, of length 1: k L²/A [N/m], c L²/A [N·s/m].
    pub spring: Spring,
}

/// A triangle with fibres.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FibreTriangle {
    /// The three particles.
    pub corners: [u32; 3],
    /// From corners to the columns of F [1/m].
    pub operator: [[Real; 3]; 2],
    /// A_s at rest [m²].
    pub area: Real,
    /// t: directions of the fibres in the rest plane; zero for those that there are not.
    pub directions: [[Real; 2]; MOST_FIBRES],
    /// The fibres.
    pub springs: [Spring; MOST_FIBRES],
}

impl FibreTriangle {
    /// A triangle with its corners at these places at rest [m]; none if it has no area.
    pub fn new(corners: [u32; 3], places: [Vec3; 3], weave: &Weave) -> Option<Self> {
        let (p, q) = (places[1] - places[0], places[2] - places[0]);
        let normal = p.cross(q).try_normalize()?;
        let first = p.normalize();
        let second = normal.cross(first);
        let in_plane = |v: Vec3| [v.dot(first), v.dot(second)];
        let (operator, area) = rest_triangle([[0.0; 2], in_plane(p), in_plane(q)]);
        let mut directions = [[0.0; 2]; MOST_FIBRES];
        let mut springs = [Spring::new([0; 2], 1.0, 0.0); MOST_FIBRES];
        for (k, fibre) in weave.fibres.iter().enumerate() {
            directions[k] = in_plane(fibre.direction);
            springs[k] = fibre.spring;
        }
        Some(Self { corners, operator, area, directions, springs })
    }

    /// The fibres that there are.
    #[inline]
    fn fibres(&self) -> impl Iterator<Item = ([Real; 2], &Spring)> {
        self.directions.into_iter().zip(&self.springs).take_while(|(t, _)| *t != [0.0; 2])
    }

    /// Σ A t_a v: what vectors at the fibres mean at the columns of F.
    #[inline]
    fn vectors(&self, at_fibre: impl Fn(&Spring, [Real; 2]) -> Vec3) -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for (t, spring) in self.fibres() {
            let vector = at_fibre(spring, t) * self.area;
            sum[0] += vector * t[0];
            sum[1] += vector * t[1];
        }
        sum
    }

    /// Σ A t_a t_b M.
    fn matrices(&self, at_fibre: impl Fn(&Spring, [Real; 2]) -> Mat3) -> [[Mat3; 2]; 2] {
        let mut sum = [[Mat3::ZERO; 2]; 2];
        for (t, spring) in self.fibres() {
            let matrix = at_fibre(spring, t) * self.area;
            for a in 0..2 {
                for b in 0..2 {
                    sum[a][b] += matrix * (t[a] * t[b]);
                }
            }
        }
        sum
    }

    /// Weights at or above the eigenvalues of Σ A k t tᵀ: sums of its rows.
    fn bounds(&self, of: impl Fn(&Spring) -> Real) -> [Real; 2] {
        let mut sum = [[0.0; 2]; 2];
        for (t, spring) in self.fibres() {
            for a in 0..2 {
                for b in 0..2 {
                    sum[a][b] += self.area * of(spring) * t[a] * t[b];
                }
            }
        }
        [sum[0][0] + sum[0][1].abs(), sum[1][1] + sum[1][0].abs()]
    }
}

/// F t.
#[inline]
fn along(f: &[Vec3; 2], t: [Real; 2]) -> [Vec3; 1] {
    [f[0] * t[0] + f[1] * t[1]]
}

/// The step as a fibre sees it.
#[inline]
fn seen(step: &Increment<2>, t: [Real; 2]) -> Increment<1> {
    Increment { gamma: step.gamma, past: step.past.map(|f| along(&f, t)), beta: step.beta }
}

impl Element<3, 2> for FibreTriangle {
    #[inline]
    fn particles(&self) -> [usize; 3] {
        self.corners.map(|corner| corner as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 3]; 2] {
        self.operator
    }

    fn energy(&self, f: &[Vec3; 2]) -> Real {
        self.fibres().map(|(t, spring)| spring.energy(&along(f, t))).sum::<Real>() * self.area
    }

    #[inline]
    fn stress(&self, f: &[Vec3; 2]) -> [Vec3; 2] {
        self.vectors(|spring, t| spring.stress(&along(f, t))[0])
    }

    fn stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.matrices(|spring, t| spring.stiffness(&along(f, t))[0][0])
    }

    fn positive_stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.matrices(|spring, t| spring.positive_stiffness(&along(f, t))[0][0])
    }

    #[inline]
    fn viscous_stress(&self, f: &[Vec3; 2], rate: &[Vec3; 2]) -> [Vec3; 2] {
        self.vectors(|spring, t| spring.viscous_stress(&along(f, t), &along(rate, t))[0])
    }

    fn viscosity(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.matrices(|spring, t| spring.viscosity(&along(f, t))[0][0])
    }

    fn viscous_stiffness(&self, f: &[Vec3; 2], rate: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.matrices(|spring, t| spring.viscous_stiffness(&along(f, t), &along(rate, t))[0][0])
    }

    fn weights(&self) -> [Real; 2] {
        self.bounds(|spring| spring.stiffness)
    }

    fn viscous_potential(&self, f: &[Vec3; 2], step: &Increment<2>) -> Real {
        let at_fibre =
            |(t, spring): ([Real; 2], &Spring)| spring.viscous_potential(&along(f, t), &seen(step, t));
        self.fibres().map(at_fibre).sum::<Real>() * self.area
    }

    fn viscous_potential_stress(&self, f: &[Vec3; 2], step: &Increment<2>) -> [Vec3; 2] {
        self.vectors(|spring, t| spring.viscous_potential_stress(&along(f, t), &seen(step, t))[0])
    }

    fn viscous_potential_stiffness(&self, f: &[Vec3; 2], step: &Increment<2>) -> [[Mat3; 2]; 2] {
        self.matrices(|spring, t| spring.viscous_potential_stiffness(&along(f, t), &seen(step, t))[0][0])
    }

    fn viscous_weights(&self, gamma: Real) -> [Real; 2] {
        self.bounds(|spring| spring.damping / gamma)
    }
}
