//! The membrane: a triangle of cloth that resists stretching and shearing in its plane.
//!
//! Strain is the 3 × 2 deformation gradient F = [u v] from the rest plane, u along the warp, v along the weft. With Green's
//! strain E = ½ (FᵀF − I), an orthotropic law D [N/m] and the area A at rest:
//!
//! ```text
//! energy    A ½ E : D : E                       St. Venant and Kirchhoff
//! stress    A F S,  S = D : E                   S the second Piola stress [N/m]
//! ∂stress   A (S_ab I + Σ f_c D_acbd f_dᵀ)      positive: S without its negative eigenvalues
//! viscous   A τ F (D : Ė)
//! ```
//!
//! Out of the plane only S counts, so the stiffness is positive exactly where S is. A membrane that `wrinkles` has no
//! compressive stress: its energy is the least that wrinkles too fine to be seen can reach, tension-field theory [Pipkin
//! 1986]. With principal strains e₁ ≥ e₂, Young's modulus Y [N/m] and Poisson's ratio ν of an isotropic D:
//!
//! ```text
//! taut      e₂ + ν e₁ > 0       as above
//! wrinkled  else, e₁ > 0        A ½ Y e₁²,  S = Y e₁ n₁n₁ᵀ
//! slack     e₁ ≤ 0              0
//! ```

use super::green::{self, Tensor, green_damping};
use super::{Element, Increment, Moduli};
use crate::math::{Mat3, Real, Vec3, symmetric_eigen_plane};

/// A triangle that resists stretching and shearing in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Membrane {
    /// The three particles.
    pub corners: [u32; 3],
    /// From corners to the columns of F [1/m].
    pub operator: [[Real; 3]; 2],
    /// A at rest [m²].
    pub area: Real,
    /// D [N/m].
    pub moduli: Moduli<2>,
    /// τ [s].
    pub damping: Real,
    /// Whether it gives way to compression; D must then be isotropic.
    pub wrinkles: bool,
}

impl Moduli<2> {
    /// Of a fabric with Young's moduli along warp and weft [N/m], Poisson's ratio ν (a stretch ε along the warp narrows the weft
    /// by ν ε) and shear modulus [N/m]; none unless 1 − ν² weft/warp is positive, without which it would fall in upon itself.
    pub fn orthotropic([warp, weft]: [Real; 2], poisson: Real, shear: Real) -> Option<Self> {
        let reduction = 1.0 - poisson * poisson * weft / warp;
        let across = poisson * weft / reduction;
        let normal = [[warp / reduction, across], [across, weft / reduction]];
        (reduction > 0.0 && warp > 0.0 && weft > 0.0 && shear >= 0.0).then_some(Self { normal, shear })
    }
}

/// The places of a triangle's corners in its own plane, the first at the origin, the first axis along `warp` as seen in the
/// plane [m]; none if the triangle has no area.
pub fn plane_coordinates(points: [Vec3; 3], warp: Vec3) -> Option<[[Real; 2]; 3]> {
    let (p, q) = (points[1] - points[0], points[2] - points[0]);
    let normal = p.cross(q).try_normalize()?;
    let within = warp - normal * warp.dot(normal);
    // A warp along the normal has no direction in the plane: any will do.
    let first = if within.length() > 1e-6 * warp.length() { within.normalize() } else { p.normalize() };
    let second = normal.cross(first);
    Some([[0.0, 0.0], [p.dot(first), p.dot(second)], [q.dot(first), q.dot(second)]])
}

/// The map from corners to the columns of F [1/m], and the area [m²].
pub(super) fn rest_triangle(rest: [[Real; 2]; 3]) -> ([[Real; 3]; 2], Real) {
    let [a, b, c] = rest;
    let (p, q) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let doubled = p[0] * q[1] - p[1] * q[0];
    let row = |b: Real, c: Real| [-(b + c) / doubled, b / doubled, c / doubled];
    ([row(q[1], -p[1]), row(-q[0], p[0])], 0.5 * doubled.abs())
}

impl Membrane {
    /// A membrane with its corners at these places of the rest plane [m], the first axis along the warp.
    pub fn new(corners: [u32; 3], rest: [[Real; 2]; 3], moduli: Moduli<2>) -> Self {
        let (operator, area) = rest_triangle(rest);
        Self { corners, operator, area, moduli, damping: 0.0, wrinkles: false }
    }

    fn damping_moduli(&self) -> Moduli<2> {
        self.moduli.scaled(self.area * self.damping)
    }

    /// What a strain calls forth.
    #[inline]
    fn response(&self, e: &Tensor<2>) -> Response {
        if self.wrinkles {
            let ([first, second], direction) = symmetric_eigen_plane(e[0][0], e[0][1], e[1][1]);
            let poisson = self.moduli.normal[0][1] / self.moduli.normal[0][0];
            if first <= 0.0 {
                return Response::Slack;
            }
            if second + poisson * first <= 0.0 {
                let tension = self.moduli.normal[0][0] * (1.0 - poisson * poisson) * first;
                return Response::Wrinkled { strains: [first, second], tension, direction };
            }
        }
        Response::Taut
    }

    /// A ∂P/∂F with S passed through `change`.
    fn tangent(&self, f: &[Vec3; 2], change: impl Fn(Tensor<2>) -> Tensor<2>) -> [[Mat3; 2]; 2] {
        let e = green::green_strain(f);
        let (mut blocks, stress) = match self.response(&e) {
            Response::Slack => return [[Mat3::ZERO; 2]; 2],
            Response::Taut => (self.moduli.blocks(f, f), self.moduli.stress(&e)),
            Response::Wrinkled { strains: [first, second], tension, direction } => {
                // Along the tension as in a thread; and the tension turns with its direction: S₁₂ = (s₁ − s₂)/(e₁ − e₂) E₁₂.
                let shear = 0.5 * tension / (first - second);
                let thread = Moduli { normal: [[tension / first, 0.0], [0.0, 0.0]], shear };
                (turned_blocks(&thread, f, direction), along(tension, direction))
            }
        };
        green::add_geometric(&mut blocks, &change(stress));
        blocks.map(|row| row.map(|block| block * self.area))
    }
}

enum Response {
    Taut,
    Wrinkled { strains: [Real; 2], tension: Real, direction: [Real; 2] },
    Slack,
}

/// s n nᵀ.
fn along(s: Real, [x, y]: [Real; 2]) -> Tensor<2> {
    [[s * x * x, s * x * y], [s * x * y, s * y * y]]
}

/// The material part of a law whose first axis is `direction`.
fn turned_blocks(moduli: &Moduli<2>, f: &[Vec3; 2], [c, s]: [Real; 2]) -> [[Mat3; 2]; 2] {
    let axes = [[c, s], [-s, c]];
    let turned = axes.map(|[x, y]| f[0] * x + f[1] * y);
    let blocks = moduli.blocks(&turned, &turned);
    std::array::from_fn(|a| {
        std::array::from_fn(|b| {
            let mut sum = Mat3::ZERO;
            for i in 0..2 {
                for j in 0..2 {
                    sum += blocks[i][j] * (axes[i][a] * axes[j][b]);
                }
            }
            sum
        })
    })
}

/// A symmetric tensor without its negative eigenvalues.
fn raised(s: Tensor<2>) -> Tensor<2> {
    let ([large, small], [x, y]) = symmetric_eigen_plane(s[0][0], s[0][1], s[1][1]);
    if small >= 0.0 {
        return s;
    }
    along(large.max(0.0), [x, y])
}

impl Element<3, 2> for Membrane {
    #[inline]
    fn particles(&self) -> [usize; 3] {
        self.corners.map(|corner| corner as usize)
    }

    #[inline]
    fn operator(&self) -> [[Real; 3]; 2] {
        self.operator
    }

    fn energy(&self, f: &[Vec3; 2]) -> Real {
        let e = green::green_strain(f);
        let density = match self.response(&e) {
            Response::Taut => self.moduli.energy(&e),
            Response::Wrinkled { strains, tension, .. } => 0.5 * tension * strains[0],
            Response::Slack => 0.0,
        };
        self.area * density
    }

    #[inline]
    fn stress(&self, f: &[Vec3; 2]) -> [Vec3; 2] {
        let e = green::green_strain(f);
        let stress = match self.response(&e) {
            Response::Taut => self.moduli.stress(&e),
            Response::Wrinkled { tension, direction, .. } => along(tension, direction),
            Response::Slack => return [Vec3::ZERO; 2],
        };
        green::pull(&stress, f).map(|pull| pull * self.area)
    }

    fn stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.tangent(f, |stress| stress)
    }

    fn positive_stiffness(&self, f: &[Vec3; 2]) -> [[Mat3; 2]; 2] {
        self.tangent(f, raised)
    }

    fn weights(&self) -> [Real; 2] {
        self.moduli.scaled(self.area).weights()
    }

    green_damping!(2);
}
