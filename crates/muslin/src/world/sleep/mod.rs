//! Sleep: cloth at rest is not stepped, by any method, until something moves beside it.
//!
//! ```text
//! patch       some 64 particles that lie together at rest; a piece with a pressure is one patch, and so is, without
//!             gravity, a piece that nothing holds
//! rests       while all its |v| ≤ v_max and |x − a| ≤ d, with a where its particles were when its rest began
//! neighbours  patches that share an element or a contact, or under contact of surfaces come within a thickness, by boxes
//! sleeps      when it and all its neighbours have rested for a time T; its velocities are zero from then on
//! wakes       when a neighbour does not rest; when something moves, changes, presses or is asked for there (wake.rs)
//! step        a world of the awake patches steps (part.rs); sleeping particles beside them count as pinned
//! ```
//!
//! So the awake part has a seam of patches at rest around what moves, and they are simulated: a force on the cloth wakes it by
//! the way that it goes, not by its size. A bound on the force itself would be one on displacements below rounding: in cloth with
//! k/m = 1e8 1/s² a hundredth of m/s² is 1e-10 m.
//!
//! Patches fall asleep and wake between steps of the world, in their order. With nothing asleep a step is what it is without sleep,
//! to the bit.

mod part;
mod patches;
mod rest;
mod wake;

pub(super) use part::AwakePart;

use super::{StepError, World};
#[cfg(feature = "checkpoint")]
use crate::contact::SavedCandidates;
use crate::contact_law::ContactLaw;
use crate::math::{Real, Vec3};
use crate::sleep::Sleep;
use crate::sleep_memory::{Phase, merge};
use crate::step::StepReport;
use patches::{Patches, is_near};

/// How far around awake cloth sleeping cloth is put into the awake part [mean edges], so that this serves for several steps.
const REACH: Real = 4.0;

/// What sleep derives from model and state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleeping {
    patches: Patches,
    /// The patch of each particle that `patches` was made of.
    patch_of: Vec<u32>,
    /// What steps while something sleeps.
    pub(crate) part: Option<Box<AwakePart>>,
    /// Positions [m] and velocities [m/s] at the end of the last step, if something sleeps.
    left: [Vec<Vec3>; 2],
    /// The farthest that rigid bodies reach from their centres [m].
    body_radii: Vec<Real>,
}

impl World {
    /// Particles that sleep.
    pub fn sleeping_particles(&self) -> usize {
        self.state.sleep.particles_asleep()
    }

    /// Whether a particle sleeps.
    pub fn is_asleep(&self, particle: usize) -> bool {
        self.state.sleep.is_asleep(particle)
    }

    /// Makes some solver steps of h [s] with what is awake, and lets fall asleep what rests after them.
    pub(crate) fn advance_awake(
        &mut self,
        sleep: &Sleep,
        h: Real,
        solver_steps: u32,
    ) -> Result<StepReport, StepError> {
        self.notice_changes();
        let start = self.state.time;
        self.wake_for_step(h * Real::from(solver_steps));
        let mut report = self.advance_parts(h, solver_steps)?;
        self.fall_asleep(sleep, self.state.time - start);
        report.sleeping_particles = self.sleeping_particles() as u32;
        Ok(report)
    }

    /// The steps: one by one where cloth may tear or be divided after each, and all at once where it cannot, or nothing sleeps.
    fn advance_parts(&mut self, h: Real, solver_steps: u32) -> Result<StepReport, StepError> {
        if !self.model.may_give_way() || !self.state.sleep.is_any_asleep() {
            return self.advance_part(h, solver_steps);
        }
        let mut report = StepReport::default();
        for _ in 0..solver_steps {
            report.add(self.advance_part(h, 1)?);
            if report.out_of_time > 0 {
                break;
            }
        }
        Ok(report)
    }

    /// The step itself. What gets so far that it could have touched cloth outside the awake part is stepped again, with it.
    fn advance_part(&mut self, h: Real, solver_steps: u32) -> Result<StepReport, StepError> {
        let mut reached: Vec<usize> = Vec::new();
        loop {
            self.renew_part(&reached);
            let Some(mut part) = self.sleep.part.take() else { return self.advance(h, solver_steps) };
            if part.is_empty() {
                self.sleep.part = Some(part);
                self.pass_time(h, solver_steps);
                return Ok(StepReport::default());
            }
            let result = part.step(self, h, solver_steps);
            let more = if result.is_ok() { self.reached(&part) } else { Vec::new() };
            if more.is_empty() {
                part.write_back(&mut self.state);
                let bearings = if self.is_divided() { part.bearings() } else { Vec::new() };
                self.sleep.part = Some(part);
                if result.is_ok() {
                    self.divide_where(&bearings);
                    self.tear();
                }
                return result;
            }
            for &k in &more {
                self.state.sleep.patches[k].phase = Phase::Near;
            }
            reached.extend(more);
        }
    }

    /// Steps in which nothing is awake.
    fn pass_time(&mut self, h: Real, solver_steps: u32) {
        self.state.time += h * Real::from(solver_steps);
        self.state.steps += u64::from(solver_steps);
        self.state.contact.collider_times.fill(self.state.time);
    }

    /// Makes the part that fits what is awake, if it is not there; `reached` is to be in it.
    fn renew_part(&mut self, reached: &[usize]) {
        let is_any_asleep = self.state.sleep.is_any_asleep();
        if !is_any_asleep {
            merge(&mut self.state.contact.contacts, &mut self.state.sleep.contacts);
            self.sleep.part = None;
            return;
        }
        if self.sleep.part.as_ref().is_some_and(|part| part.fits(self)) {
            return;
        }
        if let Some([thickness, mean_edge]) = self.contact_lengths() {
            let patches = &self.sleep.patches;
            let awake = self.awake_patches();
            let reach = thickness + REACH * mean_edge;
            for (k, rest) in self.state.sleep.patches.iter_mut().enumerate() {
                if rest.phase != Phase::Awake {
                    let is_in_reach = awake.iter().any(|&other| patches.are_near(k, other, reach));
                    rest.phase =
                        if is_in_reach || reached.contains(&k) { Phase::Near } else { Phase::Asleep };
                }
            }
        }
        self.make_part();
    }

    /// Makes the part of what the state says is awake, or near.
    pub(crate) fn make_part(&mut self) {
        let thickness = self.contact_lengths().map_or(0.0, |[thickness, _]| thickness);
        self.sleep.part = Some(Box::new(AwakePart::of(self, thickness)));
        // The method of the whole prepares anew when all is awake, and goes on from its pasts.
        self.prepared = None;
    }

    /// The part of a world from a checkpoint, with the bounds of its contacts.
    #[cfg(feature = "checkpoint")]
    pub(crate) fn restore_part(&mut self, candidates: Option<SavedCandidates>) {
        self.find_patches();
        self.make_part();
        let Some(part) = &mut self.sleep.part else { return };
        part.world.prepare_if_changed();
        if let (Some(law), true) = (part.world.surface_contact(), candidates.is_some()) {
            let World { contacts, model, state, .. } = &mut part.world;
            contacts.prepare(model, &law, state);
            contacts.restore_candidates(candidates);
            // Nobody has moved anything since the bounds were found.
            state.contact.end_positions.clone_from(&state.positions);
        }
    }

    /// Thickness and mean edge of the whole [m], under contact of surfaces.
    fn contact_lengths(&mut self) -> Option<[Real; 2]> {
        let law = self.surface_contact()?;
        self.contacts.prepare(&self.model, &law, &mut self.state);
        Some(self.contacts.lengths())
    }

    fn awake_patches(&self) -> Vec<usize> {
        let patches = self.state.sleep.patches.iter().enumerate();
        patches.filter(|(_, patch)| patch.phase == Phase::Awake).map(|(k, _)| k).collect()
    }

    /// Sleeping patches outside the part that something in it could have touched on its way.
    fn reached(&self, part: &AwakePart) -> Vec<usize> {
        if !matches!(self.model.contact, ContactLaw::Surface(_)) {
            return Vec::new();
        }
        let [thickness, _] = self.contacts.lengths();
        let travel = part.world.travel.unwrap_or(0.0);
        let mut boxes: Vec<[Vec3; 2]> =
            self.awake_patches().into_iter().map(|k| self.sleep.patches.boxes[k]).collect();
        let room = Vec3::splat(thickness + travel);
        for [low, high] in &mut boxes {
            (*low, *high) = (*low - room, *high + room);
        }
        boxes.extend(self.boxes_of_bodies(&part.world.state.bodies, thickness));
        let asleep =
            self.state.sleep.patches.iter().enumerate().filter(|(_, rest)| rest.phase == Phase::Asleep);
        let is_reached =
            |k: usize| boxes.iter().any(|other| is_near(other, &self.sleep.patches.boxes[k], 0.0));
        asleep.map(|(k, _)| k).filter(|&k| is_reached(k)).collect()
    }
}
