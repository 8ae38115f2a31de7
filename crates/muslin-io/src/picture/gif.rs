//! Moving pictures as GIF files.

use super::palette::Palette;
use super::{Picture, PictureError};
use gif::{Encoder, Frame, Repeat};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes an endless GIF frame by frame; [`GifWriter::finish`] completes the file.
///
/// Every frame has its own palette and holds only what has changed since the one before.
pub struct GifWriter {
    encoder: Encoder<BufWriter<File>>,
    path: PathBuf,
    size: [u32; 2],
    frames_per_second: f64,
    frames: u32,
    /// What every pixel was when it was written last.
    shown: Vec<[u8; 3]>,
}

/// The palette entry that leaves a pixel as it was.
const UNCHANGED: u8 = 0;

/// So small a change of each channel is not worth writing [levels].
const TOLERANCE: u8 = 2;

/// The shortest delay that players respect [1/100 s].
const SHORTEST: u32 = 2;

impl GifWriter {
    /// Starts a file. Frames are shown for a whole number of hundredths of a second, at least two; at other rates
    /// some last longer than others, so that the speed is right on average up to 50 frames a second.
    pub fn create(
        path: impl AsRef<Path>,
        size: [u32; 2],
        frames_per_second: f64,
    ) -> Result<Self, PictureError> {
        let path = path.as_ref().to_path_buf();
        let (Ok(width @ 1..), Ok(height @ 1..)) = (u16::try_from(size[0]), u16::try_from(size[1])) else {
            return Err(PictureError::GifSize { path, size });
        };
        if !(frames_per_second > 0.0 && frames_per_second.is_finite()) {
            return Err(PictureError::FrameRate { path, frames_per_second });
        }
        let file = match File::create(&path) {
            Ok(file) => BufWriter::new(file),
            Err(source) => return Err(PictureError::File { path, source }),
        };
        let start = || {
            let mut encoder = Encoder::new(file, width, height, &[])?;
            encoder.set_repeat(Repeat::Infinite)?;
            Ok(encoder)
        };
        match start() {
            Ok(encoder) => Ok(Self { encoder, path, size, frames_per_second, frames: 0, shown: Vec::new() }),
            Err(source) => Err(PictureError::Gif { path, source }),
        }
    }

    /// Adds the next frame.
    pub fn add(&mut self, picture: &Picture) -> Result<(), PictureError> {
        if picture.size() != self.size {
            let (path, expected) = (self.path.clone(), self.size);
            return Err(PictureError::FrameSize { path, expected, found: picture.size() });
        }
        let region = self.changed_region(picture);
        let (palette, buffer) = self.quantise(picture, &region);
        let frame = Frame {
            delay: self.delay(),
            transparent: Some(UNCHANGED),
            left: region.columns[0] as u16,
            top: region.rows[0] as u16,
            width: (region.columns[1] - region.columns[0]) as u16,
            height: (region.rows[1] - region.rows[0]) as u16,
            palette: Some(palette),
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.frames += 1;
        self.encoder
            .write_frame(&frame)
            .map_err(|source| PictureError::Gif { path: self.path.clone(), source })
    }

    /// Completes the file.
    pub fn finish(self) -> Result<(), PictureError> {
        let Self { encoder, path, .. } = self;
        let mut file = match encoder.into_inner() {
            Ok(file) => file,
            Err(source) => return Err(PictureError::Gif { path, source }),
        };
        file.flush().map_err(|source| PictureError::File { path, source })
    }

    /// From the time of this frame to that of the next, both rounded.
    fn delay(&self) -> u16 {
        let time = |frame: u32| (100.0 * f64::from(frame) / self.frames_per_second).round() as u32;
        let delay = time(self.frames.saturating_add(1)).saturating_sub(time(self.frames));
        delay.clamp(SHORTEST, u32::from(u16::MAX)) as u16
    }

    fn has_changed(&self, pixel: usize, color: [u8; 3]) -> bool {
        self.shown
            .get(pixel)
            .is_none_or(|shown| shown.iter().zip(color).any(|(&old, new)| old.abs_diff(new) > TOLERANCE))
    }

    /// The smallest rectangle with all changes; one pixel if there are none.
    fn changed_region(&self, picture: &Picture) -> Region {
        let width = picture.width as usize;
        let mut region = Region { columns: [usize::MAX, 0], rows: [usize::MAX, 0] };
        for (y, row) in picture.pixels.chunks_exact(width).enumerate() {
            let changed = |&x: &usize| self.has_changed(y * width + x, row[x]);
            let Some(first) = (0..width).find(changed) else { continue };
            let last = (first..width).rfind(changed).unwrap_or(first);
            region.columns = [region.columns[0].min(first), region.columns[1].max(last + 1)];
            region.rows = [region.rows[0].min(y), y + 1];
        }
        if region.rows[1] == 0 { Region { columns: [0, 1], rows: [0, 1] } } else { region }
    }

    /// Palette and colour numbers of a region; what has not changed stays as it is.
    fn quantise(&mut self, picture: &Picture, region: &Region) -> (Vec<u8>, Vec<u8>) {
        let width = picture.width as usize;
        let changed = || {
            region
                .pixels(width)
                .map(|pixel| picture.pixels[pixel])
                .zip(region.pixels(width))
                .filter_map(|(color, pixel)| self.has_changed(pixel, color).then_some(color))
        };
        let mut palette = Palette::of(changed(), 255);
        let mut table = vec![0; 3];
        table.extend_from_slice(palette.colors.as_flattened());

        let mut shown = std::mem::take(&mut self.shown);
        let is_first = shown.is_empty();
        shown.resize(picture.pixels.len(), [0; 3]);
        let numbers = region.pixels(width).map(|pixel| {
            let color = picture.pixels[pixel];
            let same = shown[pixel].iter().zip(color).all(|(&old, new)| old.abs_diff(new) <= TOLERANCE);
            if same && !is_first {
                return UNCHANGED;
            }
            shown[pixel] = color;
            palette.index(color, [pixel % width, pixel / width]) as u8 + 1
        });
        let numbers = numbers.collect();
        self.shown = shown;
        (table, numbers)
    }
}

/// A rectangle of pixels, ends excluded.
struct Region {
    columns: [usize; 2],
    rows: [usize; 2],
}

impl Region {
    /// The numbers of its pixels, row by row.
    fn pixels(&self, width: usize) -> impl Iterator<Item = usize> + use<> {
        let columns = self.columns;
        (self.rows[0]..self.rows[1]).flat_map(move |y| (columns[0]..columns[1]).map(move |x| y * width + x))
    }
}
