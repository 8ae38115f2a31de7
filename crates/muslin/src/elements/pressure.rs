//! Pressure inside a closed surface: a law on its volume, whatever the number of its particles.
//!
//! With the volume V(x) of the surface and the overpressure p(V) inside:
//!
//! ```text
//! volume    V = Σ over triangles a·(b × c)/6               ∂V = Σ (b − a) × (c − a)/6 at each corner
//! energy    ψ(V) with −ψ' = p                              force p ∂V
//! stiffness ψ'' ∂V ∂Vᵀ − p ∂²V                             ψ'' = −p' the bulk term, one rank a surface
//!
//! constant  p                                              ψ = −p (V − V₀)
//! gas       p = n/V − a,  n = (a + p₀) V₀                   Boyle: as much gas, as warm, at all times
//! volume    p = K (V* − V)/V₀,  V* = factor · V₀            E004-5: a volume that is sought
//! ```
//!
//! ∂²V is not definite; implicit methods here take the first term only, which is where the stiffness lies.

use crate::math::{Real, Vec3};

/// Pressure inside a closed surface.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Pressure {
    /// The surface: every edge belongs to two triangles that run along it in opposite directions.
    triangles: Vec<[u32; 3]>,
    /// V₀ [m³].
    rest_volume: Real,
    /// p of V.
    law: PressureLaw,
}

/// What the pressure depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum PressureLaw {
    /// On nothing: this overpressure [Pa].
    Constant(Real),
    /// On the volume, as that of an enclosed gas of constant temperature.
    Gas {
        /// p₀: overpressure at the start [Pa].
        over: Real,
        /// a: pressure outside [Pa].
        ambient: Real,
    },
    /// On the volume, which is drawn to a part of its start.
    Volume {
        /// V*/V₀.
        factor: Real,
        /// K [Pa].
        stiffness: Real,
    },
}

/// Why a surface cannot hold pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message says it")]
pub enum PressureError {
    #[error("needs a closed surface, but the edge {}-{} has a triangle on one side only; a border that is pinned all around counts as closed", .0[0], .0[1])]
    Open([u32; 2]),
    #[error("needs a surface that turns one way, but the triangles at the edge {}-{} turn against each other", .0[0], .0[1])]
    Flipped([u32; 2]),
    #[error("needs a surface that encloses a volume")]
    Empty,
}

/// The smallest part of V₀ at which a gas is still one; below it the pressure grows linearly, so that a surface pushed inside
/// out feels a finite force.
const LEAST_GAS: Real = 1e-3;

impl Pressure {
    /// Pressure in the surface of these triangles at these positions; the triangles may turn outwards or inwards.
    pub fn new(
        mut triangles: Vec<[u32; 3]>,
        positions: &[Vec3],
        law: PressureLaw,
    ) -> Result<Self, PressureError> {
        check_closed(&triangles)?;
        let (volume, size) = (volume_of(&triangles, positions), extent(&triangles, positions));
        if volume < 0.0 {
            for triangle in &mut triangles {
                triangle.swap(1, 2);
            }
        }
        // Relative to its box: less is rounding.
        if volume.is_nan() || volume.abs() <= 1e-12 * size.powi(3) {
            return Err(PressureError::Empty);
        }
        Ok(Self { triangles, rest_volume: volume.abs(), law })
    }

    /// Presses by another law from now on; the volume at rest stays.
    pub(crate) fn set_law(&mut self, law: PressureLaw) {
        self.law = law;
    }

    /// The same with other numbers of its particles.
    #[must_use]
    pub fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        for corner in self.triangles.iter_mut().flatten() {
            *corner = number(*corner);
        }
        self
    }

    /// Puts triangles in place of others that cover the same piece of the surface, if it has these.
    pub(crate) fn replace(&mut self, gone: &[[u32; 3]], come: &[[u32; 3]]) {
        let turned = |[a, b, c]: [u32; 3]| [[a, b, c], [b, c, a], [c, a, b]];
        let (mut is_there, mut is_inward) = (false, false);
        self.triangles.retain(|triangle| {
            let [a, b, c] = *triangle;
            let is_same = gone.iter().any(|other| turned(*other).contains(triangle));
            let is_opposite = gone.iter().any(|other| turned(*other).contains(&[a, c, b]));
            is_inward |= is_opposite;
            is_there |= is_same || is_opposite;
            !is_same && !is_opposite
        });
        if is_there {
            let outwards = |[a, b, c]: [u32; 3]| if is_inward { [a, c, b] } else { [a, b, c] };
            self.triangles.extend(come.iter().map(|&triangle| outwards(triangle)));
        }
    }

    /// The triangles, outwards.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// V₀ [m³].
    pub fn rest_volume(&self) -> Real {
        self.rest_volume
    }

    /// V [m³].
    pub fn volume(&self, positions: &[Vec3]) -> Real {
        volume_of(&self.triangles, positions)
    }

    /// Writes ∂V/∂x of every particle, zero where there is no surface [m²].
    pub fn gradient(&self, positions: &[Vec3], gradient: &mut [Vec3]) {
        gradient.fill(Vec3::ZERO);
        self.each_share(positions, |corner, share| gradient[corner] += share);
    }

    /// V* [m³] of a law that seeks a volume.
    pub fn sought_volume(&self) -> Option<Real> {
        match self.law {
            PressureLaw::Volume { factor, .. } => Some(factor * self.rest_volume),
            _ => None,
        }
    }

    /// p [Pa] at a volume.
    pub fn pressure(&self, volume: Real) -> Real {
        let start = self.rest_volume;
        match self.law {
            PressureLaw::Constant(pressure) => pressure,
            PressureLaw::Gas { over, ambient } => {
                let least = LEAST_GAS * start;
                let amount = (ambient + over) * start;
                let held = volume.max(least);
                amount / held - ambient + self.bulk(volume) * (held - volume)
            }
            PressureLaw::Volume { factor, stiffness } => stiffness * (factor - volume / start),
        }
    }

    /// ψ'' = −dp/dV [Pa/m³], never negative.
    pub fn bulk(&self, volume: Real) -> Real {
        match self.law {
            PressureLaw::Constant(_) => 0.0,
            PressureLaw::Gas { over, ambient } => {
                (ambient + over) * self.rest_volume / volume.max(LEAST_GAS * self.rest_volume).powi(2)
            }
            PressureLaw::Volume { stiffness, .. } => stiffness / self.rest_volume,
        }
    }

    /// ψ [J]; zero at the start, or at the volume that is sought.
    pub fn energy(&self, volume: Real) -> Real {
        let start = self.rest_volume;
        match self.law {
            PressureLaw::Constant(pressure) => -pressure * (volume - start),
            PressureLaw::Gas { over, ambient } => {
                let held = volume.max(LEAST_GAS * start);
                let amount = (ambient + over) * start;
                let gas = ambient * (held - start) - amount * (held / start).ln();
                let beyond = held - volume;
                gas + beyond * (self.pressure(held) + 0.5 * self.bulk(held) * beyond)
            }
            PressureLaw::Volume { factor, stiffness } => {
                0.5 * stiffness * start * (volume / start - factor).powi(2)
            }
        }
    }

    /// Adds p ∂V to `forces` [N], in the order of the triangles.
    pub fn add_forces(&self, positions: &[Vec3], forces: &mut [Vec3]) {
        let pressure = self.pressure(self.volume(positions));
        self.each_share(positions, |corner, share| forces[corner] += share * pressure);
    }

    /// Adds ∂ψ/∂x to `gradient` [N].
    pub fn add_energy_gradient(&self, positions: &[Vec3], gradient: &mut [Vec3]) {
        let pressure = self.pressure(self.volume(positions));
        self.each_share(positions, |corner, share| gradient[corner] -= share * pressure);
    }

    /// Second derivative of ψ along `u`, its second part raised to zero if negative: ψ'' (∂V·u)² − p ∂²V(u, u) [J for u in m].
    pub fn curvature(&self, positions: &[Vec3], u: &[Vec3]) -> Real {
        let volume = self.volume(positions);
        let (mut first, mut second) = (0.0, 0.0);
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
            let [p, q, r] = triangle.map(|corner| u[corner as usize]);
            first += (b - a).cross(c - a).dot(p + q + r) / 6.0;
            second += ((q - p).cross(c - a) + (b - a).cross(r - p)).dot(p + q + r) / 6.0;
        }
        self.bulk(volume) * first * first + (-self.pressure(volume) * second).max(0.0)
    }

    /// Adds −ψ'' ∂V (∂V·u) to `out` [N]: the bulk term of the derivative of the forces along `u`.
    pub fn add_stiffness_product(&self, positions: &[Vec3], u: &[Vec3], out: &mut [Vec3]) {
        let bulk = self.bulk(self.volume(positions));
        let mut change = 0.0;
        self.each_share(positions, |corner, share| change += share.dot(u[corner]));
        self.each_share(positions, |corner, share| out[corner] -= share * (bulk * change));
    }

    /// Every corner's share of ∂V, triangle after triangle. Area vectors in place of b × c: around a closed surface the sums
    /// agree, and these do not grow with the distance from the origin.
    #[inline]
    fn each_share(&self, positions: &[Vec3], mut visit: impl FnMut(usize, Vec3)) {
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
            let share = (b - a).cross(c - a) / 6.0;
            for &corner in triangle {
                visit(corner as usize, share);
            }
        }
    }
}

/// Σ a·(b × c)/6, seen from the first corner of all.
fn volume_of(triangles: &[[u32; 3]], positions: &[Vec3]) -> Real {
    let Some(first) = triangles.first() else { return 0.0 };
    let origin = positions[first[0] as usize];
    let part = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| positions[corner as usize] - origin);
        a.dot(b.cross(c))
    };
    triangles.iter().map(part).sum::<Real>() / 6.0
}

/// Largest distance from the first corner of all [m].
fn extent(triangles: &[[u32; 3]], positions: &[Vec3]) -> Real {
    let at = |corner: u32| positions[corner as usize];
    let corners = triangles.iter().flatten();
    triangles.first().map_or(0.0, |first| corners.map(|&c| at(c).distance(at(first[0]))).fold(0.0, Real::max))
}

/// Every edge twice, once in each direction.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), PressureError> {
    let mut sides: Vec<([u32; 2], bool)> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| ([a.min(b), a.max(b)], a < b))
        .collect();
    sides.sort_unstable();
    for run in sides.chunk_by(|left, right| left.0 == right.0) {
        match run {
            [(_, false), (_, true)] => {}
            [_, _] => return Err(PressureError::Flipped(run[0].0)),
            _ => return Err(PressureError::Open(run[0].0)),
        }
    }
    if triangles.is_empty() { Err(PressureError::Empty) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner() -> (Vec<[u32; 3]>, Vec<Vec3>) {
        (vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z])
    }

    #[test]
    fn a_tetrahedron_has_a_sixth_of_its_cube() {
        let (triangles, positions) = corner();
        let pressure = Pressure::new(triangles.clone(), &positions, PressureLaw::Constant(1.0)).unwrap();
        assert!((pressure.rest_volume() - 1.0 / 6.0).abs() < 1e-16);
        let inwards = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
        assert_eq!(
            Pressure::new(inwards, &positions, PressureLaw::Constant(1.0)).unwrap().triangles().len(),
            4
        );
        let far: Vec<Vec3> = positions.iter().map(|x| *x + Vec3::splat(1e6)).collect();
        // Coordinates of 1e6 are good to 1e-10.
        assert!((pressure.volume(&far) - 1.0 / 6.0).abs() < 1e-9);
    }

    #[test]
    fn the_curvature_is_the_second_difference_of_the_energy() {
        let (triangles, positions) = corner();
        for law in [
            PressureLaw::Gas { over: 500.0, ambient: 1e3 },
            PressureLaw::Volume { factor: 1.5, stiffness: 2e3 },
            PressureLaw::Constant(-70.0),
        ] {
            let pressure = Pressure::new(triangles.clone(), &positions, law).unwrap();
            for turn in 0..6 {
                let u: Vec<Vec3> = (0..4)
                    .map(|i| Vec3::new((i + turn) as Real, (2 * i * turn) as Real, 1.0).map(Real::sin))
                    .collect();
                let at = |t: Real| {
                    let x: Vec<Vec3> = positions.iter().zip(&u).map(|(x, u)| *x + *u * t).collect();
                    pressure.volume(&x)
                };
                let step = 1e-3; // V is a cubic: its differences are exact, those of ψ(V) are not needed
                let slope = (at(step) - at(-step)) / (2.0 * step)
                    - (at(2.0 * step) - 2.0 * at(step) + 2.0 * at(-step) - at(-2.0 * step)) / (12.0 * step);
                let bend = (at(step) - 2.0 * at(0.0) + at(-step)) / (step * step);
                let volume = at(0.0);
                let expected =
                    pressure.bulk(volume) * slope * slope + (-pressure.pressure(volume) * bend).max(0.0);
                let found = pressure.curvature(&positions, &u);
                assert!((found - expected).abs() <= 1e-6 * (1.0 + expected), "{law:?}: {found} {expected}");
            }
        }
    }

    #[test]
    fn what_is_open_flipped_or_flat_is_refused() {
        let (triangles, positions) = corner();
        let law = PressureLaw::Constant(1.0);
        let open = triangles[1..].to_vec();
        assert_eq!(Pressure::new(open, &positions, law), Err(PressureError::Open([0, 1])));
        let mut flipped = triangles.clone();
        flipped[3] = [1, 3, 2];
        assert_eq!(Pressure::new(flipped, &positions, law), Err(PressureError::Flipped([1, 2])));
        let flat: Vec<Vec3> = positions.iter().map(|x| Vec3::new(x.x, x.y, 0.0)).collect();
        assert_eq!(Pressure::new(triangles, &flat, law), Err(PressureError::Empty));
    }
}
