//! Pixels and colours.

use muslin::math::{Real, Vec3};

/// A finished picture: three bytes a pixel (red, green, blue in sRGB), row by row from the top left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The colours, `width` · `height` of them.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// A picture of one colour.
    pub fn filled([width, height]: [u32; 2], color: Color) -> Self {
        let Color { red, green, blue } = color;
        Self { width, height, pixels: vec![[red, green, blue]; width as usize * height as usize] }
    }

    /// Width and height.
    pub fn size(&self) -> [u32; 2] {
        [self.width, self.height]
    }

    /// The colour in column `x` and row `y`.
    pub fn at(&self, x: u32, y: u32) -> [u8; 3] {
        self.pixels[y as usize * self.width as usize + x as usize]
    }

    /// All bytes in order.
    pub(super) fn bytes(&self) -> &[u8] {
        self.pixels.as_flattened()
    }
}

/// Width of the gap between the pictures of a strip, in pixels.
const GAP: u32 = 6;

/// Joins pictures side by side on white, tops aligned, with a small gap between them.
pub fn strip(pictures: &[Picture]) -> Picture {
    let height = pictures.iter().map(|picture| picture.height).max().unwrap_or(1);
    let gaps = GAP * (pictures.len() as u32).saturating_sub(1);
    let width = pictures.iter().map(|picture| picture.width).sum::<u32>() + gaps;
    let mut joined = Picture::filled([width.max(1), height], Color::WHITE);
    let mut left = 0;
    for picture in pictures {
        for (y, row) in picture.pixels.chunks_exact(picture.width.max(1) as usize).enumerate() {
            let start = y * joined.width as usize + left;
            joined.pixels[start..start + row.len()].copy_from_slice(row);
        }
        left += (picture.width + GAP) as usize;
    }
    joined
}

/// A colour as on the screen (sRGB).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Color {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}

#[allow(missing_docs, reason = "the names say it")]
impl Color {
    pub const WHITE: Self = Self::new(255, 255, 255);
    pub const LINEN: Self = Self::new(232, 222, 203);
    pub const INDIGO: Self = Self::new(58, 88, 150);
    pub const MADDER: Self = Self::new(186, 62, 52);
    pub const SAGE: Self = Self::new(122, 152, 116);
    pub const SAFFRON: Self = Self::new(226, 160, 58);
    pub const PLUM: Self = Self::new(124, 74, 116);
    pub const TEAL: Self = Self::new(48, 130, 132);
    pub const STONE: Self = Self::new(148, 144, 138);
    pub const HEMP: Self = Self::new(196, 162, 112);

    /// From red, green and blue.
    pub const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// A colour for the n-th body of a stage: neighbours in number look different.
    pub const fn of_body(number: usize) -> Self {
        const CYCLE: [Color; 6] =
            [Color::INDIGO, Color::SAFFRON, Color::MADDER, Color::SAGE, Color::PLUM, Color::TEAL];
        CYCLE[number % CYCLE.len()]
    }

    /// The amount of light in each channel, 0 to 1.
    pub(super) fn linear(self) -> Vec3 {
        Vec3::new(decode(self.red), decode(self.green), decode(self.blue))
    }
}

/// The sRGB transfer function from byte to light [IEC 61966-2-1].
fn decode(byte: u8) -> Real {
    let s = Real::from(byte) / 255.0;
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// The way back from light to bytes, tabulated.
pub(super) struct Gamma(Vec<u8>);

impl Gamma {
    const STEPS: usize = 1 << 14;

    pub(super) fn new() -> Self {
        let encode = |step: usize| {
            let light = step as Real / Self::STEPS as Real;
            let s = if light <= 0.003_130_8 { 12.92 * light } else { 1.055 * light.powf(1.0 / 2.4) - 0.055 };
            (255.0 * s).round() as u8
        };
        Self((0..=Self::STEPS).map(encode).collect())
    }

    /// Light in each channel to bytes; what is too bright or not a number is clamped.
    pub(super) fn encode(&self, light: Vec3) -> [u8; 3] {
        // The cast from float saturates and takes NaN to 0.
        let step = |value: Real| (value * Self::STEPS as Real + 0.5) as i32;
        light.to_array().map(|value| self.0[(step(value).max(0) as usize).min(Self::STEPS)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_linear_light() {
        let gamma = Gamma::new();
        for byte in 0..=255 {
            assert_eq!(gamma.encode(Color::new(byte, 0, 255).linear()), [byte, 0, 255]);
        }
        assert_eq!(gamma.encode(Vec3::new(Real::NAN, -1.0, 9.0)), [0, 0, 255]);
    }

    #[test]
    fn a_strip_is_as_wide_as_its_pictures_and_gaps() {
        let (low, high) = (Picture::filled([3, 2], Color::MADDER), Picture::filled([4, 5], Color::INDIGO));
        let joined = strip(&[low.clone(), high.clone()]);
        assert_eq!(joined.size(), [3 + GAP + 4, 5]);
        assert_eq!(joined.at(2, 1), low.at(0, 0));
        assert_eq!(joined.at(2, 2), [255; 3]);
        assert_eq!(joined.at(3 + GAP, 4), high.at(0, 0));
        assert_eq!(strip(&[]).size(), [1, 1]);
    }
}
