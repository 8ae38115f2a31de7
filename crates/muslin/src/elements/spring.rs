//! The spring between two particles.
//!
//! With d = x₁ − x₀, l = |d|, w = v₁ − v₀ and elongation e = l − L:
//!
//! ```text
//! energy    ½ k e²                 where the spring acts, else 0    [Provot 1995, §3]
//! stress    k e d/l                                                 (4.1), (4.2) of Carvalho 2012
//! viscous   c (w·d) d / l²                                          (4.3)
//! ∂stress   k [ (e/l) I + (L/l) d dᵀ/l² ]                           (4.33), (4.34)
//! ∂viscous  c d dᵀ/l²  by w;   c [ d wᵀ/l² + (w·d)/l² I − 2 (w·d) d dᵀ/l⁴ ]  by d     (4.35), corrected
//! ```

use super::{Element, Increment, Tangent};
use crate::math::{Mat3, Real, Vec3, outer};

/// A straight spring with damping along it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Spring {
    /// The two particles.
    pub ends: [u32; 2],
    /// L [m].
    pub rest_length: Real,
    /// k [N/m].
    pub stiffness: Real,
    /// c [N·s/m].
    pub damping: Real,
    /// Elongations from the first to the second value carry no elastic force [m]. See [`SpringLaw::slack`].
    pub slack: [Real; 2],
    /// Whether the damping acts even while the elastic force is zero.
    pub damps_when_slack: bool,
    /// What the spring is for.
    pub family: SpringFamily,
}

/// What a spring is for; measures of stretch look at structural springs only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SpringFamily {
    /// Along the threads: resists stretching.
    Structural,
    /// Across the cells: resists shearing.
    Shear,
    /// Between particles two apart: resists bending.
    Flexion,
    /// From a free particle to a held one far away: keeps it within the length of the cloth between them.
    Tether,
    /// From a particle of a border to its partner on another one: draws a seam together.
    Seam,
}

/// When a spring pulls or pushes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum SpringLaw {
    /// Always.
    #[default]
    TwoSided,
    /// Only when longer than at rest, like a thread.
    TensionOnly,
    /// Only when shorter than at rest, like a strut that comes apart.
    CompressionOnly,
    /// Only when the elongation exceeds this part of the rest length, either way [Carvalho 2007, Alg. 2].
    DeadZone(Real),
}

impl SpringLaw {
    /// The elongations that carry no force, for a spring of this rest length [m]: from the first to the second value,
    /// both included, or none if they are the wrong way round. A spring that always acts must do so at rest, too:
    /// the force is zero there, but not its derivative.
    pub fn slack(self, rest_length: Real) -> [Real; 2] {
        match self {
            Self::TwoSided | Self::DeadZone(0.0) => [Real::INFINITY, Real::NEG_INFINITY],
            Self::TensionOnly => [Real::NEG_INFINITY, 0.0],
            Self::CompressionOnly => [0.0, Real::INFINITY],
            Self::DeadZone(part) => [-part * rest_length, part * rest_length],
        }
    }
}

impl Spring {
    /// A structural spring that pulls and pushes, without damping.
    pub fn new(ends: [u32; 2], rest_length: Real, stiffness: Real) -> Self {
        Self {
            ends,
            rest_length,
            stiffness,
            damping: 0.0,
            slack: SpringLaw::TwoSided.slack(rest_length),
            damps_when_slack: true,
            family: SpringFamily::Structural,
        }
    }

    /// 1 where the spring acts at this elongation, else 0. A factor, not a choice: in cloth near rest a branch would be a
    /// coin's toss, and a wrong guess costs more than all the rest of the spring.
    #[inline]
    #[allow(clippy::needless_bitwise_bool, reason = "a lazy operator compiles to a branch")]
    fn activity(&self, elongation: Real) -> Real {
        Real::from((elongation < self.slack[0]) | (elongation > self.slack[1]))
    }

    /// Stiffness along the spring that acts at this elongation: k or 0 [N/m].
    #[inline(always)]
    fn active_stiffness(&self, elongation: Real) -> Real {
        self.stiffness * self.activity(elongation)
    }

    #[inline(always)]
    fn active_damping(&self, elongation: Real) -> Real {
        if self.damps_when_slack { self.damping } else { self.damping * self.activity(elongation) }
    }

    /// k [ t I + (1 − t) n nᵀ ] with t = e/l, or t raised to zero if `positive`.
    fn tangent(&self, d: Vec3, positive: bool) -> Mat3 {
        let length = d.length();
        let Some(n) = d.try_normalize() else {
            // Coincident ends have no direction; without a rest length they need none.
            return if self.rest_length == 0.0 {
                Mat3::IDENTITY * self.active_stiffness(0.0)
            } else {
                Mat3::ZERO
            };
        };
        let elongation = length - self.rest_length;
        let along = outer(n, n);
        let across = elongation / length;
        let across = if positive { across.max(0.0) } else { across };
        (along + (Mat3::IDENTITY - along) * across) * self.active_stiffness(elongation)
    }
}

impl Element<2, 1> for Spring {
    const WIDE: bool = true;

    #[inline(always)]
    fn particles(&self) -> [usize; 2] {
        self.ends.map(|end| end as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 2]; 1] {
        [[-1.0, 1.0]]
    }

    #[inline(always)]
    fn strain(&self, positions: &[Vec3]) -> [Vec3; 1] {
        let [a, b] = self.particles();
        [positions[b] - positions[a]]
    }

    #[inline]
    fn transpose(&self, &[stress]: &[Vec3; 1]) -> [Vec3; 2] {
        [-stress, stress]
    }

    fn energy(&self, [d]: &[Vec3; 1]) -> Real {
        let elongation = d.length() - self.rest_length;
        0.5 * self.active_stiffness(elongation) * elongation * elongation
    }

    #[inline]
    fn stress(&self, [d]: &[Vec3; 1]) -> [Vec3; 1] {
        let squared = d.length_squared();
        if squared == 0.0 {
            return [Vec3::ZERO]; // coincident ends: no direction, no force
        }
        let length = squared.sqrt();
        let elongation = length - self.rest_length;
        [*d * (self.active_stiffness(elongation) * elongation / length)]
    }

    /// Both stresses at once, with one square root and one division: the inner loop of every explicit method.
    #[inline(always)]
    fn forces(&self, positions: &[Vec3], velocities: &[Vec3]) -> [Vec3; 2] {
        let ([d], [w]) = (self.strain(positions), self.strain(velocities));
        let length = d.length();
        if length == 0.0 {
            return [Vec3::ZERO; 2];
        }
        let elongation = length - self.rest_length;
        let reciprocal = 1.0 / length;
        let elastic = self.active_stiffness(elongation) * elongation;
        let viscous = self.active_damping(elongation) * (w.dot(d) * reciprocal);
        let pull = d * ((elastic + viscous) * reciprocal);
        [pull, -pull]
    }

    /// Both derivatives at once, with one square root and one division.
    #[inline]
    fn tangents(&self, strain: &[Vec3; 1], rate: &[Vec3; 1], tangent: Tangent) -> [[[Mat3; 1]; 1]; 2] {
        let ([d], [w]) = (strain, rate);
        let length = d.length();
        if length == 0.0 {
            return [self.stiffness(strain), [[Mat3::ZERO]]];
        }
        let reciprocal = 1.0 / length;
        let n = *d * reciprocal;
        let elongation = length - self.rest_length;
        let (k, c) = (self.active_stiffness(elongation), self.active_damping(elongation));
        let (along, across) = (outer(n, n), elongation * reciprocal);
        // k [ t I + (1 − t) n nᵀ ] + (c/l) [ n wᵀ + (w·n) (I − 2 n nᵀ) ]
        let stiffness = match tangent {
            Tangent::Positive => {
                let across = across.max(0.0);
                along * (k * (1.0 - across)) + Mat3::from_diagonal(Vec3::splat(k * across))
            }
            Tangent::Exact => {
                let (c, turning) = (c * reciprocal, c * reciprocal * w.dot(n));
                along * (k * (1.0 - across) - 2.0 * turning)
                    + Mat3::from_diagonal(Vec3::splat(k * across + turning))
                    + outer(n * c, *w)
            }
        };
        [[[stiffness]], [[along * c]]]
    }

    fn stiffness(&self, [d]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[self.tangent(*d, false)]]
    }

    fn positive_stiffness(&self, [d]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        [[self.tangent(*d, true)]]
    }

    #[inline]
    fn viscous_stress(&self, [d]: &[Vec3; 1], [w]: &[Vec3; 1]) -> [Vec3; 1] {
        let squared = d.length_squared();
        if squared == 0.0 {
            return [Vec3::ZERO];
        }
        let elongation = squared.sqrt() - self.rest_length;
        [*d * (self.active_damping(elongation) * w.dot(*d) / squared)]
    }

    fn viscosity(&self, [d]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        let Some(n) = d.try_normalize() else { return [[Mat3::ZERO]] };
        [[outer(n, n) * self.active_damping(d.length() - self.rest_length)]]
    }

    fn viscous_stiffness(&self, [d]: &[Vec3; 1], [w]: &[Vec3; 1]) -> [[Mat3; 1]; 1] {
        let Some(n) = d.try_normalize() else { return [[Mat3::ZERO]] };
        let length = d.length();
        let rate = w.dot(n);
        let tensor = outer(n, *w) + (Mat3::IDENTITY - outer(n, n) * 2.0) * rate;
        [[tensor * (self.active_damping(length - self.rest_length) / length)]]
    }

    #[inline]
    fn weights(&self) -> [Real; 1] {
        [self.stiffness]
    }

    #[inline]
    fn bends(&self) -> bool {
        self.family == SpringFamily::Flexion
    }

    /// C = e.
    #[inline]
    fn constraint(&self, [d]: &[Vec3; 1]) -> Option<(Real, [Vec3; 1])> {
        let length = d.length();
        let elongation = length - self.rest_length;
        (length > 0.0).then(|| (elongation * self.activity(elongation), [*d / length]))
    }

    /// c/2γ (l − l̂)²: a spring of stiffness c/γ whose rest length is where the rate counts from. Turning does nothing to it.
    fn viscous_potential(&self, [d]: &[Vec3; 1], step: &Increment<1>) -> Real {
        let (length, origin) = (d.length(), step.origin(|[d]| d.length()));
        0.5 * self.active_damping(length - self.rest_length) / step.gamma * (length - origin).powi(2)
    }

    fn viscous_potential_stress(&self, [d]: &[Vec3; 1], step: &Increment<1>) -> [Vec3; 1] {
        let length = d.length();
        if self.damping == 0.0 || length == 0.0 {
            return [Vec3::ZERO];
        }
        let origin = step.origin(|[d]| d.length());
        let stiffness = self.active_damping(length - self.rest_length) / step.gamma;
        [*d * (stiffness * (length - origin) / length)]
    }

    fn viscous_potential_stiffness(&self, [d]: &[Vec3; 1], step: &Increment<1>) -> [[Mat3; 1]; 1] {
        let Some(n) = d.try_normalize().filter(|_| self.damping != 0.0) else { return [[Mat3::ZERO]] };
        let length = d.length();
        let across = (1.0 - step.origin(|[d]| d.length()) / length).max(0.0);
        let along = outer(n, n);
        let stiffness = self.active_damping(length - self.rest_length) / step.gamma;
        [[(along + (Mat3::IDENTITY - along) * across) * stiffness]]
    }

    #[inline]
    fn viscous_weights(&self, gamma: Real) -> [Real; 1] {
        [self.damping / gamma]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_pulls_and_a_strut_pushes() {
        let stress_at = |law: SpringLaw, length: Real| {
            let spring = Spring { slack: law.slack(1.0), ..Spring::new([0, 1], 1.0, 10.0) };
            spring.stress(&[Vec3::X * length])[0].x
        };
        assert_eq!(stress_at(SpringLaw::TwoSided, 1.5), 5.0);
        assert_eq!(stress_at(SpringLaw::TwoSided, 0.5), -5.0);
        assert_eq!(stress_at(SpringLaw::TensionOnly, 1.5), 5.0);
        assert_eq!(stress_at(SpringLaw::TensionOnly, 0.5), 0.0);
        assert_eq!(stress_at(SpringLaw::CompressionOnly, 1.5), 0.0);
        assert_eq!(stress_at(SpringLaw::CompressionOnly, 0.5), -5.0);
        assert_eq!(stress_at(SpringLaw::DeadZone(0.6), 1.5), 0.0);
        assert_eq!(stress_at(SpringLaw::DeadZone(0.25), 1.5), 5.0);
    }

    #[test]
    fn damping_acts_along_the_spring_only() {
        let spring = Spring { damping: 3.0, ..Spring::new([0, 1], 1.0, 10.0) };
        let viscous = |rate: Vec3| spring.viscous_stress(&[Vec3::X * 2.0], &[rate])[0];
        assert_eq!(viscous(Vec3::new(0.5, 7.0, -7.0)), Vec3::X * 1.5);
    }

    #[test]
    fn derivatives_at_once_are_the_single_ones() {
        let spring = Spring { damping: 3.0, ..Spring::new([0, 1], 1.0, 10.0) };
        let (d, w) = ([Vec3::new(0.3, -0.4, 0.6)], [Vec3::new(1.0, 2.0, -3.0)]);
        let [[[stiffness]], [[viscosity]]] = spring.tangents(&d, &w, Tangent::Exact);
        let single = spring.stiffness(&d)[0][0] + spring.viscous_stiffness(&d, &w)[0][0];
        assert!(stiffness.abs_diff_eq(single, 1e-13), "{stiffness} {single}");
        assert!(viscosity.abs_diff_eq(spring.viscosity(&d)[0][0], 1e-14));
        let [[[positive]], _] = spring.tangents(&d, &w, Tangent::Positive);
        assert!(positive.abs_diff_eq(spring.positive_stiffness(&d)[0][0], 1e-13));
    }

    #[test]
    fn coincident_ends_have_no_force() {
        let spring = Spring { damping: 3.0, ..Spring::new([0, 1], 1.0, 10.0) };
        assert_eq!(spring.stress(&[Vec3::ZERO]), [Vec3::ZERO]);
        assert_eq!(spring.viscous_stress(&[Vec3::ZERO], &[Vec3::ONE]), [Vec3::ZERO]);
        assert_eq!(spring.stiffness(&[Vec3::ZERO]), [[Mat3::ZERO]]);
    }
}
