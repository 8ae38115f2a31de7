//! From values to places along an axis, and the round numbers to label it with.

use super::super::number::{power_of_ten, signed};
use super::super::{Axis, Scale};

/// The stretch of an axis that is drawn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain {
    scale: Scale,
    /// Both ends, as logarithms on a log axis.
    low: f64,
    high: f64,
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// All that is marked along an axis.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks {
    pub(super) major: Vec<Tick>,
    /// Thin lines without label.
    pub(super) minor: Vec<f64>,
    /// The labels are multiples of ten to this power.
    pub(super) exponent: i32,
}

/// Beyond this, and below its inverse on a log axis, values count as infinite: their differences overflow.
const LIMIT: f64 = 1e300;
const LOG_LIMITS: [f64; 2] = [1e-300, 1e300];
/// Share of the axis left free at both ends.
const MARGIN: f64 = 0.04;

/// Whether a value has a place on such an axis.
pub(super) fn is_drawable(scale: Scale, value: f64) -> bool {
    match scale {
        Scale::Linear => value.abs() <= LIMIT,
        Scale::Log => (LOG_LIMITS[0]..=LOG_LIMITS[1]).contains(&value),
    }
}

impl Domain {
    /// The axis' own range, or one that holds all of `values`.
    pub(super) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let scale = axis.scale;
        let place = |value: f64| if scale == Scale::Log { value.log10() } else { value };
        if let Some([low, high]) = axis.range
            && is_drawable(scale, low)
            && is_drawable(scale, high)
            && is_wide([place(low), place(high)])
        {
            return Self { scale, low: place(low), high: place(high) };
        }
        let [low, high] = values
            .filter(|&value| is_drawable(scale, value))
            .map(place)
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], place| [low.min(place), high.max(place)]);
        let [low, high] = match scale {
            _ if low > high => [0.0, 1.0], // no values at all
            Scale::Log if high - low < 1e-6 => [low - 0.5, high + 0.5],
            Scale::Linear if !is_wide([low, high]) => widened(low, high),
            _ => padded(scale, low, high),
        };
        // The air around extreme values must not reach beyond what is drawable.
        let limit = if scale == Scale::Log { 300.0 } else { LIMIT };
        Self { scale, low: low.max(-limit), high: high.min(limit) }
    }

    /// 0 at the start of the axis, 1 at its end; `None` if there is no such place.
    pub(super) fn fraction(&self, value: f64) -> Option<f64> {
        let place = if self.scale == Scale::Log { value.log10() } else { value };
        is_drawable(self.scale, value).then(|| (place - self.low) / (self.high - self.low))
    }

    /// At least two round numbers along the axis, and `wanted` or few more.
    pub(super) fn ticks(&self, wanted: usize) -> Ticks {
        match self.scale {
            Scale::Linear => linear_ticks([self.low, self.high], wanted),
            Scale::Log => self.log_ticks(wanted),
        }
    }

    fn log_ticks(&self, wanted: usize) -> Ticks {
        let first = self.low.floor() as i32;
        let last = self.high.ceil() as i32;
        let inside = |&(digit, exponent): &(u32, i32)| {
            let place = f64::from(digit).log10() + f64::from(exponent);
            (self.low - 1e-9..=self.high + 1e-9).contains(&place)
        };
        let multiples = |digits: &'static [u32]| {
            let all = (first..=last).flat_map(move |exponent| digits.iter().map(move |&d| (d, exponent)));
            all.filter(inside).collect::<Vec<(u32, i32)>>()
        };
        let decades = multiples(&[1]);
        let minor = multiples(&[2, 3, 4, 5, 6, 7, 8, 9]);
        let fine = multiples(&[1, 2, 5]);
        if fine.len() < 3 {
            let ends = [10_f64.powf(self.low), 10_f64.powf(self.high)];
            return linear_ticks(ends, wanted);
        }
        // Many decades: label every second or third, and draw the others thinly instead of their parts.
        let stride = decades.len().div_ceil(8).max(1);
        let thin = if decades.len() > 6 { decades.clone() } else { minor };
        let shown = if decades.len() < 3 { fine } else { decades };
        let plain = shown.iter().all(|(_, exponent)| (-3..5).contains(exponent));
        let value = |(digit, exponent): (u32, i32)| decimal(i64::from(digit), exponent);
        let major = shown.into_iter().filter(|(digit, exponent)| {
            *digit != 1 || (exponent.unsigned_abs() as usize).is_multiple_of(stride)
        });
        let major: Vec<Tick> =
            major.map(|tick| Tick { value: value(tick), label: log_label(tick.0, tick.1, plain) }).collect();
        let labelled = |value: &f64| major.iter().any(|tick| tick.value == *value);
        let minor = thin.into_iter().map(value).filter(|value| !labelled(value)).collect();
        Ticks { major, minor, exponent: 0 }
    }
}

/// Whether two ends are far enough apart for different numbers to stand between them.
fn is_wide([low, high]: [f64; 2]) -> bool {
    high - low > 1e-9 * low.abs().max(high.abs()) && high - low > 1e-290
}

/// A range around what is nearly one value.
fn widened(low: f64, high: f64) -> [f64; 2] {
    let size = low.abs().max(high.abs());
    let margin = if size == 0.0 { 1.0 } else { (0.1 * size).max(1e-280) };
    [low - margin, high + margin]
}

/// Some air at both ends; but an axis of one sign does not leave it.
fn padded(scale: Scale, low: f64, high: f64) -> [f64; 2] {
    let margin = MARGIN * (high - low);
    let [outer_low, outer_high] = [low - margin, high + margin];
    match scale {
        Scale::Log => [outer_low, outer_high],
        Scale::Linear => [
            if low >= 0.0 { outer_low.max(0.0) } else { outer_low },
            if high <= 0.0 { outer_high.min(0.0) } else { outer_high },
        ],
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks([low, high]: [f64; 2], wanted: usize) -> Ticks {
    let (digit, exponent) = round_step((high - low) / wanted.max(2) as f64);
    let step = decimal(digit, exponent);
    let slack = 1e-9; // of a step: an end that is a round number belongs to the axis
    let numbers = (low / step - slack).ceil() as i64..=(high / step + slack).floor() as i64;
    let values: Vec<f64> = numbers.map(|number| decimal(number.saturating_mul(digit), exponent)).collect();
    let largest = values.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let common = if largest == 0.0 || (1e-3..1e5).contains(&largest) {
        0
    } else {
        (largest * (1.0 + 1e-12)).log10().floor() as i32
    };
    let decimals = (common - exponent).clamp(0, 12) as usize;
    let label = |value: f64| {
        let multiple = format!("{:.*}", decimals, value.abs() / decimal(1, common));
        signed(value < 0.0, &multiple)
    };
    let major = values.iter().map(|&value| Tick { value, label: label(value) }).collect();
    Ticks { major, minor: Vec::new(), exponent: common }
}

/// The least of 1, 2, 5 times a power of ten that is not below `rough`, as digit and exponent.
fn round_step(rough: f64) -> (i64, i32) {
    let exponent = rough.log10().floor() as i32;
    let digit = rough / decimal(1, exponent);
    match digit {
        d if d <= 1.0 + 1e-9 => (1, exponent),
        d if d <= 2.0 + 1e-9 => (2, exponent),
        d if d <= 5.0 + 1e-9 => (5, exponent),
        _ => (1, exponent + 1),
    }
}

/// digits · 10^exponent, rounded once as a literal would be.
fn decimal(digits: i64, exponent: i32) -> f64 {
    format!("{digits}e{exponent}").parse().unwrap_or(0.0)
}

fn log_label(digit: u32, exponent: i32, plain: bool) -> String {
    match (digit, plain) {
        (_, true) => decimal(i64::from(digit), exponent).to_string(),
        (1, false) => power_of_ten(exponent),
        (_, false) => format!("{digit}×{}", power_of_ten(exponent)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ticks(axis: &Axis, values: &[f64]) -> Ticks {
        Domain::new(axis, values.iter().copied()).ticks(6)
    }

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        ticks(axis, values).major.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn familiar_axes() {
        let linear = Axis::linear("x");
        assert_eq!(labels(&linear, &[0.0, 1.0]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(&linear, &[-12.0, 9.0]), ["−10", "−5", "0", "5"]);
        let ticks = ticks(&linear, &[0.0, 4e-5]);
        assert_eq!(ticks.exponent, -5);
        assert_eq!(ticks.major[1].label, "1");
        let log = Axis::log("x");
        assert_eq!(labels(&log, &[0.1, 100.0]), ["0.1", "1", "10", "100"]);
        assert_eq!(labels(&log, &[1.0, 30.0]), ["1", "2", "5", "10", "20"]);
        assert_eq!(labels(&log, &[1e-7, 1e-4]), ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"]);
        assert_eq!(labels(&log, &[3.1, 3.9]), ["3.2", "3.4", "3.6", "3.8"]);
    }

    #[test]
    fn a_given_range_is_kept_and_a_bad_one_ignored() {
        let axis = Axis { range: Some([0.0, 10.0]), ..Axis::linear("x") };
        assert_eq!(Domain::new(&axis, [99.0].into_iter()).fraction(5.0), Some(0.5));
        for range in [[1.0, 1.0], [2.0, 1.0], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
            let axis = Axis { range: Some(range), ..Axis::linear("x") };
            assert!(Domain::new(&axis, [3.0, 4.0].into_iter()).fraction(3.5) == Some(0.5));
        }
    }

    fn check_ticks(scale: Scale, values: &[f64]) -> Result<(), TestCaseError> {
        let axis = Axis { scale, ..Axis::default() };
        let domain = Domain::new(&axis, values.iter().copied());
        for value in values.iter().filter(|&&value| is_drawable(scale, value)) {
            prop_assert!((-1e-9..=1.0 + 1e-9).contains(&domain.fraction(*value).unwrap()));
        }
        let ticks = domain.ticks(6);
        prop_assert!((2..=16).contains(&ticks.major.len()), "{ticks:?}");
        for pair in ticks.major.windows(2) {
            prop_assert!(pair[0].value < pair[1].value && pair[0].label != pair[1].label, "{pair:?}");
        }
        for tick in &ticks.major {
            let fraction = domain.fraction(tick.value).unwrap();
            prop_assert!((-1e-6..=1.0 + 1e-6).contains(&fraction), "{tick:?} at {fraction}");
            prop_assert!(tick.label.chars().count() <= 16, "{}", tick.label);
        }
        Ok(())
    }

    #[test]
    fn extreme_values_have_an_axis() {
        for values in [[1e-299, 1e290], [1e300, 1e300], [-1e300, 1e300], [1e-300, 1e-300], [9.9e299, 1e300]] {
            for scale in [Scale::Linear, Scale::Log] {
                check_ticks(scale, &values).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn any_values_have_an_axis(values in prop::collection::vec(any::<f64>(), 0..5)) {
            check_ticks(Scale::Linear, &values)?;
            check_ticks(Scale::Log, &values)?;
        }

        #[test]
        fn ordinary_values_have_an_axis(values in prop::collection::vec(-1e6..1e6, 0..5)) {
            check_ticks(Scale::Linear, &values)?;
            check_ticks(Scale::Log, &values)?;
        }

        #[test]
        fn linear_ticks_are_round(low in -1e9..1e9, size in 1e-3..1e9) {
            let ticks = ticks(&Axis::linear("x"), &[low, low + size]);
            let step = ticks.major[1].value - ticks.major[0].value;
            let exponent = (step * (1.0 + 1e-6)).log10().floor();
            let digit = step / 10_f64.powf(exponent);
            prop_assert!([1.0, 2.0, 5.0].iter().any(|d| (d - digit).abs() < 1e-4), "step {step}");
            for tick in &ticks.major {
                let label: f64 = tick.label.replace('−', "-").parse().unwrap();
                let read = label * 10_f64.powi(ticks.exponent);
                prop_assert!((read - tick.value).abs() <= 1e-3 * step, "{tick:?} with {step}");
                prop_assert!((tick.value / step - (tick.value / step).round()).abs() < 1e-3);
            }
        }
    }
}
