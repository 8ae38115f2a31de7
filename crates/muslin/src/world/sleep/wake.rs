//! What wakes sleepers, besides cloth that moves beside them.
//!
//! ```text
//! all          gravity, wind, law of contact, solids that come or go, edits, methods, pressures, stiffnesses; an edit that is due
//! the patch    with the patches beside it: a pin that moves or waits, a load that changes, a command that names a particle, a
//!              particle that someone else moved; a solid that moves in reach, a rigid body in reach
//! ```

use super::Sleeping;
use super::patches::{Patches, divide, is_near};
use crate::body::{BodyState, RigidBody};
use crate::math::{Real, Vec3};
use crate::model::{Model, Revisions};
use crate::script::Frame;
use crate::shape::{Collider, Obstacle};
use crate::sleep_memory::{PatchRest, Phase, Seen, SleepMemory};
use crate::state::State;
use crate::world::World;

/// How much farther than they are bound to get bodies wake what sleeps [ways in a step].
const AHEAD: Real = 2.0;

impl World {
    /// Takes over what was changed since the last step, but for what changes with time.
    pub(crate) fn notice_changes(&mut self) {
        let is_new = self.state.sleep.patch_of.len() != self.model.len();
        if is_new {
            self.begin_sleep();
        }
        let is_any_asleep = self.state.sleep.is_any_asleep();
        let is_unknown = is_any_asleep && self.sleep.left[0].len() != self.model.len();
        if is_new || is_unknown || self.sleep.patch_of != self.state.sleep.patch_of {
            self.find_patches();
        }
        let now = seen(&self.model, 0.0);
        let seen = std::mem::take(&mut self.state.sleep.seen);
        if seen.revisions.solids != now.revisions.solids
            || self.sleep.body_radii.len() != self.model.bodies.len()
        {
            self.sleep.body_radii = body_radii(&self.model);
        }
        self.state.sleep.seen =
            Seen { revisions: now.revisions, gravity: now.gravity, air: seen.air, loads: seen.loads };
        let is_other = Revisions { motions: now.revisions.motions, ..seen.revisions } != now.revisions;
        if is_other && !is_new {
            self.find_patches(); // which share elements may be others
        }
        if now.gravity != seen.gravity && [now.gravity, seen.gravity].contains(&Vec3::ZERO) {
            self.begin_sleep(); // by other patches
            self.find_patches();
        }
        if !self.state.sleep.is_any_asleep() {
            return;
        }
        if seen.revisions.matrices != now.revisions.matrices {
            self.state.history.clear();
        }
        if is_other || seen.gravity != now.gravity {
            self.wake_all();
        }
        if seen.revisions != now.revisions {
            self.sleep.part = None;
        }
        let moved = self.sleep.moved(&self.state.positions, &self.state.velocities);
        if !moved.is_empty() {
            self.sleep.part = None;
            let patch_of = &self.state.sleep.patch_of;
            for &p in &moved {
                self.sleep.patches.extend_box(patch_of[p] as usize, self.state.positions[p]);
            }
            self.wake_particles(moved.into_iter());
        }
    }

    /// The patches as the state has them.
    pub(crate) fn find_patches(&mut self) {
        let State { sleep: SleepMemory { patch_of, .. }, positions, velocities, .. } = &self.state;
        self.sleep = Sleeping {
            patches: Patches::of(&self.model, patch_of, positions),
            patch_of: patch_of.clone(),
            part: None,
            left: [positions.clone(), velocities.clone()],
            body_radii: body_radii(&self.model),
        };
    }

    /// Divides the cloth into patches, all awake.
    fn begin_sleep(&mut self) {
        let patch_of = divide(&self.model);
        let count = patch_of.iter().max().map_or(0, |&last| last as usize + 1);
        self.state.sleep.end(&mut self.state.contact.contacts);
        self.state.sleep = SleepMemory {
            patches: vec![PatchRest::default(); count],
            anchors: self.state.positions.clone(),
            seen: seen(&self.model, self.state.time),
            patch_of,
            ..SleepMemory::default()
        };
    }

    /// Wakes what sleeps where something will move or change in a step of some duration [s].
    pub(super) fn wake_for_step(&mut self, duration: Real) {
        let end = self.state.time + duration;
        let Seen { air, loads, .. } = seen(&self.model, end);
        let before = &mut self.state.sleep.seen;
        let (air_before, loads_before) =
            (std::mem::replace(&mut before.air, air), std::mem::replace(&mut before.loads, loads.clone()));
        if !self.state.sleep.is_any_asleep() {
            return;
        }
        let has_edit = self.model.is_edited(self.state.time, end);
        if air != air_before || loads.len() != loads_before.len() || has_edit {
            return self.wake_all();
        }
        let mut particles = self.pins_that_move(end);
        for (k, load) in self.model.forces.loads.iter().enumerate() {
            if loads[k] != loads_before[k] {
                particles.extend(load.particles.iter().map(|&p| p as usize));
            }
        }
        self.wake_particles(particles.into_iter());
        let near_solids = self.patches_near_solids(end, duration);
        self.wake_around(&near_solids);
    }

    /// Sleeping pins that a script moves until `end` [s], or that lag behind theirs.
    fn pins_that_move(&self, end: Real) -> Vec<usize> {
        let State { positions, sleep, pin_clocks, .. } = &self.state;
        let mut particles = Vec::new();
        for (k, group) in self.model.script.moves.iter().enumerate() {
            let is_late = pin_clocks.is_late(k);
            for (&p, &start) in group.particles.iter().zip(&group.start) {
                let p = p as usize;
                let moves = || group.motion.at(end, start) != (positions[p], Vec3::ZERO);
                if sleep.is_asleep(p) && (is_late || moves()) {
                    particles.push(p);
                }
            }
        }
        particles
    }

    /// Sleeping patches where a solid moves until `end` [s], or that a rigid body could reach.
    fn patches_near_solids(&self, end: Real, duration: Real) -> Vec<usize> {
        let memory = &self.state.sleep;
        let thickness = self.surface_contact().map_or(0.0, |_| self.contacts.lengths()[0]);
        let boxes = &self.sleep.patches.boxes;
        let mut near = vec![false; boxes.len()];
        let times = self.collider_times();
        let solids = self.model.obstacles().iter().zip(&self.model.colliders).zip(times);
        for ((obstacle, collider), time) in solids {
            let frames = [time, end].map(|time| collider.motion.frame(time));
            if is_at_rest(&frames) {
                continue;
            }
            let (before, after) = (obstacle.at(time), obstacle.during(time, end));
            for (k, [low, high]) in boxes.iter().enumerate() {
                let center = (*low + *high) * 0.5;
                let way = after.carried(center).distance(center);
                let reach = 0.5 * (*high - *low).length() + AHEAD * way + 2.0 * thickness;
                near[k] |= before.closest(center).distance.min(after.closest(center).distance) < reach;
            }
        }
        let fall = self.model.forces.gravity.length() * duration * duration;
        let around = self.boxes_of_bodies(&self.state.bodies, 2.0 * thickness);
        for (body, around) in self.state.bodies.iter().zip(around) {
            let way = AHEAD * (body.velocity.length() * duration + fall);
            near.iter_mut().zip(boxes).for_each(|(near, other)| *near |= is_near(&around, other, way));
        }
        (0..near.len()).filter(|&k| near[k] && memory.patches[k].phase != Phase::Awake).collect()
    }

    /// Boxes that hold the rigid bodies on their way from where they are to these states, and this far around them [m].
    pub(super) fn boxes_of_bodies(&self, ends: &[BodyState], room: Real) -> Vec<[Vec3; 2]> {
        let centers = self.state.bodies.iter().zip(ends).map(|(from, to)| [from.pose.center, to.pose.center]);
        let boxes = self.sleep.body_radii.iter().zip(centers).map(|(radius, [from, to])| {
            let room = Vec3::splat(radius + room + from.distance(to));
            [from.min(to) - room, from.max(to) + room]
        });
        boxes.collect()
    }

    /// Wakes the patches of particles, and those beside them.
    pub(super) fn wake_particles(&mut self, particles: impl Iterator<Item = usize>) {
        let mut patches: Vec<usize> = particles.map(|p| self.state.sleep.patch_of[p] as usize).collect();
        patches.sort_unstable();
        patches.dedup();
        self.wake_around(&patches);
    }

    /// After a command was carried out on a model of some revisions: wakes the particles that it names, or everything.
    pub(crate) fn wake_for(&mut self, named: Option<&[u32]>, before: Revisions) {
        self.sleep.part = None;
        if self.sleep.patch_of.len() != self.model.len() || self.sleep.patch_of != self.state.sleep.patch_of {
            return; // nothing sleeps yet, or nothing does any longer
        }
        let Some(particles) = named else { return self.wake_all() };
        if self.model.forces.gravity == Vec3::ZERO {
            // What nothing holds may be other pieces now.
            return self.state.sleep.end(&mut self.state.contact.contacts);
        }
        self.wake_particles(particles.iter().map(|&p| p as usize));
        let now = *self.model.revisions();
        if before.matrices != now.matrices && self.state.sleep.is_any_asleep() {
            self.state.history.clear();
        }
        if self.state.sleep.seen.revisions == before {
            self.state.sleep.seen.revisions = now;
        }
    }
}

/// The farthest that each rigid body of a model reaches from its centre [m].
fn body_radii(model: &Model) -> Vec<Real> {
    let radius = |body: &RigidBody| {
        let solid = Collider { thickness: body.thickness, ..body.shape.clone().into() };
        let [low, high] = Obstacle::new(&solid).bounds();
        (low - body.center).abs().max((high - body.center).abs()).length()
    };
    model.bodies.iter().map(radius).collect()
}

/// What acts on all particles of a model at a time [s].
fn seen(model: &Model, time: Real) -> Seen {
    let forces = &model.forces;
    Seen {
        revisions: *model.revisions(),
        gravity: forces.gravity,
        air: forces.wind.as_ref().map_or(Vec3::ZERO, |wind| wind.velocity * wind.profile.at(time)),
        loads: forces.loads.iter().map(|load| load.force * load.profile.at(time)).collect(),
    }
}

/// Whether a solid rests from one frame to the other.
fn is_at_rest([from, to]: &[Frame; 2]) -> bool {
    from == to && to.velocity == Vec3::ZERO && to.spin == Vec3::ZERO
}
