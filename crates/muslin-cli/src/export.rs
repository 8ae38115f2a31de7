//! The animated meshes that a run exports.

use crate::Failure;
use anyhow::Context;
use muslin::model::Model;
use muslin_io::animation::{AnimationFormat, AnimationWriter, Topology};
use muslin_scene::{Ending, Frame, Sink};
use std::path::Path;

/// Writes every frame in each of some formats, as soon as it is there.
pub struct Export {
    writers: Vec<(AnimationFormat, AnimationWriter)>,
}

impl Export {
    /// Begins in a folder, or goes on after so many frames.
    pub fn open(
        folder: &Path,
        formats: &[AnimationFormat],
        model: &Model,
        frames: usize,
    ) -> Result<Self, Failure> {
        let topology = Topology::of(model);
        let open = |&format: &AnimationFormat| {
            let writer = AnimationWriter::resume(folder, format, &topology, frames);
            writer
                .map(|writer| (format, writer))
                .map_err(|error| Failure::Run(format!("--export {format}: {error}")))
        };
        Ok(Self { writers: formats.iter().map(open).collect::<Result<_, _>>()? })
    }
}

impl Sink for Export {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        for (format, writer) in &mut self.writers {
            let result = writer.frame(frame.time(), &frame.world.state.positions);
            result.with_context(|| format!("--export {format}"))?;
        }
        Ok(())
    }

    /// Leaves whole files, and what is needed to go on with them: this is removed with the point to resume from.
    fn finish(&mut self, _ending: &Ending) -> anyhow::Result<()> {
        for (format, writer) in self.writers.drain(..) {
            writer.pause().with_context(|| format!("--export {format}"))?;
        }
        Ok(())
    }
}
