//! Pictures of cloth, drawn without window or graphics card.
//!
//! [`draw`] turns a [`Stage`] into a [`Picture`] in four phases, one file each:
//! bodies become triangles (`tessellation`), triangles become visible samples (`rasterizer`), two lights get
//! their shadow maps (`shadow`, `floor`), and every pixel is shaded from its samples (`shading`).
//! The same stage always gives the same bytes.

mod camera;
mod canvas;
mod floor;
mod gif;
mod palette;
mod png;
mod rasterizer;
mod shading;
mod shadow;
mod tessellation;

pub use camera::Camera;
pub use canvas::{Color, Picture, strip};
pub use gif::GifWriter;
pub use png::PictureError;

use camera::View;
use muslin::math::{Real, Vec3};
use muslin::mesh::Face;
use muslin::script::Frame;
use rasterizer::Visible;
use shading::{Lamps, Studio};
use tessellation::Geometry;

/// Everything a picture shows.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// Where the picture is taken from.
    pub camera: Camera,
    /// The direction away from the ground: opposite to gravity.
    pub up: Vec3,
    /// Height of the ground along `up` [m]; without ground nothing catches the shadows.
    pub ground: Option<Real>,
    /// What stands on the stage.
    pub bodies: Vec<Body<'a>>,
}

/// One thing to draw. What has no shape (coordinates that are not finite, indices out of range, no area)
/// is left out, the rest of the body is drawn.
#[derive(Clone, Copy, Debug)]
pub enum Body<'a> {
    /// Cloth: thin, two-sided, a little translucent.
    Surface {
        /// Vertex positions [m].
        positions: &'a [Vec3],
        /// Faces over the vertices.
        faces: &'a [Face],
        /// Colour of the front; the back is a little darker.
        color: Color,
    },
    /// A rope, drawn as a round tube along its links.
    Rope {
        /// Vertex positions [m].
        positions: &'a [Vec3],
        /// Pairs of vertices that are linked.
        links: &'a [[u32; 2]],
        /// Radius of the tube [m].
        radius: Real,
        /// Colour of the rope.
        color: Color,
    },
    /// A solid sphere.
    Ball {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: Real,
        /// Its colour.
        color: Color,
    },
    /// A solid rod with round ends.
    Capsule {
        /// The ends of its axis [m].
        ends: [Vec3; 2],
        /// Its radius [m].
        radius: Real,
        /// Its colour.
        color: Color,
    },
    /// A solid, or a shell of two sides; edges are sharp where triangles meet at more than 40°.
    Solid {
        /// Vertex positions before it was moved [m].
        positions: &'a [Vec3],
        /// Triangles over the vertices.
        triangles: &'a [[u32; 3]],
        /// Where it was moved.
        frame: Frame,
        /// Its colour.
        color: Color,
    },
}

/// Draws the stage, `size` being width and height in pixels (each at least 1).
pub fn draw(stage: &Stage, size: [u32; 2]) -> Picture {
    let size = size.map(|side| side.max(1));
    let view = View::new(&stage.camera, size);
    let geometry = Geometry::of(&stage.bodies);
    let visible = Visible::find(&geometry, &view, size);
    let lamps = Lamps::hang(stage, &geometry, &view);
    Studio::new(stage, &geometry, &view, &lamps).develop(&visible, size)
}

#[cfg(test)]
mod tests;
