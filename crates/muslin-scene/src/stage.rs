//! How a scene is shown.

use crate::setup::Setup;
use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, bounds};
use muslin::model::Model;
use muslin::script::{Frame, Motion};
use muslin::shape::{Collider, Core};
use muslin::state::State;
use muslin_io::picture::{Body, Camera, Color, Stage};

/// What of a scene does not change from picture to picture: the camera, the ground, and which springs are ropes.
#[derive(Clone, Debug)]
pub struct Scenery {
    camera: Camera,
    up: Vec3,
    ground: Option<Real>,
    color: Color,
    /// Faces that are awake and faces that sleep, if any do.
    faces: Option<[Vec<Face>; 2]>,
    links: Vec<[u32; 2]>,
    rope_radius: Real,
    /// One a collider, then one a rigid body.
    solids: Vec<Look>,
}

/// How a solid is drawn, at time 0.
#[derive(Clone, Debug)]
enum Look {
    Round {
        ends: [Vec3; 2],
        radius: Real,
    },
    Faces {
        positions: Vec<Vec3>,
        triangles: Vec<[u32; 3]>,
    },
    /// A floor at rest, for which the ground stands.
    Ground,
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
        let links = self.model.lone_links();
        let middle = 0.5 * (low + high);
        let solids = self.model.colliders.iter().cloned().chain(bodies_as_solids(&self.model));
        let solids = solids.map(|collider| look(&collider, up, middle, size)).collect();
        let [red, green, blue] = self.picture.color.map(|part| (255.0 * part.clamp(0.0, 1.0)) as u8);
        Scenery {
            camera,
            up,
            ground: Some(ground),
            color: Color::new(red, green, blue),
            faces: None,
            links,
            rope_radius: 0.008 * size,
            solids,
        }
    }

    /// A box around the start, with room to fall.
    fn extent(&self) -> [Vec3; 2] {
        let [mut low, mut high] = bounds(&self.state.positions);
        for collider in self.model.colliders.iter().cloned().chain(bodies_as_solids(&self.model)) {
            let frame = collider.motion.frame(0.0);
            let (points, radius) = match collider.core() {
                Core::HalfSpace { .. } => continue,
                Core::Round { ends, radius } => (ends.to_vec(), radius),
                Core::Faces { positions, .. } => (positions, 0.0),
            };
            for point in points.into_iter().map(|point| frame.place(point)) {
                low = low.min(point - Vec3::splat(radius));
                high = high.max(point + Vec3::splat(radius));
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

/// The rigid bodies where they start.
fn bodies_as_solids(model: &Model) -> impl Iterator<Item = Collider> + '_ {
    model.bodies.iter().map(|body| body.shape.clone().into())
}

/// How to draw a collider in a scene of this middle and size.
fn look(collider: &Collider, up: Vec3, middle: Vec3, size: Real) -> Look {
    match collider.core() {
        Core::HalfSpace { normal, .. } if collider.motion == Motion::Still && normal.dot(up) > 1.0 - 1e-9 => {
            Look::Ground
        }
        Core::HalfSpace { point, normal } => {
            // Of all the plane, a square that goes beyond the scene.
            let foot = middle - normal * (middle - point).dot(normal) - normal * (INSET * size);
            let (x, y) = normal.any_orthonormal_pair();
            let positions = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
                .map(|[a, b]| foot + (x * a + y * b) * size);
            Look::Faces { positions: positions.to_vec(), triangles: vec![[0, 1, 2], [0, 2, 3]] }
        }
        Core::Round { ends, radius } => Look::Round { ends, radius },
        Core::Faces { mut positions, triangles } => {
            shrink(&mut positions, &triangles, INSET * size);
            Look::Faces { positions, triangles }
        }
    }
}

/// How far solids of triangles are drawn inside their surface, as a part of the scene's size: cloth lies on a solid with its
/// vertices only, and would not hide it between them.
const INSET: Real = 0.002;

/// Moves every vertex inward, against the mean of the normals around it.
fn shrink(positions: &mut [Vec3], triangles: &[[u32; 3]], way: Real) {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
        for &corner in triangle {
            normals[corner as usize] += (b - a).cross(c - a);
        }
    }
    for (position, normal) in positions.iter_mut().zip(normals) {
        *position -= normal.normalize_or_zero() * way;
    }
}

/// The colour of cloth that sleeps: two thirds of the way to white linen.
fn pale(Color { red, green, blue }: Color) -> Color {
    let [red, green, blue] = [(red, 226), (green, 220), (blue, 208)]
        .map(|(own, linen): (u8, u16)| ((u16::from(own) + 2 * linen) / 3) as u8);
    Color::new(red, green, blue)
}

impl Scenery {
    /// Follows cloth that tears, or sleeps.
    pub fn follow(&mut self, model: &Model, state: &State) {
        if model.may_change_topology() {
            self.links = model.lone_links();
        }
        self.faces = state.sleep.is_any_asleep().then(|| {
            let sleeps = |face: &Face| face.corners().iter().all(|&p| state.sleep.is_asleep(p as usize));
            let (asleep, awake) = model.faces.iter().partition(|&face| sleeps(face));
            [awake, asleep]
        });
    }

    /// The stage with the cloth and the bodies where they are in this state, and each collider where its script takes it at its
    /// own time [s]: see [`World::collider_times`](muslin::world::World::collider_times).
    pub fn stage<'a>(&'a self, model: &'a Model, state: &'a State, collider_times: &[Real]) -> Stage<'a> {
        let positions = &state.positions;
        let mut bodies = Vec::new();
        let surfaces = match &self.faces {
            Some([awake, asleep]) => vec![(awake, self.color), (asleep, pale(self.color))],
            None => vec![(&model.faces, self.color)],
        };
        for (faces, color) in surfaces.into_iter().filter(|(faces, _)| !faces.is_empty()) {
            bodies.push(Body::Surface { positions, faces, color });
        }
        if !self.links.is_empty() {
            bodies.push(Body::Rope {
                positions,
                links: &self.links,
                radius: self.rope_radius,
                color: self.color,
            });
        }
        let solids =
            model.colliders.iter().zip(collider_times).map(|(collider, time)| match collider.motion {
                Motion::Still => None,
                ref motion => Some(motion.frame(*time)),
            });
        let rigid = model.bodies.iter().zip(&state.bodies).map(|(body, state)| Some(state.frame(body)));
        for (frame, look) in solids.chain(rigid).zip(&self.solids) {
            match *look {
                Look::Round { ends, radius } => {
                    let ends = frame.map_or(ends, |frame| ends.map(|end| frame.place(end)));
                    // A hair smaller than it is, so that cloth lying on it is drawn above it.
                    let radius = 0.985 * radius;
                    bodies.push(if ends[0] == ends[1] {
                        Body::Ball { center: ends[0], radius, color: BALL }
                    } else {
                        Body::Capsule { ends, radius, color: BALL }
                    });
                }
                Look::Faces { ref positions, ref triangles } => {
                    let frame = frame.unwrap_or(Frame::REST);
                    bodies.push(Body::Solid { positions, triangles, frame, color: BALL });
                }
                Look::Ground => {}
            }
        }
        Stage { camera: self.camera, up: self.up, ground: self.ground, bodies }
    }
}
