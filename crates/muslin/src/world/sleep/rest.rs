//! What rests, and falls asleep; and what does not, and wakes what is beside it.

use super::Sleeping;
use super::patches::Patches;
use crate::contact_law::ContactLaw;
use crate::math::{Real, Vec3};
use crate::sleep::Sleep;
use crate::sleep_memory::{PatchRest, Phase};
use crate::state::State;
use crate::world::World;

impl World {
    /// After a step of some duration [s].
    pub(super) fn fall_asleep(&mut self, sleep: &Sleep, duration: Real) {
        if self.state.sleep.patch_of.len() != self.model.len() {
            return; // torn in this step: everything is awake
        }
        let moving = self.count_rest(sleep, duration);
        let touching = self.touching_patches();
        let rests = &self.state.sleep.patches;
        let is_roused = |&k: &usize| {
            let neighbors = &self.sleep.patches.neighbors[k];
            rests[k].phase != Phase::Awake
                && (neighbors.iter().any(|other| moving.binary_search(&(*other as usize)).is_ok())
                    || moving.iter().any(|&other| touching.are(&self.sleep.patches, k, other)))
        };
        let roused: Vec<usize> = (0..rests.len()).filter(is_roused).collect();
        for k in roused {
            self.wake(k);
        }
        // Half a step early is on time: sums of steps are never exact.
        let enough = sleep.after - 0.5 * duration;
        let rests = &self.state.sleep.patches;
        let has_rested = |k: u32| rests[k as usize].rested >= enough;
        let restless: Vec<usize> = (0..rests.len()).filter(|&k| !has_rested(k as u32)).collect();
        let is_tired = |&k: &usize| {
            rests[k].phase == Phase::Awake
                && has_rested(k as u32)
                && self.sleep.patches.neighbors[k].iter().all(|&other| has_rested(other))
                && !restless.iter().any(|&other| touching.are(&self.sleep.patches, k, other))
        };
        let mut tired: Vec<usize> = (0..rests.len()).filter(is_tired).collect();
        if !self.model.bodies.is_empty() && tired.len() == self.awake_patches().len() {
            tired.pop(); // bodies fly on, by a step of the awake part
        }
        let awake = self.awake_patches();
        self.put_to_sleep(&tired);
        self.sleep.remember(&awake, &self.state);
    }

    /// Counts for how long the awake patches have rested; those that do not, ascending.
    fn count_rest(&mut self, sleep: &Sleep, duration: Real) -> Vec<usize> {
        let awake = self.awake_patches();
        let mut moving = Vec::new();
        let (x, v) = (&self.state.positions, &self.state.velocities);
        let memory = &mut self.state.sleep;
        for k in awake {
            self.sleep.patches.find_box(k, x);
            let members = &self.sleep.patches.members[k];
            let rests = members.iter().map(|&p| p as usize).all(|p| {
                v[p].length_squared() <= sleep.speed * sleep.speed
                    && x[p].distance_squared(memory.anchors[p]) <= sleep.distance * sleep.distance
            });
            if rests {
                memory.patches[k].rested += duration;
                continue;
            }
            memory.patches[k].rested = 0.0;
            for &p in members {
                memory.anchors[p as usize] = x[p as usize];
            }
            moving.push(k);
        }
        moving
    }

    fn touching_patches(&self) -> Touching {
        let patch_of = &self.state.sleep.patch_of;
        let mut links = Vec::new();
        for row in self.state.contact.contacts.iter().filter(|row| !row.stencil.is_at_wall()) {
            let patches = row.stencil.vertices.map(|v| patch_of.get(v as usize));
            for one in patches.into_iter().flatten() {
                links.extend(
                    patches.into_iter().flatten().filter(|other| *other != one).map(|other| [*one, *other]),
                );
            }
        }
        links.sort_unstable();
        links.dedup();
        let is_surface = matches!(self.model.contact, ContactLaw::Surface(_));
        Touching { links, reach: is_surface.then(|| self.contacts.lengths()[0]) }
    }

    fn put_to_sleep(&mut self, tired: &[usize]) {
        let state = &mut self.state;
        for &k in tired {
            state.sleep.patches[k] = PatchRest { rested: Real::INFINITY, phase: Phase::Asleep };
            for p in self.sleep.patches.members[k].iter().map(|&p| p as usize) {
                state.velocities[p] = Vec3::ZERO;
                state.history.rest(p, state.positions[p]);
            }
        }
    }

    /// Wakes a patch: its rest begins anew.
    pub(super) fn wake(&mut self, k: usize) {
        let (memory, positions) = (&mut self.state.sleep, &self.state.positions);
        memory.patches[k] = PatchRest::default();
        for &p in &self.sleep.patches.members[k] {
            memory.anchors[p as usize] = positions[p as usize];
        }
    }

    /// Wakes patches and those beside them.
    pub(super) fn wake_around(&mut self, patches: &[usize]) {
        let beside = |&k: &usize| self.sleep.patches.neighbors[k].iter().map(|&other| other as usize);
        let mut all: Vec<usize> = patches.iter().flat_map(beside).chain(patches.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        for k in all {
            self.wake(k);
        }
    }

    /// Wakes everything.
    pub(super) fn wake_all(&mut self) {
        (0..self.state.sleep.patches.len()).for_each(|k| self.wake(k));
    }
}

/// Which patches touch each other, or nearly.
struct Touching {
    /// Pairs of patches in contact, both ways, ascending.
    links: Vec<[u32; 2]>,
    /// How near their boxes have to be [m], if surfaces touch.
    reach: Option<Real>,
}

impl Touching {
    fn are(&self, patches: &Patches, one: usize, other: usize) -> bool {
        self.reach.is_some_and(|reach| patches.are_near(one, other, reach))
            || self.links.binary_search(&[one as u32, other as u32]).is_ok()
    }
}

impl Sleeping {
    /// Remembers how a step of some patches ends, if something sleeps.
    fn remember(&mut self, stepped: &[usize], state: &State) {
        for (left, list) in self.left.iter_mut().zip([&state.positions, &state.velocities]) {
            if !state.sleep.is_any_asleep() {
                left.clear();
            } else if left.len() != list.len() {
                left.clone_from(list);
            } else {
                for p in stepped.iter().flat_map(|&k| &self.patches.members[k]).map(|&p| p as usize) {
                    left[p] = list[p];
                }
            }
        }
    }

    /// The particles that were moved since the last step ended, or none if nothing slept then.
    pub(super) fn moved(&self, positions: &[Vec3], velocities: &[Vec3]) -> Vec<usize> {
        let [x, v] = &self.left;
        if x.len() != positions.len() || x == positions && v == velocities {
            return Vec::new();
        }
        (0..x.len()).filter(|&p| x[p] != positions[p] || v[p] != velocities[p]).collect()
    }
}
