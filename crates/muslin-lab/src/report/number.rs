//! Numbers as people read them: rounded, with a real minus sign and powers of ten.

/// `value` with some `digits` significant digits: `0.03142`, `12 345`, `−4.2 × 10⁻⁷`.
///
/// Digits before the decimal point are never rounded away.
pub(super) fn rounded(value: f64, digits: u8) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    if value.is_infinite() {
        return signed(value < 0.0, "∞");
    }
    if value == 0.0 {
        return "0".into();
    }
    let digits = digits.clamp(1, 17);
    // Rounding first decides the exponent: 9.996 with three digits is 10.0, not 10.00.
    let scientific = format!("{:.*e}", usize::from(digits) - 1, value.abs());
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..7).contains(&exponent) {
        let decimals = (i32::from(digits) - 1 - exponent).max(0) as usize;
        signed(value < 0.0, &grouped(&format!("{:.*}", decimals, value.abs())))
    } else {
        signed(value < 0.0, &format!("{mantissa}\u{a0}×\u{a0}{}", power_of_ten(exponent)))
    }
}

/// A whole number, its digits in groups of three from five digits on: `1234`, `12 345`.
pub(super) fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// `10⁻³`.
pub(super) fn power_of_ten(exponent: i32) -> String {
    let superscript = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
    };
    format!("10{}", exponent.to_string().chars().map(superscript).collect::<String>())
}

/// `text` with U+2212 in front if `negative`.
pub(super) fn signed(negative: bool, text: &str) -> String {
    if negative { format!("−{text}") } else { text.into() }
}

fn grouped(number: &str) -> String {
    let (whole, fraction) = number.find('.').map_or((number, ""), |dot| number.split_at(dot));
    if whole.len() < 5 {
        return number.into();
    }
    let mut text = String::with_capacity(number.len() + 6);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push('\u{202f}'); // narrow no-break space
        }
        text.push(digit);
    }
    text + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding() {
        for (value, digits, text) in [
            (0.031_415_9, 4, "0.03142"),
            (9.996, 3, "10.0"),
            (-1.5, 2, "−1.5"),
            (2.0, 3, "2.00"),
            (12_345.678, 3, "12\u{202f}346"),
            (1234.0, 2, "1234"),
            (4.2e-7, 2, "4.2\u{a0}×\u{a0}10⁻⁷"),
            (-6.02e23, 3, "−6.02\u{a0}×\u{a0}10²³"),
            (0.0, 3, "0"),
            (-0.0, 3, "0"),
            (f64::NEG_INFINITY, 3, "−∞"),
            (f64::NAN, 3, "NaN"),
        ] {
            assert_eq!(rounded(value, digits), text, "{value} with {digits} digits");
        }
    }

    #[test]
    fn counting() {
        assert_eq!(count(0), "0");
        assert_eq!(count(1234), "1234");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
    }
}
