//! Contact: with solids, and of cloth with itself.
//!
//! Four laws are offered. `surface` lets whole surfaces touch, and guarantees that nothing ever passes through anything; see
//! [`Contacts`]. The others are about particles only, which are corrected when a step left them inside a solid; v is the
//! velocity seen from the solid, which may move itself.
//!
//! ```text
//! projection   x to the surface;  v·n reversed times the restitution;  Coulomb friction on the rest,
//!              and no way along the surface where friction stops the particle
//! reflection   v' = v − n (v·n) − k n (v·n),  x' = x + dt v'      (5.1), (5.2) of Carvalho 2012
//! ```
//!
//! `energy-sharing` is a published rule for bodies that hit a net, and kept for comparison.

mod apart;
mod bodies;
mod boxes;
pub mod broad_phase;
mod candidates;
pub mod ccd;
mod collider;
mod confines;
mod contacts;
pub mod distance;
mod encounters;
mod energy_sharing;
mod form;
mod guard;
pub mod intersection;
mod judge;
mod near;
mod obstacle;
mod response;
mod rounds;
mod solid;
mod surface;
mod tile_parts;
mod tiles;
mod unfolded;
mod untangle;

pub use broad_phase::BroadPhase;
pub use collider::{Collider, Core, Shape, ShapeMass, SurfaceReport, mass_properties};
pub use contacts::{AT_REST, ContactReport, Contacts};
pub use form::Touch;
pub use judge::Intersection;
pub use obstacle::{Obstacle, Placed};
pub use untangle::{Faults, Inside, Moved, Untangled};

use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;

/// What happens where a particle meets a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum ContactLaw {
    /// Moved to the surface; bounces and rubs.
    Projection {
        /// Part of the normal speed that a bounce keeps, 0 to 1.
        restitution: Real,
        /// Coulomb's coefficient μ.
        friction: Real,
    },
    /// Thrown back from where it is, as in the published drape over a sphere.
    Reflection {
        /// k of (5.1): part of the normal speed that is given back.
        restitution: Real,
        /// Also throws back particles that are on their way out already, as the equations say literally.
        as_printed: bool,
    },
    /// Bodies share their energy among the particles that they hit, as published: for comparison only.
    EnergySharing,
    /// Whole surfaces keep their distance, rub and bounce; nothing ever passes through anything.
    Surface(SurfaceContact),
}

/// Contact of surfaces.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct SurfaceContact {
    /// Distance that cloth keeps from cloth, and half of which it keeps from solids [m]; without one, a tenth of the mean
    /// edge.
    pub thickness: Option<Real>,
    /// Coulomb's coefficient μ.
    pub friction: Real,
    /// Part of the normal speed that a bounce keeps, 0 to 1.
    pub restitution: Real,
    /// Whether cloth touches itself.
    pub self_contact: bool,
    /// How pairs that could meet are found.
    pub broad_phase: BroadPhase,
    /// Time that a step of the world may take, all in all [s]; without one, as long as it takes. When it is spent, what is left of
    /// the step is left out, and the world is late: a violent pile goes on in slow motion. Needs a clock, see
    /// [`World::use_clock`](crate::world::World::use_clock); runs with a budget do not repeat.
    pub time_budget: Option<Real>,
}

impl Default for SurfaceContact {
    fn default() -> Self {
        Self {
            thickness: None,
            friction: 0.3,
            restitution: 0.0,
            self_contact: true,
            broad_phase: BroadPhase::default(),
            time_budget: None,
        }
    }
}

/// Every intersection of a model's surface with itself, with solids and with bodies, by their scripts, judged exactly.
pub fn intersections(model: &Model, state: &State) -> Vec<Intersection> {
    let mut solids = solid::Solids::new(model, state.time);
    solids.put_bodies(&state.bodies, state.time);
    solids.intersections(&surface::Surface::of(model, &solids.surfaces()), state)
}

/// Whose a part of a surface is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// Of any cloth.
    #[default]
    Cloth,
    /// Of the collider with this number.
    Collider(usize),
    /// Of the rigid body with this number.
    Body(usize),
}

impl Default for ContactLaw {
    fn default() -> Self {
        Self::Projection { restitution: 0.0, friction: 0.3 }
    }
}

/// Rounds over all solids at the most: where two of them meet, one pushes particles into the other.
const ROUNDS: u32 = 8;

/// Corrects every free particle that lies inside a solid at `time` [s], the end of a step of `dt` [s], by the laws for
/// particles; `start` holds the positions before it.
pub fn resolve(model: &Model, start: &[Vec3], state: &mut State, time: Real, dt: Real) {
    let obstacles = model.obstacles();
    let solids = obstacles.iter().map(|obstacle| obstacle.during(time - dt, time));
    match model.contact {
        ContactLaw::Projection { restitution, friction } => {
            let one_round = obstacles.len() == 1 && obstacles[0].is_simple();
            for _ in 0..ROUNDS {
                let moved = for_each_inside(model, &solids, start, state, |solid, particle, x, v| {
                    project(solid, start[particle], x, v, restitution, friction)
                });
                if !moved || one_round {
                    break;
                }
            }
        }
        ContactLaw::Reflection { restitution, as_printed } => {
            for_each_inside(model, &solids, start, state, |solid, particle, x, v| {
                let entry = solid.entry(start[particle], *x);
                let n = entry.map_or_else(|| solid.closest(*x).normal, |[_, normal]| normal);
                let approach = (*v - solid.velocity(*x)).dot(n);
                if approach < 0.0 || as_printed {
                    *v -= n * ((1.0 + restitution) * approach);
                    *x += *v * dt;
                }
                true
            });
        }
        ContactLaw::EnergySharing => energy_sharing::strike(model, start, state, dt),
        ContactLaw::Surface(_) => {}
    }
}

/// Visits every free particle inside a solid with its position and velocity; whether any visit moved one.
fn for_each_inside<'a>(
    model: &Model,
    solids: &(impl Iterator<Item = Placed<'a>> + Clone),
    start: &[Vec3],
    state: &mut State,
    mut visit: impl FnMut(&Placed, usize, &mut Vec3, &mut Vec3) -> bool,
) -> bool {
    let mut moved = false;
    for solid in solids.clone() {
        for particle in 0..state.positions.len() {
            if solid.meets(start[particle], state.positions[particle]) && !model.is_held(particle) {
                moved |=
                    visit(&solid, particle, &mut state.positions[particle], &mut state.velocities[particle]);
            }
        }
    }
    moved
}

/// Depths up to this are rounding, not penetration [m].
const ROUNDING: Real = 1e-12;

/// Moves a particle to the surface; it bounces and rubs, or sticks. Whether it was inside by more than rounding.
fn project(
    solid: &Placed,
    start: Vec3,
    x: &mut Vec3,
    v: &mut Vec3,
    restitution: Real,
    friction: Real,
) -> bool {
    let touch = solid.way_out(start, *x);
    if touch.distance >= -ROUNDING {
        return false;
    }
    let n = touch.normal;
    *x -= n * touch.distance;
    let wall = solid.velocity(*x);
    let seen = *v - wall;
    if sticks(seen, n, restitution, friction) {
        // Stopping the velocity alone would leave the way of this step: a creep of g h/2.
        let way = *x - solid.carried(start);
        *x -= way - n * way.dot(n);
    }
    *v = onto(wall, bounce(seen, n, restitution, friction));
    true
}

/// A velocity seen from a wall as it is [m/s]; to the bit the same if the wall stands.
pub(crate) fn onto(wall: Vec3, seen: Vec3) -> Vec3 {
    if wall == Vec3::ZERO { seen } else { wall + seen }
}

/// Whether an impact leaves no velocity along the surface: friction can take more than there is.
pub(crate) fn sticks(v: Vec3, n: Vec3, restitution: Real, friction: Real) -> bool {
    let approach = v.dot(n);
    approach < 0.0 && (v - n * approach).length() <= -friction * (1.0 + restitution) * approach
}

/// The velocity after an impact on a surface with normal `n`: an impulse along n, and friction of at most μ times it.
pub(crate) fn bounce(v: Vec3, n: Vec3, restitution: Real, friction: Real) -> Vec3 {
    let approach = v.dot(n);
    if approach >= 0.0 {
        return v;
    }
    let tangential = v - n * approach;
    let impulse = -(1.0 + restitution) * approach;
    let slip = tangential.length();
    let kept = if slip > 0.0 { (1.0 - friction * impulse / slip).max(0.0) } else { 0.0 };
    tangential * kept - n * (restitution * approach)
}

/// How deep the deepest particle lies inside a solid [m]; 0 if none does. Each collider stands where its script takes it at its
/// own time [s]: see [`World::collider_times`](crate::world::World::collider_times).
pub fn max_penetration(model: &Model, state: &State, collider_times: &[Real]) -> Real {
    let mut deepest = 0.0;
    for (obstacle, time) in model.obstacles().iter().zip(collider_times) {
        let solid = obstacle.at(*time);
        deepest = state.positions.iter().map(|&x| solid.depth(x)).fold(deepest, Real::max);
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ball that sinks into the floor: what it pushes down, the floor pushes up, until neither holds the particle.
    #[test]
    fn a_particle_between_two_solids_ends_outside_both() {
        let ball = Shape::Sphere { center: Vec3::Z * 0.1, radius: 0.2 };
        let floor = Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z };
        let mut model = Model { masses: vec![1.0], inverse_masses: vec![1.0], ..Model::default() };
        model.colliders = vec![floor.into(), ball.into()];
        let start = vec![Vec3::new(0.12, 0.0, 0.3)];
        let mut state =
            State { velocities: vec![Vec3::Z * -10.0], ..State::at_rest(vec![Vec3::new(0.12, 0.0, -0.02)]) };
        resolve(&model, &start, &mut state, 0.03, 0.03);
        assert!(max_penetration(&model, &state, &[0.0, 0.0]) < 1e-3, "{}", state.positions[0]);
    }

    #[test]
    fn a_bounce_keeps_what_restitution_says() {
        let v = bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.5, 0.0);
        assert_eq!(v, Vec3::new(3.0, 0.0, 1.0));
        assert_eq!(bounce(v, Vec3::Z, 0.5, 0.0), v, "on its way out already");
    }

    #[test]
    fn friction_slows_by_mu_times_the_impulse_and_then_stops() {
        let v = bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.0, 0.25);
        assert!((v - Vec3::new(2.5, 0.0, 0.0)).length() < 1e-15);
        assert_eq!(bounce(Vec3::new(3.0, 0.0, -2.0), Vec3::Z, 0.0, 2.0), Vec3::ZERO);
    }
}
