//! Every derivative in the library against central differences of what it is the derivative of.
//!
//! A central difference with step δ has an error of δ²/6 times the third derivative and of about 1e-16/δ times the
//! value: with δ = 1e-5 and values, curvatures and third derivatives up to some hundreds both stay below 1e-7.

use crate::support::{noise, small_sheet};
use muslin::elements::{Element, Increment, Rod, Spring, SpringLaw, Tangent};
use muslin::internals::parts::block_matrix::{BlockMatrix, Linearization};
use muslin::internals::parts::force_pass::ForcePass;
use muslin::math::{Mat3, Real, Vec3};
use muslin::mesh::vertex_normals;
use muslin::model::Model;

const STEP: Real = 1e-5;
const TOLERANCE: Real = 1e-7;

/// Column `axis` of the derivative of `f` by strain vector `l`.
fn difference<const M: usize, T: std::ops::Sub<Output = T> + std::ops::Mul<Real, Output = T>>(
    at: &[Vec3; M],
    l: usize,
    axis: usize,
    f: impl Fn(&[Vec3; M]) -> T,
) -> T {
    let (mut ahead, mut behind) = (*at, *at);
    ahead[l][axis] += STEP;
    behind[l][axis] -= STEP;
    (f(&ahead) - f(&behind)) * (0.5 / STEP)
}

/// stress = ∂ψ/∂strain.
pub fn check_stress<const N: usize, const M: usize, E: Element<N, M>>(element: &E, strain: &[Vec3; M]) {
    let stress = element.stress(strain);
    for (l, axis) in components::<M>() {
        let expected = difference(strain, l, axis, |s| element.energy(s));
        crate::assert_close!(stress[l][axis], expected, TOLERANCE, "stress {l}.{axis} at {strain:?}");
    }
}

/// stiffness = ∂stress/∂strain.
pub fn check_stiffness<const N: usize, const M: usize, E: Element<N, M>>(element: &E, strain: &[Vec3; M]) {
    check_matrix(&element.stiffness(strain), strain, |s| element.stress(s), "stiffness");
}

/// viscosity = ∂(viscous stress)/∂rate, viscous stiffness = ∂(viscous stress)/∂strain.
pub fn check_viscosity<const N: usize, const M: usize, E: Element<N, M>>(
    element: &E,
    strain: &[Vec3; M],
    rate: &[Vec3; M],
) {
    check_matrix(&element.viscosity(strain), rate, |r| element.viscous_stress(strain, r), "viscosity");
    let by_strain = element.viscous_stiffness(strain, rate);
    check_matrix(&by_strain, strain, |s| element.viscous_stress(s, rate), "viscous stiffness");
}

pub fn check_matrix<const M: usize>(
    matrix: &[[Mat3; M]; M],
    at: &[Vec3; M],
    f: impl Fn(&[Vec3; M]) -> [Vec3; M],
    what: &str,
) {
    for (l, axis) in components::<M>() {
        for m in 0..M {
            let column = matrix[m][l].col(axis);
            let expected = difference(at, l, axis, |s| f(s)[m]);
            assert!(
                column.distance(expected) <= TOLERANCE,
                "{what} [{m}][{l}] at {at:?}: column {axis} is {column}, differences say {expected}"
            );
        }
    }
}

/// The form uᵀ A u of a matrix of blocks.
fn form<const M: usize>(matrix: &[[Mat3; M]; M], u: &[Vec3; M]) -> Real {
    (0..M).map(|m| (0..M).map(|l| u[m].dot(matrix[m][l] * u[l])).sum::<Real>()).sum()
}

/// Symmetric, and uᵀ A u ≥ 0 for 200 directions, all to 1e-12 of matrices of some tens.
pub fn check_positive<const M: usize>(matrix: &[[Mat3; M]; M], what: &str) {
    for seed in 0..200 {
        let u: [Vec3; M] = std::array::from_fn(|m| noise(seed, m));
        assert!(form(matrix, &u) >= -1e-12, "{what}: negative energy in direction {u:?}");
    }
    for (m, l) in (0..M).flat_map(|m| (0..M).map(move |l| (m, l))) {
        let asymmetry = matrix[m][l] - matrix[l][m].transpose();
        assert!(asymmetry.abs_diff_eq(Mat3::ZERO, 1e-12), "{what}: not symmetric");
    }
}

/// Whether a symmetric matrix has no negative eigenvalue: elimination meets no negative pivot. The zero pivots of rotations may
/// come out as rounding.
fn is_definite<const M: usize>(matrix: &[[Mat3; M]; M]) -> bool {
    let n = 3 * M;
    let mut a: Vec<Vec<Real>> =
        (0..n).map(|i| (0..n).map(|j| matrix[i / 3][j / 3].col(j % 3)[i % 3]).collect()).collect();
    for k in 0..n {
        if a[k][k] < -1e-9 {
            return false;
        }
        if a[k][k] < 1e-9 {
            if a[k][k + 1..].iter().any(|entry| entry.abs() > 1e-4) {
                return false;
            }
            continue;
        }
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k + 1..n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    true
}

/// Positive, at least the exact one, and the exact one itself where that has no negative eigenvalue.
pub fn check_positive_stiffness<const N: usize, const M: usize, E: Element<N, M>>(
    element: &E,
    strain: &[Vec3; M],
) {
    let (exact, positive) = (element.stiffness(strain), element.positive_stiffness(strain));
    check_positive(&positive, &format!("positive stiffness at {strain:?}"));
    for seed in 0..200 {
        let u: [Vec3; M] = std::array::from_fn(|m| noise(seed, m));
        assert!(form(&positive, &u) >= form(&exact, &u) - 1e-12, "below the exact one at {strain:?}");
    }
    if is_definite(&exact) {
        for (m, l) in (0..M).flat_map(|m| (0..M).map(move |l| (m, l))) {
            // Eigenvectors of matrices of some tens, to rounding.
            let raised = positive[m][l] - exact[m][l];
            assert!(raised.abs_diff_eq(Mat3::ZERO, 1e-9), "raised without need at {strain:?}: {raised}");
        }
    }
}

/// The viscous potential of a step: its stress is its derivative, and the viscous stress at the mean rate where nothing turns;
/// its stiffness is positive, and exact where nothing has moved.
pub fn check_viscous_potential<const N: usize, const M: usize, E: Element<N, M>>(
    element: &E,
    strain: &[Vec3; M],
    rate: &[Vec3; M],
) {
    let gamma = 0.25;
    let euler = Increment { gamma, past: [*strain, *rate], beta: 0.0 };
    let earlier: [Vec3; M] = std::array::from_fn(|m| strain[m] - rate[m] * 0.03);
    let earliest: [Vec3; M] = std::array::from_fn(|m| strain[m] + rate[m] * 0.05);
    let bdf2 = Increment { gamma, past: [earlier, earliest], beta: 1.0 / 3.0 };
    let moved: [Vec3; M] = std::array::from_fn(|m| strain[m] + rate[m] * 0.02);
    for step in [euler, bdf2] {
        let stress = element.viscous_potential_stress(&moved, &step);
        for (l, axis) in components::<M>() {
            let expected = difference(&moved, l, axis, |s| element.viscous_potential(s, &step));
            crate::assert_close!(
                stress[l][axis],
                expected,
                TOLERANCE,
                "viscous stress {l}.{axis} at {moved:?}"
            );
        }
        check_positive(&element.viscous_potential_stiffness(&moved, &step), "viscous potential");
    }
    let stiffness = element.viscous_potential_stiffness(strain, &euler);
    check_matrix(&stiffness, strain, |s| element.viscous_potential_stress(s, &euler), "viscous potential");
    // A rate so small that the strain of the step is the same all along.
    let small = 1e-7;
    let shifted: [Vec3; M] = std::array::from_fn(|m| strain[m] + rate[m] * (gamma * small));
    let (mean, end) =
        (element.viscous_stress(strain, rate), element.viscous_potential_stress(&shifted, &euler));
    for m in 0..M {
        let gap = mean[m].distance(end[m] / small);
        assert!(gap <= 1e-5 * (1.0 + mean[m].length()), "{} is not {}", end[m] / small, mean[m]);
    }
}

/// The weights of projection methods are at or above the stiffness.
pub fn check_weights<const N: usize, const M: usize, E: Element<N, M>>(element: &E, strain: &[Vec3; M]) {
    let (weights, exact) = (element.weights(), element.positive_stiffness(strain));
    for seed in 0..500 {
        let u: [Vec3; M] = std::array::from_fn(|m| noise(seed, m));
        let bound: Real = (0..M).map(|m| weights[m] * u[m].length_squared()).sum();
        assert!(form(&exact, &u) <= bound * (1.0 + 1e-12), "weights {weights:?} at {strain:?}");
    }
}

fn components<const M: usize>() -> impl Iterator<Item = (usize, usize)> {
    (0..M).flat_map(|l| (0..3).map(move |axis| (l, axis)))
}

pub fn check_element<const N: usize, const M: usize, E: Element<N, M>>(
    element: &E,
    strain: &[Vec3; M],
    rate: &[Vec3; M],
) {
    check_stress(element, strain);
    check_stiffness(element, strain);
    check_viscosity(element, strain, rate);
    check_positive_stiffness(element, strain);
    check_viscous_potential(element, strain, rate);
}

fn springs() -> Vec<Spring> {
    let laws =
        [SpringLaw::TwoSided, SpringLaw::TensionOnly, SpringLaw::CompressionOnly, SpringLaw::DeadZone(0.1)];
    let with = |law: SpringLaw, damps_when_slack| Spring {
        damping: 3.0,
        slack: law.slack(1.0),
        damps_when_slack,
        ..Spring::new([0, 1], 1.0, 10.0)
    };
    laws.into_iter().flat_map(|law| [with(law, true), with(law, false)]).collect()
}

#[test]
fn springs_have_the_derivatives_they_claim() {
    for spring in springs() {
        for seed in 0..50 {
            let (direction, rate) = (noise(seed, 0).normalize(), noise(seed, 1));
            let length = 0.4 + 1.2 * muslin::profile::uniform(seed, 99);
            check_element(&spring, &[direction * length], &[rate]);
        }
    }
}

#[test]
fn rods_have_the_derivatives_of_the_springs_that_stand_for_them() {
    let rod = Rod { ends: [0, 1], length: 1.0, stiffness: 10.0 };
    for seed in 0..20 {
        let length = 0.4 + 1.2 * muslin::profile::uniform(seed, 99);
        check_element(&rod, &[noise(seed, 0).normalize() * length], &[noise(seed, 1)]);
    }
}

/// A hair's breadth, but more than the step of the differences, from where the spring goes slack.
#[test]
fn springs_have_them_next_to_the_slack_interval_too() {
    for spring in springs() {
        for edge in spring.slack.into_iter().filter(|edge| edge.is_finite()) {
            for beside in [-3.0 * STEP, 3.0 * STEP] {
                let strain = [noise(5, 0).normalize() * (1.0 + edge + beside)];
                check_element(&spring, &strain, &[noise(5, 1)]);
            }
        }
    }
}

/// A cloth starts at its rest lengths: there the forces are zero, but not their derivatives.
#[test]
fn two_sided_springs_have_them_at_rest() {
    let spring = Spring { damping: 3.0, ..Spring::new([0, 1], 1.0, 10.0) };
    for strain in [[Vec3::X], [Vec3::new(0.6, 0.0, -0.8)]] {
        check_element(&spring, &strain, &[noise(5, 1)]);
    }
    check_stiffness(&Spring::new([0, 1], 0.0, 10.0), &[Vec3::ZERO]);
}

#[test]
fn the_force_of_a_spring_is_its_stresses_turned_round() {
    for spring in springs() {
        for seed in 0..50 {
            let (x, v) = ([noise(seed, 0), noise(seed, 1)], [noise(seed, 2), noise(seed, 3)]);
            let (strain, rate) = (spring.strain(&x), spring.strain(&v));
            let stress = spring.stress(&strain)[0] + spring.viscous_stress(&strain, &rate)[0];
            let [at_first, at_second] = spring.forces(&x, &v);
            assert_eq!(at_first, -at_second, "Newton's third law, to the bit");
            // Some roundings of forces of some ten newtons.
            assert!(at_first.distance(stress) < 1e-13 * (1.0 + 10.0 * stress.length()), "{spring:?}");
        }
    }
}

/// A moving sheet with drag, and the matrix M − γ² ∂f/∂x − γ ∂f/∂v at it.
fn disturbed_sheet() -> (Model, Vec<Vec3>, Vec<Vec3>) {
    let (mut model, state) = small_sheet(true, 0.02, Vec3::ZERO);
    model.change(|data| data.forces.drag = (0..data.len()).map(|i| 0.1 + 0.01 * i as Real).collect());
    let x = (0..model.len()).map(|i| state.positions[i] + noise(1, i) * 0.05).collect();
    let v = (0..model.len()).map(|i| noise(2, i)).collect();
    (model, x, v)
}

#[test]
fn the_assembled_matrix_is_the_derivative_of_the_force_pass() {
    let (model, x, v) = disturbed_sheet();
    let gamma = 0.3;
    let mut matrix = BlockMatrix::with_pattern(&model.elements, model.len());
    let at = Linearization { x: &x, v: &v, tangent: Tangent::Exact };
    matrix.assemble(&model, &at, &[], gamma);

    let mut pass = ForcePass::default();
    let mut force = |x: &[Vec3], v: &[Vec3]| {
        let mut out = Vec::new();
        pass.forces(&model, 0.0, x, v, &mut out);
        out
    };
    for column in 0..model.len() {
        for axis in 0..3 {
            // Along (γ², γ) at once: d/ds f(x + s γ² e, v + s γ e) = γ² K e + γ D e.
            let mut moved = |s: Real| {
                let (mut x, mut v) = (x.clone(), v.clone());
                x[column][axis] += s * gamma * gamma;
                v[column][axis] += s * gamma;
                force(&x, &v)
            };
            let (ahead, behind) = (moved(STEP), moved(-STEP));
            for row in 0..model.len() {
                let mut expected = (ahead[row] - behind[row]) * (-0.5 / STEP);
                expected[axis] += if row == column { model.masses[row] } else { 0.0 };
                let block = matrix.row(row).find(|(c, _)| *c == column).map_or(Mat3::ZERO, |(_, b)| *b);
                assert!(block.col(axis).distance(expected) <= TOLERANCE, "block [{row}][{column}]");
            }
        }
    }
}

#[test]
fn the_stiffness_product_is_the_derivative_along_a_direction() {
    let (model, x, v) = disturbed_sheet();
    let direction: Vec<Vec3> = (0..model.len()).map(|i| noise(3, i)).collect();
    let mut product = vec![Vec3::ZERO; model.len()];
    let at = Linearization { x: &x, v: &v, tangent: Tangent::Exact };
    at.add_stiffness_product(&model.elements, &direction, &mut product);
    let moved = |s: Real| -> Vec<Vec3> {
        let x: Vec<Vec3> = x.iter().zip(&direction).map(|(x, u)| *x + *u * s).collect();
        let mut out = vec![Vec3::ZERO; model.len()];
        model.elements.add_forces(&x, &v, &mut out);
        out
    };
    let (ahead, behind) = (moved(STEP), moved(-STEP));
    for i in 0..model.len() {
        // Eight springs meet, their third derivatives some thousands: ten times the tolerance of one.
        let expected = (ahead[i] - behind[i]) * (0.5 / STEP);
        assert!(product[i].distance(expected) <= 10.0 * TOLERANCE, "{} is not {expected}", product[i]);
    }
}

#[test]
fn drag_and_wind_have_the_damping_they_claim() {
    let (mut model, x, v) = disturbed_sheet();
    model.change(|data| {
        data.forces.wind = Some(muslin::forces::Wind {
            velocity: Vec3::new(1.0, 2.0, 3.0),
            profile: muslin::profile::Profile::Constant,
            coefficients: vec![0.7; data.len()],
        });
    });
    let mut normals = vec![Vec3::ZERO; model.len()];
    vertex_normals(&model.faces, &x, &mut normals);
    let force = |v: &[Vec3]| {
        let mut out = vec![Vec3::ZERO; model.len()];
        model.forces.add(0.0, &model.faces, &x, v, &mut Vec::new(), &mut out);
        out
    };
    for i in 0..model.len() {
        let tangent = model.forces.damping_tangent(i, normals[i]);
        for axis in 0..3 {
            let (mut ahead, mut behind) = (v.clone(), v.clone());
            ahead[i][axis] += STEP;
            behind[i][axis] -= STEP;
            let expected = (force(&ahead)[i] - force(&behind)[i]) * (-0.5 / STEP);
            assert!(tangent.col(axis).distance(expected) <= TOLERANCE, "particle {i}, axis {axis}");
        }
    }
}
