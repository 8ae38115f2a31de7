//! Pictures of a run.

use crate::Failure;
use muslin::math::Real;
use muslin_io::picture::{GifWriter, Picture, draw};
use muslin_scene::{Ending, Frame, LastFrame, Scenery, Setup, Sink};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    movie: Option<GifWriter>,
    /// Its name.
    movie_name: String,
}

/// Largest side of a moving picture [pixels]: small enough to send around.
const MOVIE_SIDE: Real = 480.0;

/// Moving pictures show at most so many frames a second.
const MOVIE_RATE: Real = 30.0;

impl<'a> Album<'a> {
    /// Prepares pictures of these kinds, of a run that has taken so many frames up to a time [s]. The picture of a moment before that is
    /// there already; a moving picture gets a second part.
    pub fn open(
        setup: &'a Setup,
        folder: &Path,
        kinds: &[PictureKind],
        (frames, time): (usize, Real),
    ) -> Result<Self, Failure> {
        let movie_name =
            if frames == 0 { "picture.gif".to_owned() } else { format!("picture-from-{frames}.gif") };
        let wants = |kind| kinds.contains(&kind) && !kinds.contains(&PictureKind::None);
        let movie = wants(PictureKind::Gif)
            .then(|| {
                GifWriter::create(
                    folder.join(format!("{movie_name}.part")),
                    movie_size(setup),
                    setup.frame_rate.min(MOVIE_RATE),
                )
            })
            .transpose()
            .map_err(|error| Failure::Run(error.to_string()))?;
        let is_taken = frames > 0 && setup.picture.time.is_some_and(|moment| time >= moment - 0.5 * setup.dt);
        let wants_still = wants(PictureKind::Png) && !is_taken;
        Ok(Self {
            setup,
            scenery: setup.scenery(),
            folder: folder.to_owned(),
            still: None,
            wants_still,
            movie,
            movie_name,
        })
    }
}

impl Sink for Album<'_> {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        let Self { scenery, setup, .. } = self;
        scenery.follow(&frame.world.model, &frame.world.state);
        let stage = || scenery.stage(&frame.world.model, &frame.world.state, frame.collider_times);
        if self.wants_still && self.still.is_none() {
            let moment = setup.picture.time.unwrap_or(setup.duration);
            // Half a step early is on time: steps need not fall on the moment.
            if frame.time() >= moment - 0.5 * setup.dt {
                self.still = Some(draw(&stage(), setup.picture.size));
            }
        }
        if let Some(movie) = &mut self.movie {
            movie.add(&draw(&stage(), movie_size(setup)))?;
        }
        Ok(())
    }

    /// Writes what was taken. A run that ended early shows its last frame.
    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        if self.wants_still {
            let LastFrame { model, state, collider_times, .. } = ending.last;
            let still = self.still.take().unwrap_or_else(|| {
                self.scenery.follow(model, state);
                draw(&self.scenery.stage(model, state, collider_times), self.setup.picture.size)
            });
            still.write_png(self.folder.join("picture.png.part"))?;
            std::fs::rename(self.folder.join("picture.png.part"), self.folder.join("picture.png"))?;
        }
        if let Some(movie) = self.movie.take() {
            movie.finish()?;
            let name = &self.movie_name;
            std::fs::rename(self.folder.join(format!("{name}.part")), self.folder.join(name))?;
        }
        Ok(())
    }
}

fn movie_size(setup: &Setup) -> [u32; 2] {
    let [width, height] = setup.picture.size.map(Real::from);
    let scale = (MOVIE_SIDE / width.max(height)).min(1.0);
    [width, height].map(|side| (side * scale).round().max(1.0) as u32)
}
