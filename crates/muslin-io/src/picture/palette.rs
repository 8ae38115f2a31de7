//! The few colours that show many best.

/// Colours of a frame and the way to them.
pub(super) struct Palette {
    pub colors: Vec<[u8; 3]>,
    /// Number of the nearest colour for every cell of the colour cube, found when first asked for.
    nearest: Vec<u16>,
}

/// A cell of the cube with at least one pixel: how many, and the sum of their colours.
#[derive(Clone, Copy, Default)]
struct Cell {
    count: u32,
    sum: [u32; 3],
}

/// A cell that found its place in a box: mean colour and weight.
struct Shade {
    color: [f32; 3],
    weight: f32,
}

/// Bits a channel of the cube in which pixels are counted, and of the cube of nearest colours.
const COUNTED: u32 = 6;
const LOOKED_UP: u32 = 7;

/// Strength of the ordered dithering [levels]: about half the distance of neighbouring shades.
const DITHER: i32 = 3;

fn cell([red, green, blue]: [u8; 3], bits: u32) -> usize {
    let cut = |channel: u8| usize::from(channel) >> (8 - bits);
    (cut(red) << (2 * bits)) | (cut(green) << bits) | cut(blue)
}

impl Palette {
    /// At most `size` colours for these pixels: boxes of the colour cube, split where they vary most.
    pub fn of(pixels: impl Iterator<Item = [u8; 3]>, size: usize) -> Self {
        let mut cells = vec![Cell::default(); 1 << (3 * COUNTED)];
        for pixel in pixels {
            let cell = &mut cells[cell(pixel, COUNTED)];
            cell.count += 1;
            for (sum, channel) in cell.sum.iter_mut().zip(pixel) {
                *sum += u32::from(channel);
            }
        }
        let shades = cells.iter().filter(|cell| cell.count > 0).map(|cell| Shade {
            color: cell.sum.map(|sum| sum as f32 / cell.count as f32),
            // The root keeps a large backdrop from taking all colours.
            weight: (cell.count as f32).sqrt(),
        });
        let mut boxes = vec![ColorBox::new(shades.collect())];
        while boxes.len() < size {
            let widest =
                boxes.iter().enumerate().max_by(|a, b| a.1.error.total_cmp(&b.1.error).then(b.0.cmp(&a.0)));
            let Some((number, _)) = widest.filter(|(_, found)| found.error > 0.0) else { break };
            let [low, high] = boxes.swap_remove(number).split();
            boxes.extend([low, high]);
        }
        let colors = boxes.iter().map(|found| found.mean.map(|channel| channel.round() as u8)).collect();
        Self { colors, nearest: vec![u16::MAX; 1 << (3 * LOOKED_UP)] }
    }

    /// Number of the colour for a pixel; where it lies between two, the pixel's place decides by a fixed pattern.
    pub fn index(&mut self, pixel: [u8; 3], [x, y]: [usize; 2]) -> usize {
        let shift = DITHER * (2 * bayer(x, y) - 63) / 64;
        let wanted = pixel.map(|channel| (i32::from(channel) + shift).clamp(0, 255) as u8);
        let known = &mut self.nearest[cell(wanted, LOOKED_UP)];
        if *known == u16::MAX {
            let distance = |color: &[u8; 3]| -> i32 {
                (0..3).map(|k| (i32::from(color[k]) - i32::from(wanted[k])).pow(2) * [3, 6, 1][k]).sum()
            };
            let best = (0..self.colors.len()).min_by_key(|&number| distance(&self.colors[number]));
            *known = best.unwrap_or(0) as u16;
        }
        usize::from(*known)
    }
}

/// The 8 × 8 matrix of ordered dithering, 0 to 63: bits of x ⊕ y and y interleaved, lowest first.
fn bayer(x: usize, y: usize) -> i32 {
    let bit = |value: usize, k: usize| i32::from((value >> k) & 1 == 1);
    (0..3).map(|k| (bit(x ^ y, k) * 2 + bit(y, k)) << (2 * (2 - k))).sum()
}

/// Shades that will become one colour.
struct ColorBox {
    shades: Vec<Shade>,
    mean: [f32; 3],
    /// The channel that varies most.
    axis: usize,
    /// Weighted squared distance from the mean along it.
    error: f32,
}

impl ColorBox {
    fn new(shades: Vec<Shade>) -> Self {
        let weight: f32 = shades.iter().map(|shade| shade.weight).sum();
        let mean = std::array::from_fn(|k| {
            shades.iter().map(|shade| shade.weight * shade.color[k]).sum::<f32>() / weight.max(1e-9)
        });
        let errors: [f32; 3] = std::array::from_fn(|k| {
            shades.iter().map(|shade| shade.weight * (shade.color[k] - mean[k]).powi(2)).sum()
        });
        let axis = (0..3).max_by(|&a, &b| errors[a].total_cmp(&errors[b])).unwrap_or(0);
        let error = if shades.len() > 1 { errors[axis] } else { 0.0 };
        Self { shades, mean, axis, error }
    }

    fn split(self) -> [Self; 2] {
        let (axis, middle) = (self.axis, self.mean[self.axis]);
        let (low, high) = self.shades.into_iter().partition(|shade| shade.color[axis] < middle);
        [Self::new(low), Self::new(high)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_exactly() {
        let pixels = [[200, 10, 40], [0, 0, 0], [255, 255, 255], [0, 128, 0]];
        let mut palette = Palette::of(pixels.into_iter().cycle().take(400), 255);
        assert_eq!(palette.colors.len(), 4);
        for pixel in pixels {
            let number = palette.index(pixel, [3, 5]);
            assert_eq!(palette.colors[number], pixel);
        }
    }

    #[test]
    fn a_gradient_is_met_closely_and_on_average() {
        let ramp = |k: usize| [k, k / 2 + 60, 255 - k].map(|channel| channel as u8);
        let mut palette = Palette::of((0..256).map(ramp), 40);
        assert!(palette.colors.len() <= 40);
        for k in 20..236 {
            let mut sum = 0;
            for (x, y) in (0..8).flat_map(|y| (0..8).map(move |x| (x, y))) {
                let number = palette.index(ramp(k), [x, y]);
                sum += i32::from(palette.colors[number][0]);
            }
            assert!((sum / 64).abs_diff(i32::from(ramp(k)[0])) <= 4, "{k} became {}", sum / 64);
        }
    }

    #[test]
    fn the_dither_pattern_has_every_rank_once() {
        let mut ranks: Vec<i32> = (0..64).map(|k| bayer(k % 8, k / 8)).collect();
        ranks.sort_unstable();
        assert_eq!(ranks, (0..64).collect::<Vec<_>>());
    }

    #[test]
    fn no_pixels_give_some_palette() {
        assert_eq!(Palette::of(std::iter::empty(), 255).colors.len(), 1);
    }
}
