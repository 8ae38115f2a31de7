//! Solids and bodies as the judge sees them: what they are at the start, and where they are at a moment.

use muslin::math::{Real, Vec3};
use muslin::model::Model;
use muslin::script::Motion;
use muslin::shape::{Collider, Core, Shape};
use muslin::state::State;

/// A solid at the start.
#[derive(Clone, Debug)]
pub struct Solid {
    owner: Owner,
    form: Form,
    kind: String,
    name: String,
}

/// A scripted solid or a rigid body, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// One of `model.colliders`.
    Collider(usize),
    /// One of `model.bodies`.
    Body(usize),
}

/// The form of a solid.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// All the space below a plane.
    HalfSpace {
        /// A point of it [m].
        point: Vec3,
        /// Unit vector out of it.
        normal: Vec3,
    },
    /// All that is near to a segment.
    Round {
        /// The ends of the segment [m].
        ends: [Vec3; 2],
        /// How near [m].
        radius: Real,
    },
    /// A surface; of a height field, the ground.
    Faces {
        /// Vertices [m].
        positions: Vec<Vec3>,
        /// Triangles.
        triangles: Vec<[u32; 3]>,
        /// Whether it has an inside.
        is_closed: bool,
    },
}

/// A solid where it is.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Its form there.
    pub form: Form,
    /// Layer around it that counts as solid [m].
    pub layer: Real,
    /// What it is, for a kind of findings.
    pub kind: String,
    /// Which one it is.
    pub name: String,
}

/// All solids of a model: the scripted ones, then the bodies.
pub fn solids_of(model: &Model) -> Vec<Solid> {
    let scripted = model.colliders.iter().enumerate().map(|(k, collider)| Solid {
        owner: Owner::Collider(k),
        form: form(collider),
        kind: collider.shape.name().to_owned(),
        name: format!("collider[{k}]"),
    });
    let bodies = model.bodies.iter().enumerate().map(|(k, body)| Solid {
        owner: Owner::Body(k),
        form: match form(&body.shape.clone().into()) {
            Form::Round { ends, radius } => Form::Round { ends: ends.map(|x| x - body.center), radius },
            Form::Faces { mut positions, triangles, is_closed } => {
                for x in &mut positions {
                    *x -= body.center;
                }
                Form::Faces { positions, triangles, is_closed }
            }
            plane @ Form::HalfSpace { .. } => plane,
        },
        kind: format!("body {}", body.shape.name()),
        name: format!("body[{k}]"),
    });
    scripted.chain(bodies).collect()
}

fn form(collider: &Collider) -> Form {
    let is_closed = match &collider.shape {
        Shape::HeightField { .. } => false,
        shape => shape.surface_report().is_none_or(|report| report.is_closed()),
    };
    match collider.core() {
        Core::HalfSpace { point, normal } => Form::HalfSpace { point, normal },
        Core::Round { ends, radius } => Form::Round { ends, radius },
        Core::Faces { positions, triangles } => Form::Faces { positions, triangles, is_closed },
    }
}

impl Form {
    /// With every point moved.
    fn map(&self, place: impl Fn(Vec3) -> Vec3) -> Self {
        match self {
            // A plane may turn about its normal only.
            &Self::HalfSpace { point, normal } => Self::HalfSpace { point: place(point), normal },
            &Self::Round { ends, radius } => Self::Round { ends: ends.map(place), radius },
            Self::Faces { positions, triangles, is_closed } => Self::Faces {
                positions: positions.iter().map(|&x| place(x)).collect(),
                triangles: triangles.clone(),
                is_closed: *is_closed,
            },
        }
    }
}

impl Solid {
    /// Where it is: a scripted one where its script says for its own clock [s], a body at its pose.
    pub fn place(&self, model: &Model, state: &State, clocks: &[Real]) -> Placed {
        let (form, layer) = match self.owner {
            Owner::Collider(k) => {
                let Collider { motion, thickness, .. } = &model.colliders[k];
                (self.form.map(|x| motion.at(clocks[k], x).0), *thickness)
            }
            Owner::Body(k) => {
                let pose = state.bodies[k].pose;
                (self.form.map(|x| pose.place(x)), model.bodies[k].thickness)
            }
        };
        Placed { form, layer, kind: self.kind.clone(), name: self.name.clone() }
    }

    /// Whether all its points went straight and evenly between two moments.
    pub fn went_straight(&self, model: &Model, states: [&State; 2], clocks: [&[Real]; 2]) -> bool {
        match self.owner {
            Owner::Collider(k) => match model.colliders[k].motion {
                Motion::Still => true,
                _ if clocks[0][k] == clocks[1][k] => true,
                Motion::Translate { from, until, .. } => {
                    clocks.iter().all(|clocks| (from..=until).contains(&clocks[k]))
                }
                _ => false,
            },
            Owner::Body(k) => {
                let is_ball =
                    matches!(&self.form, Form::Round { ends: [a, b], .. } if a == b && *a == Vec3::ZERO);
                let [before, after] = states.map(|state| state.bodies[k].pose.rotation);
                is_ball || before == after
            }
        }
    }
}
