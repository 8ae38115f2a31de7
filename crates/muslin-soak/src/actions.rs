//! What a caller does between steps: all that the library allows, as long as the result is clean.

use crate::judge::{Judge, surface_law};
use crate::random::Random;
use muslin::contact::ContactLaw;
use muslin::math::{Real, Vec3};
use muslin::script::Motion;
use muslin::world::World;

/// One thing that a caller does before a step; the seed says how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Action {
    /// Before which step, counted from 0.
    pub step: u32,
    /// What.
    pub kind: Kind,
    /// How.
    #[serde(with = "as_text")]
    pub seed: u64,
}

/// Whole numbers beyond those of TOML, as text.
mod as_text {
    use serde::Deserialize;

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub fn serialize<S: serde::Serializer>(seed: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&seed.to_string())
    }

    pub fn deserialize<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// What a caller can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Puts a body elsewhere, with another velocity.
    MoveBody,
    /// Puts one particle elsewhere, or all of them.
    MoveParticles,
    /// Changes the velocity of one particle, or of all.
    Kick,
    /// Changes the step.
    Dt,
    /// Changes the thickness of the cloth.
    Thickness,
    /// Changes friction and restitution.
    Friction,
    /// Changes masses.
    Masses,
    /// Sends a solid on another way from where it is.
    Motion,
    /// Asks for intersections.
    Intersections,
    /// Tells that the topology has changed, though it has not.
    Revision,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::MoveBody,
        Self::MoveParticles,
        Self::Kick,
        Self::Dt,
        Self::Thickness,
        Self::Friction,
        Self::Masses,
        Self::Motion,
        Self::Intersections,
        Self::Revision,
    ];
}

/// Trials of places that are not clean.
const TRIES: u32 = 6;

impl Action {
    /// Does it, if the result is clean; otherwise the world stays as it was.
    pub fn apply(&self, world: &mut World, judge: &Judge) {
        let mut random = Random::new(self.seed);
        let edge = mean_edge(world);
        match self.kind {
            Kind::MoveBody => move_body(world, judge, &mut random, edge),
            Kind::MoveParticles => move_particles(world, judge, &mut random, edge),
            Kind::Kick => kick(world, &mut random, edge),
            Kind::Dt => world.dt = (world.dt * random.log(0.1, 10.0)).clamp(1e-4, 0.1),
            Kind::Thickness | Kind::Friction => change_law(world, self.kind, &mut random, edge),
            Kind::Masses => {
                world.model.change(|data| {
                    for k in 0..data.len() {
                        let factor = random.log(0.1, 10.0);
                        data.masses[k] *= factor;
                        data.inverse_masses[k] /= factor;
                    }
                });
            }
            Kind::Motion => change_motion(world, judge, &mut random, edge),
            Kind::Intersections => drop(world.intersections()),
            Kind::Revision => {
                world.model.change(|_| {});
            }
        }
    }
}

fn is_clean(world: &World, judge: &Judge) -> bool {
    judge.judge(&world.model, &world.state, &world.collider_times()).is_none()
}

/// Mean length of the sides of faces and threads [m], or 1 if there are none.
fn mean_edge(world: &World) -> Real {
    let x = &world.state.positions;
    let sides = world.model.faces.iter().flat_map(|face| face.sides().collect::<Vec<_>>());
    let springs = world.model.elements.springs.iter().map(|spring| spring.ends);
    let lengths: Vec<Real> =
        sides.chain(springs).map(|[a, b]| x[a as usize].distance(x[b as usize])).collect();
    if lengths.is_empty() { 1.0 } else { lengths.iter().sum::<Real>() / lengths.len() as Real }
}

fn move_body(world: &mut World, judge: &Judge, random: &mut Random, edge: Real) {
    if world.state.bodies.is_empty() {
        return;
    }
    let k = random.whole(0, world.state.bodies.len() as u32 - 1) as usize;
    let before = world.state.bodies[k];
    for _ in 0..TRIES {
        let shift = random.direction() * (edge * random.log(0.003, 3.0));
        let turn = if random.chance(0.5) { random.direction() * random.log(1e-3, 3.0) } else { Vec3::ZERO };
        world.state.bodies[k].pose = before.pose.moved(shift, turn);
        if is_clean(world, judge) {
            let speed = (edge / world.dt * random.log(1e-3, 3.0)).min(300.0);
            let back = if random.chance(0.5) { shift.normalize_or_zero() } else { random.direction() };
            world.state.bodies[k].velocity = back * speed;
            return;
        }
    }
    world.state.bodies[k] = before;
}

fn move_particles(world: &mut World, judge: &Judge, random: &mut Random, edge: Real) {
    let free: Vec<usize> = (0..world.model.len()).filter(|&k| !world.model.is_held(k)).collect();
    if free.is_empty() {
        return;
    }
    let before = world.state.positions.clone();
    for _ in 0..TRIES {
        let shift = random.direction() * (edge * random.log(0.003, 1.0));
        if random.chance(0.5) {
            world.state.positions[random.pick(&free)] += shift;
        } else {
            for &k in &free {
                world.state.positions[k] += shift;
            }
        }
        if is_clean(world, judge) {
            return;
        }
        world.state.positions.copy_from_slice(&before);
    }
}

fn kick(world: &mut World, random: &mut Random, edge: Real) {
    let speed = edge / world.dt * random.log(0.01, 20.0);
    let push = random.direction() * speed;
    let one = random.chance(0.5).then(|| random.whole(0, world.model.len().max(1) as u32 - 1) as usize);
    for k in (0..world.model.len()).filter(|k| one.is_none_or(|one| one == *k)) {
        if !world.model.is_held(k) {
            world.state.velocities[k] += push;
        }
    }
}

fn change_law(world: &mut World, kind: Kind, random: &mut Random, edge: Real) {
    let Some(mut law) = surface_law(&world.model) else { return };
    if kind == Kind::Thickness {
        law.thickness = Some(law.thickness.unwrap_or(0.1 * edge) * random.log(0.1, 10.0));
    } else {
        law.friction = random.pick(&[0.0, 0.3, 1.0, 10.0]);
        law.restitution = random.pick(&[0.0, 0.5, 1.0]);
    }
    world.model.set_contact(ContactLaw::Surface(law));
}

/// From where the solid is, by its own clock, to somewhere else; earlier times find it where it is, too.
fn change_motion(world: &mut World, judge: &Judge, random: &mut Random, edge: Real) {
    if world.model.colliders.is_empty() {
        return;
    }
    let k = random.whole(0, world.model.colliders.len() as u32 - 1) as usize;
    let motion = &world.model.colliders[k].motion;
    let frame = motion.frame(world.collider_times()[k]);
    let before = motion.clone();
    let (now, span) = (world.state.time, world.dt * random.log(0.1, 20.0));
    let way = random.direction() * (edge * random.log(0.01, 10.0));
    let turn = frame.rotation.to_scaled_axis();
    world.model.set_collider_motion(
        k,
        Motion::Keyframes {
            times: vec![now, now + span],
            positions: vec![frame.translation, frame.translation + way],
            rotations: vec![turn, turn],
            center: frame.center,
        },
    );
    if !is_clean(world, judge) {
        world.model.set_collider_motion(k, before);
    }
}
