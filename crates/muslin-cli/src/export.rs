//! The animated meshes that a run exports.

use crate::Failure;
use anyhow::Context;
use muslin::model::Model;
use muslin_io::animation::{AnimationFormat, AnimationWriter, Topology};
use muslin_scene::{Ending, Frame, LastFrame, Setup, Sink};
use std::path::{Path, PathBuf};

/// Writes every frame in each of some formats, as soon as it is there.
pub struct Export {
    writers: Vec<(AnimationFormat, AnimationWriter)>,
    /// The revision of the surface that they write.
    surface: u32,
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
            writer.map(|writer| (format, writer)).map_err(|error| {
                let message = format!("--export {format}: {error}");
                if frames == 0 { Failure::Run(message) } else { Failure::Input(message) }
            })
        };
        let writers = formats.iter().map(open).collect::<Result<_, _>>()?;
        Ok(Self { writers, surface: model.revisions().surface })
    }
}

/// Refuses a run that has more frames than a format can hold.
pub fn check(setup: &Setup, formats: &[AnimationFormat]) -> Result<(), Failure> {
    let topology = Topology::of(&setup.model);
    let frames = 1 + setup.schedule().marks().len();
    for &format in formats {
        if format != AnimationFormat::Obj && setup.model.may_change_topology() {
            return Err(Failure::Input(format!(
                "--export {format}: this cloth can tear or be cut, and the format holds one topology only; take `obj`"
            )));
        }
        if let Some(most) = AnimationWriter::most_frames(format, &topology).filter(|&most| frames > most) {
            return Err(Failure::Input(format!(
                "--export {format}: of the {frames} frames of this run only {most} would fit into the file; \
                take another format, or a lower `frame_rate`"
            )));
        }
    }
    Ok(())
}

impl Sink for Export {
    /// If one fails, the others get the frame all the same.
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        let model = &frame.world.model;
        let surface = model.revisions().surface;
        let topology = (surface != self.surface).then(|| Topology::of(model));
        let mut all = Ok(());
        for (format, writer) in &mut self.writers {
            let changed = topology.as_ref().map_or(Ok(()), |topology| writer.change_topology(topology));
            let result = changed.and_then(|()| writer.frame(frame.time(), &frame.world.state.positions));
            all = all.and(result.with_context(|| format!("--export {format}")));
        }
        self.surface = surface;
        all
    }

    /// Leaves whole files, and what is needed to go on with them: this is removed with the point to resume from.
    fn finish(&mut self, ending: &Ending) -> anyhow::Result<()> {
        let mut all = Ok(());
        for (format, mut writer) in self.writers.drain(..) {
            // A frame that could not be written is tried once more.
            let LastFrame { number, state, .. } = ending.last;
            let last =
                if writer.frames() == *number { writer.frame(state.time, &state.positions) } else { Ok(()) };
            let result = writer.pause().and(last.map(|()| PathBuf::new()));
            all = all.and(result.map(drop).with_context(|| format!("--export {format}")));
        }
        all
    }
}
