//! Numbers and vectors: the only file that names glam.

/// The vectors' own crate, in the version that this library uses.
pub use glam;

/// The number of all computation: double precision, so that studies have a noise floor far under 1e-7.
pub type Real = f64;

/// A vector in space; its unit is that of the quantity it holds.
pub type Vec3 = glam::DVec3;

/// A vector in a plane.
pub type Vec2 = glam::DVec2;

/// A 3 × 3 matrix, stored by columns.
pub type Mat3 = glam::DMat3;

/// A rotation.
pub type Rotation = glam::DQuat;

/// The outer product a bᵀ.
#[inline]
pub fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// The cross product as a matrix: `cross_matrix(a)` · b = a × b.
#[inline]
pub fn cross_matrix(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

/// Eigenvalues of a symmetric matrix, and a rotation with its eigenvectors in the columns: cyclic Jacobi.
pub fn symmetric_eigen(matrix: Mat3) -> (Vec3, Mat3) {
    let (mut a, mut vectors) = (matrix, Mat3::IDENTITY);
    let size = (0..3).map(|k| a.col(k).length_squared()).sum::<Real>();
    // It converges quadratically; ten rounds are far more than any matrix needs.
    for _ in 0..10 {
        let rest = a.y_axis.x.powi(2) + a.z_axis.x.powi(2) + a.z_axis.y.powi(2);
        if rest <= 1e-32 * size {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let turn = jacobi_turn(&a, p, q);
            a = turn.transpose() * a * turn;
            vectors *= turn;
        }
    }
    (Vec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), vectors)
}

/// The rotation in the plane of two axes that makes their entry of Rᵀ A R zero.
fn jacobi_turn(a: &Mat3, p: usize, q: usize) -> Mat3 {
    let entry = a.col(q)[p];
    if entry == 0.0 {
        return Mat3::IDENTITY;
    }
    let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * entry);
    let tangent = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    let mut turn = Mat3::IDENTITY;
    turn.col_mut(p)[p] = cosine;
    turn.col_mut(q)[q] = cosine;
    turn.col_mut(q)[p] = sine;
    turn.col_mut(p)[q] = -sine;
    turn
}

/// Eigenvalues of [[a, b], [b, c]], the larger first, and cosine and sine of the direction of the first eigenvector.
#[inline]
pub fn symmetric_eigen_plane(a: Real, b: Real, c: Real) -> ([Real; 2], [Real; 2]) {
    let (middle, half) = (0.5 * (a + c), 0.5 * (a - c));
    let radius = half.hypot(b);
    let angle = 0.5 * b.atan2(half);
    ([middle + radius, middle - radius], [angle.cos(), angle.sin()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_their_matrix() {
        let plain =
            Mat3::from_cols(Vec3::new(4.0, 1.0, -2.0), Vec3::new(1.0, 2.0, 0.5), Vec3::new(-2.0, 0.5, -3.0));
        for matrix in [plain, Mat3::IDENTITY * 7.0, outer(Vec3::ONE, Vec3::ONE), Mat3::ZERO] {
            let (values, vectors) = symmetric_eigen(matrix);
            let rebuilt = vectors * Mat3::from_diagonal(values) * vectors.transpose();
            assert!(rebuilt.abs_diff_eq(matrix, 1e-14), "{matrix} is not {rebuilt}");
            assert!((vectors.determinant() - 1.0).abs() < 1e-14, "a rotation");
        }
    }

    #[test]
    fn eigenvectors_in_the_plane() {
        let ([large, small], [c, s]) = symmetric_eigen_plane(1.0, 2.0, -2.0);
        assert!((large - 2.0).abs() < 1e-15 && (small + 3.0).abs() < 1e-15);
        assert!((c + 2.0 * s - large * c).abs() < 1e-15 && (2.0 * c - 2.0 * s - large * s).abs() < 1e-15);
    }
}
