//! Pictures of a run.

use crate::Failure;
use muslin::math::Real;
use muslin::model::Model;
use muslin::state::State;
use muslin_io::picture::{GifWriter, Picture, draw};
use muslin_scene::{Scenery, Setup};
use std::path::{Path, PathBuf};

/// The kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PictureKind {
    /// One picture, at the scene's telling moment or at the end
    Png,
    /// All frames, moving
    Gif,
    /// No picture at all
    None,
}

/// Takes the pictures of a run.
pub struct Album<'a> {
    setup: &'a Setup,
    scenery: Scenery,
    folder: PathBuf,
    still: Option<Picture>,
    wants_still: bool,
    still_taken: bool,
    movie: Option<GifWriter>,
}

/// Largest side of a moving picture [pixels]: small enough to send around.
const MOVIE_SIDE: Real = 480.0;

/// Moving pictures show at most so many frames a second.
const MOVIE_RATE: Real = 30.0;

impl<'a> Album<'a> {
    /// Prepares pictures of these kinds.
    pub fn open(setup: &'a Setup, folder: &Path, kinds: &[PictureKind]) -> Result<Self, Failure> {
        let wants = |kind| kinds.contains(&kind) && !kinds.contains(&PictureKind::None);
        let movie = wants(PictureKind::Gif)
            .then(|| {
                GifWriter::create(
                    folder.join("picture.gif.part"),
                    movie_size(setup),
                    setup.frame_rate.min(MOVIE_RATE),
                )
            })
            .transpose()
            .map_err(|error| Failure::Run(error.to_string()))?;
        let wants_still = wants(PictureKind::Png);
        Ok(Self {
            setup,
            scenery: setup.scenery(),
            folder: folder.to_owned(),
            still: None,
            wants_still,
            still_taken: false,
            movie,
        })
    }

    /// Shows one frame.
    pub fn add(&mut self, model: &Model, state: &State, collider_times: &[Real]) -> anyhow::Result<()> {
        if self.wants_still && !self.still_taken {
            let moment = self.setup.picture.time.unwrap_or(self.setup.duration);
            // Half a step early is on time: steps need not fall on the moment.
            self.still_taken = state.time >= moment - 0.5 * self.setup.dt;
            if self.still_taken {
                self.still =
                    Some(draw(&self.scenery.stage(model, state, collider_times), self.setup.picture.size));
            }
        }
        if let Some(movie) = &mut self.movie {
            movie.add(&draw(&self.scenery.stage(model, state, collider_times), movie_size(self.setup)))?;
        }
        Ok(())
    }

    /// Writes what was taken. A run that ended early shows its last frame.
    pub fn finish(&mut self, last: &State, collider_times: &[Real]) -> anyhow::Result<()> {
        if self.wants_still {
            let Self { scenery, setup, .. } = &*self;
            let draw_last = || draw(&scenery.stage(&setup.model, last, collider_times), setup.picture.size);
            let still = self.still.clone().unwrap_or_else(draw_last);
            still.write_png(self.folder.join("picture.png.part"))?;
            std::fs::rename(self.folder.join("picture.png.part"), self.folder.join("picture.png"))?;
        }
        if let Some(movie) = self.movie.take() {
            movie.finish()?;
            std::fs::rename(self.folder.join("picture.gif.part"), self.folder.join("picture.gif"))?;
        }
        Ok(())
    }
}

fn movie_size(setup: &Setup) -> [u32; 2] {
    let [width, height] = setup.picture.size.map(Real::from);
    let scale = (MOVIE_SIDE / width.max(height)).min(1.0);
    [width, height].map(|side| (side * scale).round().max(1.0) as u32)
}
