//! The hinge: two triangles that resist folding along their common edge.
//!
//! Edge a–b, tips c and d; strains e = b − a, p = c − a, q = d − a. With the normals m = e × p and n = q × e, l = |e|, and the
//! fold θ, positive where the tips move against the normals:
//!
//! ```text
//! θ         atan2(−(m × n)·e/l, m·n)                                          0 where flat
//! energy    ½ k (θ − θ₀)²
//! ∂θ        by p: l m/m²      by q: l n/n²      by e: −(p·e/l) m/m² − (q·e/l) n/n²
//! viscous   k τ θ̇ ∂θ
//! ```
//!
//! k = B l²/(A₁ + A₂) with the bending rigidity B [N·m] of the material and the areas at rest. On a mesh of equilateral triangles
//! the hinges then are a plate of rigidity B and Poisson's ratio −1/3, whatever the direction; along the threads of a square
//! grid, too, a cylinder of curvature κ costs ½ B κ² by area. (The factor 3 of [Bergou et al. 2006] and of discrete shells
//! would make it three times that.) The positive stiffness is k ∂θ ∂θᵀ.

use super::{Element, Increment};
use crate::math::{Mat3, Real, Vec3, cross_matrix, outer};
use std::f64::consts::{PI, TAU};

/// Two triangles that resist folding.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Hinge {
    /// The ends of the edge, and the tips beside it: triangles (a, b, c) and (b, a, d).
    pub particles: [u32; 4],
    /// θ₀ [rad].
    pub rest_angle: Real,
    /// k [N·m].
    pub stiffness: Real,
    /// τ [s].
    pub damping: Real,
    /// Largest ∂θ by e, p and q near rest, for the matrices of projection methods [1/m].
    pub slopes: [Real; 3],
}

impl Hinge {
    /// A hinge at rest at these places [m], of a material of this rigidity [N·m]; none if a triangle has no area.
    pub fn new(particles: [u32; 4], rest: [Vec3; 4], rigidity: Real) -> Option<Self> {
        let strain = edges_of(rest);
        let fold = Fold::of(&strain)?;
        let areas = 0.5 * (strain[0].cross(strain[1]).length() + strain[2].cross(strain[0]).length());
        Some(Self {
            particles,
            rest_angle: fold.angle,
            stiffness: rigidity * strain[0].length_squared() / areas,
            damping: 0.0,
            slopes: fold.slope.map(Vec3::length),
        })
    }

    /// θ of a strain [rad], between −π and π; none if a triangle has no area.
    pub fn angle(strain: &[Vec3; 3]) -> Option<Real> {
        Fold::of(strain).map(|fold| fold.angle)
    }

    /// k times the square of each slope with all others, which bounds k ∂θ ∂θᵀ.
    fn bound(&self, stiffness: Real) -> [Real; 3] {
        let sum: Real = self.slopes.iter().sum();
        self.slopes.map(|slope| stiffness * slope * sum)
    }

    /// θ − θ̂ over a step.
    fn turn(&self, angle: Real, step: &Increment<3>) -> Real {
        wrapped(angle - step.origin(|past| Fold::of(past).map_or(self.rest_angle, |fold| fold.angle)))
    }
}

/// e, p and q of the four particles.
fn edges_of([a, b, c, d]: [Vec3; 4]) -> [Vec3; 3] {
    [b - a, c - a, d - a]
}

/// An angle between −π and π.
fn wrapped(angle: Real) -> Real {
    if angle.abs() <= PI { angle } else { angle - TAU * (angle / TAU).round() }
}

/// θ and what its derivatives are made of.
struct Fold {
    angle: Real,
    /// ∂θ by e, p and q.
    slope: [Vec3; 3],
    length: Real,
    normals: [Vec3; 2],
}

impl Fold {
    #[inline]
    fn of(&[e, p, q]: &[Vec3; 3]) -> Option<Self> {
        let (m, n) = (e.cross(p), q.cross(e));
        let (length, m2, n2) = (e.length(), m.length_squared(), n.length_squared());
        if m2 == 0.0 || n2 == 0.0 {
            return None; // a triangle without area has no normal
        }
        let angle = (-m.cross(n).dot(e) / length).atan2(m.dot(n));
        let (m_share, n_share) = (m / m2, n / n2);
        let along = m_share * (-p.dot(e) / length) + n_share * (-q.dot(e) / length);
        Some(Self { angle, slope: [along, m_share * length, n_share * length], length, normals: [m, n] })
    }

    /// ∂²θ by e, p and q.
    fn curvature(&self, &[e, p, q]: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let ([m, n], l) = (self.normals, self.length);
        // ∂(m/m²) = Q ∂m
        let change = |m: Vec3| {
            let square = m.length_squared();
            Mat3::from_diagonal(Vec3::splat(1.0 / square)) - outer(m, m) * (2.0 / (square * square))
        };
        let (m_change, n_change) = (change(m), change(n));
        let (m_share, n_share) = (m / m.length_squared(), n / n.length_squared());
        // ∂m = −[p]× ∂e + [e]× ∂p,  ∂n = [q]× ∂e − [e]× ∂q
        let (m_by_e, m_by_p) = (m_change * -cross_matrix(p), m_change * cross_matrix(e));
        let (n_by_e, n_by_q) = (n_change * cross_matrix(q), n_change * -cross_matrix(e));
        let unit = e / l;
        let (pe, qe) = (p.dot(e) / l, q.dot(e) / l);
        let p_by_e = outer(m_share, unit) + m_by_e * l;
        let q_by_e = outer(n_share, unit) + n_by_e * l;
        let e_by_e = -(outer(m_share, p / l - unit * (pe / l))
            + outer(n_share, q / l - unit * (qe / l))
            + m_by_e * pe
            + n_by_e * qe);
        [
            [e_by_e, p_by_e.transpose(), q_by_e.transpose()],
            [p_by_e, m_by_p * l, Mat3::ZERO],
            [q_by_e, Mat3::ZERO, n_by_q * l],
        ]
    }
}

/// factor ∂θ ∂θᵀ.
fn squared(slope: &[Vec3; 3], factor: Real) -> [[Mat3; 3]; 3] {
    slope.map(|row| slope.map(|column| outer(row * factor, column)))
}

impl Element<4, 3> for Hinge {
    #[inline]
    fn particles(&self) -> [usize; 4] {
        self.particles.map(|particle| particle as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 4]; 3] {
        [[-1.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0], [-1.0, 0.0, 0.0, 1.0]]
    }

    #[inline]
    fn strain(&self, positions: &[Vec3]) -> [Vec3; 3] {
        edges_of(self.particles().map(|particle| positions[particle]))
    }

    #[inline]
    fn transpose(&self, &[e, p, q]: &[Vec3; 3]) -> [Vec3; 4] {
        [-(e + p + q), e, p, q]
    }

    fn energy(&self, strain: &[Vec3; 3]) -> Real {
        let turn = Fold::of(strain).map_or(0.0, |fold| wrapped(fold.angle - self.rest_angle));
        0.5 * self.stiffness * turn * turn
    }

    #[inline]
    fn stress(&self, strain: &[Vec3; 3]) -> [Vec3; 3] {
        let Some(fold) = Fold::of(strain) else { return [Vec3::ZERO; 3] };
        let moment = self.stiffness * wrapped(fold.angle - self.rest_angle);
        fold.slope.map(|slope| slope * moment)
    }

    fn stiffness(&self, strain: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let Some(fold) = Fold::of(strain) else { return [[Mat3::ZERO; 3]; 3] };
        let moment = self.stiffness * wrapped(fold.angle - self.rest_angle);
        let (straight, curved) = (squared(&fold.slope, self.stiffness), fold.curvature(strain));
        std::array::from_fn(|m| std::array::from_fn(|l| straight[m][l] + curved[m][l] * moment))
    }

    fn positive_stiffness(&self, strain: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        Fold::of(strain).map_or([[Mat3::ZERO; 3]; 3], |fold| squared(&fold.slope, self.stiffness))
    }

    #[inline]
    fn viscous_stress(&self, strain: &[Vec3; 3], rate: &[Vec3; 3]) -> [Vec3; 3] {
        let Some(fold) = Fold::of(strain).filter(|_| self.damping != 0.0) else { return [Vec3::ZERO; 3] };
        let speed: Real = fold.slope.iter().zip(rate).map(|(slope, rate)| slope.dot(*rate)).sum();
        fold.slope.map(|slope| slope * (self.stiffness * self.damping * speed))
    }

    fn viscosity(&self, strain: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let c = self.stiffness * self.damping;
        Fold::of(strain).map_or([[Mat3::ZERO; 3]; 3], |fold| squared(&fold.slope, c))
    }

    fn viscous_stiffness(&self, strain: &[Vec3; 3], rate: &[Vec3; 3]) -> [[Mat3; 3]; 3] {
        let Some(fold) = Fold::of(strain) else { return [[Mat3::ZERO; 3]; 3] };
        let c = self.stiffness * self.damping;
        let curved = fold.curvature(strain);
        let speed: Real = fold.slope.iter().zip(rate).map(|(slope, rate)| slope.dot(*rate)).sum();
        // ∂θ̇ by strain
        let change: [Vec3; 3] = curved.map(|row| (0..3).fold(Vec3::ZERO, |sum, l| sum + row[l] * rate[l]));
        std::array::from_fn(|m| {
            std::array::from_fn(|l| (outer(fold.slope[m], change[l]) + curved[m][l] * speed) * c)
        })
    }

    #[inline]
    fn bends(&self) -> bool {
        true
    }

    fn weights(&self) -> [Real; 3] {
        self.bound(self.stiffness)
    }

    /// C = θ − θ₀.
    fn constraint(&self, strain: &[Vec3; 3]) -> Option<(Real, [Vec3; 3])> {
        Fold::of(strain).map(|fold| (wrapped(fold.angle - self.rest_angle), fold.slope))
    }

    /// kτ/2γ (θ − θ̂)².
    fn viscous_potential(&self, strain: &[Vec3; 3], step: &Increment<3>) -> Real {
        let turn = Fold::of(strain).map_or(0.0, |fold| self.turn(fold.angle, step));
        0.5 * self.stiffness * self.damping / step.gamma * turn * turn
    }

    fn viscous_potential_stress(&self, strain: &[Vec3; 3], step: &Increment<3>) -> [Vec3; 3] {
        let Some(fold) = Fold::of(strain).filter(|_| self.damping != 0.0) else { return [Vec3::ZERO; 3] };
        let moment = self.stiffness * self.damping / step.gamma * self.turn(fold.angle, step);
        fold.slope.map(|slope| slope * moment)
    }

    fn viscous_potential_stiffness(&self, strain: &[Vec3; 3], step: &Increment<3>) -> [[Mat3; 3]; 3] {
        let Some(fold) = Fold::of(strain).filter(|_| self.damping != 0.0) else {
            return [[Mat3::ZERO; 3]; 3];
        };
        squared(&fold.slope, self.stiffness * self.damping / step.gamma)
    }

    fn viscous_weights(&self, gamma: Real) -> [Real; 3] {
        self.bound(self.stiffness * self.damping / gamma)
    }
}
