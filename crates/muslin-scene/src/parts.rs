//! The bodies of a scene, and which particles each became.

use crate::compile::{Files, read_surface};
use crate::scene::Scene;
use muslin::builder::{BuildError, Builder};
use muslin::model::PartId;
use std::ops::Range;

/// A body of a scene and its particles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its place in the scene file, like `sheet[0]`.
    pub name: String,
    /// The numbers of its particles.
    pub particles: Range<usize>,
}

/// Adds up the bodies of a scene.
#[derive(Default)]
pub(crate) struct Parts {
    pub builder: Builder,
    pub parts: Vec<Part>,
}

impl Parts {
    /// All bodies of a scene, in the order in which their particles are numbered.
    pub fn of(scene: &Scene, files: &Files, warnings: &mut Vec<String>) -> Result<Self, BuildError> {
        let mut all = Self::default();
        all.add("sheet", &scene.sheet, Builder::add_sheet)?;
        all.add("surface", &scene.surface, |builder, file| {
            builder.add_surface(&read_surface(file, files, warnings)?)
        })?;
        all.add("rope", &scene.rope, Builder::add_rope)?;
        all.add("net", &scene.net, Builder::add_net)?;
        all.add("ball", &scene.ball, Builder::add_ball)?;
        all.add("pillow", &scene.pillow, Builder::add_pillow)?;
        all.add("block", &scene.block, Builder::add_block)?;
        all.add("solid", &scene.solid, Builder::add_solid)?;
        Ok(all)
    }

    fn add<T>(
        &mut self,
        kind: &str,
        bodies: &[T],
        mut add: impl FnMut(&mut Builder, &T) -> Result<PartId, BuildError>,
    ) -> Result<(), BuildError> {
        for (k, body) in bodies.iter().enumerate() {
            let (name, first) = (format!("{kind}[{k}]"), self.builder.len());
            add(&mut self.builder, body).map_err(|error| error.under(&name))?;
            // With the held ends of its attachments, which are no part of the body itself.
            self.parts.push(Part { name, particles: first..self.builder.len() });
        }
        Ok(())
    }
}
