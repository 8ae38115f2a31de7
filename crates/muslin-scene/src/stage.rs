//! How a scene is shown.

use crate::compile::Setup;
use muslin::contact::Collider;
use muslin::elements::SpringFamily;
use muslin::math::{Real, Vec3};
use muslin::mesh::bounds;
use muslin::model::Model;
use muslin_io::picture::{Body, Camera, Color, Stage};

/// What of a scene does not change from picture to picture: the camera, the ground, and which springs are ropes.
#[derive(Clone, Debug)]
pub struct Scenery {
    camera: Camera,
    up: Vec3,
    ground: Option<Real>,
    color: Color,
    links: Vec<[u32; 2]>,
    rope_radius: Real,
}

const BALL: Color = Color::new(226, 220, 208);

impl Setup {
    /// Chooses the camera and the ground for pictures of this scene.
    pub fn scenery(&self) -> Scenery {
        let up = (-self.model.forces.gravity).try_normalize().unwrap_or(Vec3::Z);
        let [low, high] = self.extent();
        let size = (high - low).length();
        let mut camera = Camera::framing([low, high], up);
        camera.field_of_view = self.picture.field_of_view;
        camera.eye = self.picture.eye.unwrap_or(camera.eye);
        camera.target = self.picture.target.unwrap_or(camera.target);
        // Cloth at first falls by about its own size.
        let ground = self.picture.ground.unwrap_or(low.dot(up) - 0.05 * size);
        let links = lone_links(&self.model);
        let [red, green, blue] = self.picture.color.map(|part| (255.0 * part.clamp(0.0, 1.0)) as u8);
        Scenery {
            camera,
            up,
            ground: Some(ground),
            color: Color::new(red, green, blue),
            links,
            rope_radius: 0.008 * size,
        }
    }

    /// A box around the start, with room to fall.
    fn extent(&self) -> [Vec3; 2] {
        let [mut low, mut high] = bounds(&self.state.positions);
        for collider in &self.model.colliders {
            if let Collider::Sphere { center, radius } = *collider {
                low = low.min(center - Vec3::splat(radius));
                high = high.max(center + Vec3::splat(radius));
            }
        }
        // What lies flat swings or falls by about its own width; what hangs already stays.
        let down = self.model.forces.gravity.normalize_or_zero();
        let height = (high - low).dot(down.abs());
        let width = (high - low - down.abs() * height).length();
        let fall = down * (0.7 * width - height).max(0.0);
        [low.min(low + fall), high.max(high + fall)]
    }
}

/// Structural springs, and rods, whose ends no face joins: ropes and nets.
fn lone_links(model: &Model) -> Vec<[u32; 2]> {
    let mut woven = vec![false; model.len()];
    for &corner in model.faces.iter().flat_map(muslin::mesh::Face::corners) {
        woven[corner as usize] = true;
    }
    let springs = model.elements.springs.iter().filter(|spring| spring.family == SpringFamily::Structural);
    let rods = model.elements.rods.iter().map(|rod| rod.ends);
    springs
        .map(|spring| spring.ends)
        .chain(rods)
        .filter(|ends| ends.iter().any(|&end| !woven[end as usize]))
        .collect()
}

impl Scenery {
    /// The stage with the cloth at these positions.
    pub fn stage<'a>(&'a self, model: &'a Model, positions: &'a [Vec3]) -> Stage<'a> {
        let mut bodies = Vec::new();
        if !model.faces.is_empty() {
            bodies.push(Body::Surface { positions, faces: &model.faces, color: self.color });
        }
        if !self.links.is_empty() {
            bodies.push(Body::Rope {
                positions,
                links: &self.links,
                radius: self.rope_radius,
                color: self.color,
            });
        }
        for collider in &model.colliders {
            if let Collider::Sphere { center, radius } = *collider {
                // A hair smaller than it is, so that cloth lying on it is drawn above it.
                bodies.push(Body::Ball { center, radius: 0.985 * radius, color: BALL });
            }
        }
        Stage { camera: self.camera, up: self.up, ground: self.ground, bodies }
    }
}
