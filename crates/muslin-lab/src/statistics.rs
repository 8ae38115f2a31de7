//! The few statistics that studies need.
//!
//! Every function answers `None` where its quantity is not defined: too few values, or a value that is not
//! finite. A diverged run so never hides in an average.

/// Arithmetic mean; needs one value.
pub fn mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || !all_finite(values) {
        return None;
    }
    Some(values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation, with n − 1 in the denominator; needs two values.
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

/// Root of the mean square; needs one value.
pub fn rms(values: &[f64]) -> Option<f64> {
    let squares: Vec<f64> = values.iter().map(|value| value * value).collect();
    mean(&squares).map(f64::sqrt)
}

/// The middle value, or the mean of the two middle ones; needs one value.
pub fn median(values: &[f64]) -> Option<f64> {
    if values.is_empty() || !all_finite(values) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 {
        Some(sorted[middle])
    } else {
        Some(f64::midpoint(sorted[middle - 1], sorted[middle]))
    }
}

/// Least-squares slope of log y over log x: the observed order when x is a step size and y an error.
///
/// Needs two different x. `None` also if any coordinate is not positive, because leaving such a point out would
/// change what is measured.
pub fn log_log_slope(points: &[[f64; 2]]) -> Option<f64> {
    let logarithms = |axis: usize| points.iter().map(|point| point[axis].ln()).collect::<Vec<f64>>();
    let (x, y) = (logarithms(0), logarithms(1));
    let (x_mean, y_mean) = (mean(&x)?, mean(&y)?);
    let spread: f64 = x.iter().map(|x| (x - x_mean).powi(2)).sum();
    let product: f64 = x.iter().zip(&y).map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
    let distinct = x.iter().any(|&other| other != x[0]);
    distinct.then(|| product / spread)
}

fn all_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 8] = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];

    #[test]
    fn textbook_numbers() {
        assert_eq!(mean(&VALUES), Some(5.0));
        assert_eq!(standard_deviation(&VALUES), Some((32.0_f64 / 7.0).sqrt()));
        assert_eq!(rms(&[3.0, 4.0, 5.0, 0.0]), Some(12.5_f64.sqrt()));
        assert_eq!(median(&VALUES), Some(4.5));
        assert_eq!(median(&[3.0, -1.0, 2.0]), Some(2.0));
    }

    #[test]
    fn slope_of_a_power_law_is_its_exponent() {
        let points: Vec<[f64; 2]> =
            [0.1, 0.2, 0.4, 0.8].iter().map(|&x: &f64| [x, 3.0 * x.powf(1.7)]).collect();
        assert!((log_log_slope(&points).unwrap() - 1.7).abs() < 1e-12);
    }

    #[test]
    fn slope_is_the_least_squares_one() {
        // In logarithms the points (0, 0), (1, 0), (2, 3): slope 3/2.
        let e = std::f64::consts::E;
        let slope = log_log_slope(&[[1.0, 1.0], [e, 1.0], [e * e, e * e * e]]).unwrap();
        assert!((slope - 1.5).abs() < 1e-12);
    }

    #[test]
    fn undefined_is_none() {
        for statistic in [mean, standard_deviation, rms, median] {
            assert_eq!(statistic(&[]), None);
            assert_eq!(statistic(&[1.0, f64::NAN]), None);
            assert_eq!(statistic(&[1.0, f64::INFINITY]), None);
        }
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(log_log_slope(&[[1.0, 2.0]]), None);
        assert_eq!(log_log_slope(&[[2.0, 1.0], [2.0, 3.0]]), None);
        assert_eq!(log_log_slope(&[[0.0, 1.0], [2.0, 3.0]]), None);
        assert_eq!(log_log_slope(&[[1.0, 0.0], [2.0, 3.0]]), None);
    }
}
