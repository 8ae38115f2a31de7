//! Pictures as PNG files, and what can go wrong with any file.

use super::Picture;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder};
use std::path::{Path, PathBuf};

/// Why a picture could not be written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message names each field")]
pub enum PictureError {
    #[error("cannot write {}: {source}", path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("cannot encode {} as PNG: {source}", path.display())]
    Png { path: PathBuf, source: image::ImageError },
    #[error("cannot encode {} as GIF: {source}", path.display())]
    Gif { path: PathBuf, source: gif::EncodingError },
    #[error("{} is {}×{} pixels, but a GIF has 1×1 to 65535×65535", path.display(), size[0], size[1])]
    GifSize { path: PathBuf, size: [u32; 2] },
    #[error("{} has frames of {}×{} pixels, but got one of {}×{}", path.display(), expected[0], expected[1], found[0], found[1])]
    FrameSize { path: PathBuf, expected: [u32; 2], found: [u32; 2] },
    #[error("{} cannot play {frames_per_second} frames a second; the rate must be greater than 0", path.display())]
    FrameRate { path: PathBuf, frames_per_second: f64 },
}

impl Picture {
    /// Writes the picture as a PNG file; its folder must exist.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), PictureError> {
        let path = path.as_ref();
        let bytes = self.png().map_err(|source| PictureError::Png { path: path.into(), source })?;
        std::fs::write(path, bytes).map_err(|source| PictureError::File { path: path.into(), source })
    }

    /// The bytes of the picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, image::ImageError> {
        let mut bytes = Vec::new();
        PngEncoder::new_with_quality(&mut bytes, CompressionType::Default, FilterType::Adaptive)
            .write_image(self.bytes(), self.width, self.height, ExtendedColorType::Rgb8)?;
        Ok(bytes)
    }
}
