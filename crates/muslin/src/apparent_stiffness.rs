//! How stiff cloth appears where a method does not iterate to the end, to warn and to advise.
//!
//! `xpbd` starts each substep h without stress and sweeps over the elements n times, one after the other. Where stresses vary
//! slowly over the mesh, what an element's neighbours do cancels what its own mobility G = A W Aᵀ does, and half of them come
//! later in the sweep. Of an element of stiffness K (with its damping over a substep) and the authored stress σ a sweep leaves
//! the part t undone:
//!
//! ```text
//! s = ½ h² K G           of a spring ½ k h² (w₁ + w₂)
//! t = s/(1 + s)          apparent stiffness / authored stiffness = 1 − tⁿ
//! ```
//!
//! One sweep shows 1/(1 + s) of the stiffness, n ≪ s sweeps n/s. s falls with the square of the substeps.
//!
//! Measured on cloth that hangs by a side, 1 to 10 substeps of one sweep: within 15 % of this for chains and within a factor of
//! 1.6 for sheets of membranes, from 1.1 to 100 times too soft.

use crate::elements::{Element, ElementVisitor, Increment, SpringFamily};
use crate::math::{Mat3, Real, Vec3};
use crate::model::Model;
use crate::solver::SolverConfig;

/// The part of the authored stiffness against stretching that `config` shows at rest with steps of `dt` [s], the mean over all
/// elements that resist stretching, each as much as it is stiff; none for methods that show all of it, where nothing resists
/// stretching, and where tethers carry the weight.
pub fn apparent_stiffness(
    model: &Model,
    positions: &[Vec3],
    config: &SolverConfig,
    dt: Real,
) -> Option<Real> {
    let SolverConfig::Xpbd(config) = config else { return None };
    if model.elements.springs.iter().any(|spring| spring.family == SpringFamily::Tether) {
        return None;
    }
    let h = dt / Real::from(config.substeps);
    let sweeps = config.iterations.try_into().unwrap_or(i32::MAX);
    let mut mean = Mean { model, positions, h, sweeps, shown: 0.0, authored: 0.0 };
    model.elements.accept_elastic(&mut mean);
    (mean.authored > 0.0).then(|| mean.shown / mean.authored)
}

struct Mean<'a> {
    model: &'a Model,
    positions: &'a [Vec3],
    h: Real,
    sweeps: i32,
    shown: Real,
    authored: Real,
}

impl ElementVisitor for Mean<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        // An attachment has no neighbours of its kind.
        for element in elements.iter().filter(|element| N > 1 && !element.bends()) {
            let [stiffness, s] = self.backlog(element);
            self.shown += stiffness * (1.0 - (s / (1.0 + s)).powi(self.sweeps));
            self.authored += stiffness;
        }
    }
}

impl Mean<'_> {
    /// Stiffness of an element and its s: the mean of ½ h² K G over its directions, each as much as it is stiff.
    fn backlog<const N: usize, const M: usize, E: Element<N, M>>(&self, element: &E) -> [Real; 2] {
        let strain = element.strain(self.positions);
        let step = Increment { gamma: self.h, past: [strain; 2], beta: 0.0 };
        let (elastic, viscous) =
            (element.positive_stiffness(&strain), element.viscous_potential_stiffness(&strain, &step));
        let operator = element.operator();
        let inverse_masses = element.particles().map(|particle| {
            if self.model.is_held(particle) { 0.0 } else { 1.0 / self.model.masses[particle] }
        });
        let stiffness = |m: usize, l: usize| elastic[m][l] + viscous[m][l];
        let mobility = |m: usize, l: usize| -> Real {
            (0..N).map(|n| operator[m][n] * inverse_masses[n] * operator[l][n]).sum()
        };
        let (mut whole, mut weighted) = (0.0, 0.0);
        for m in 0..M {
            whole += trace(stiffness(m, m));
            for l in 0..M {
                let product = (0..M).fold(Mat3::ZERO, |sum, k| sum + stiffness(m, k) * mobility(k, l));
                weighted += trace(product * stiffness(l, m));
            }
        }
        if whole > 0.0 { [whole, 0.5 * self.h * self.h * weighted / whole] } else { [0.0; 2] }
    }
}

fn trace(matrix: Mat3) -> Real {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}
