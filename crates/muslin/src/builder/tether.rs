//! Tethers: long-range attachments [Kim, Chentanez, Müller 2012].
//!
//! Every free particle is tied to the nearest held particles, one of each group, by threads as long as the way between
//! them along structural springs. Cloth that does not stretch cannot get farther, however it shears or folds, so the
//! threads only forbid what stretching would allow; and they carry a pin's pull over the whole cloth at once, which
//! neighbours hand on one spring an iteration.

use super::description::Tether;
use crate::build_error::{BuildError, not_negative, positive};
use crate::elements::{Spring, SpringFamily, SpringLaw};
use crate::math::Real;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Groups that a particle is tied to at the most: the nearest.
const MOST: usize = 4;

impl Tether {
    pub(super) fn check(&self) -> Result<(), BuildError> {
        positive("stiffness", self.stiffness, "greater than 0 N/m")?;
        not_negative("allowance", self.allowance, "0 or more")
    }

    /// The thread for a way of this length [m].
    pub(super) fn spring(&self, ends: [u32; 2], distance: Real) -> Spring {
        let rest_length = distance * (1.0 + self.allowance);
        Spring {
            slack: SpringLaw::TensionOnly.slack(rest_length),
            family: SpringFamily::Tether,
            ..Spring::new(ends, rest_length, self.stiffness)
        }
    }
}

/// Held and free particle of each thread, and the way between them [m], for a body of `held.len()` particles that begins
/// at particle `first`. Held particles that structural springs join are one group.
pub(super) fn threads(springs: &[Spring], held: &[bool], first: u32) -> Vec<([u32; 2], Real)> {
    let neighbours = neighbours(springs, held.len(), first);
    let groups = groups(&neighbours, held);
    // Dijkstra's search from all held particles at once; a particle is reached once by each of its nearest groups.
    // Lengths are positive, and positive numbers are ordered as their bits.
    let mut reached: Vec<Vec<(u32, u32, Real)>> = vec![Vec::new(); held.len()];
    let mut queue: BinaryHeap<Reverse<(u64, u32, u32)>> =
        (0..held.len()).filter(|&p| held[p]).map(|p| Reverse((0, p as u32, p as u32))).collect();
    while let Some(Reverse((bits, particle, pin))) = queue.pop() {
        let (distance, group) = (Real::from_bits(bits), groups[pin as usize]);
        let here = &mut reached[particle as usize];
        if here.len() == MOST || here.iter().any(|&(known, ..)| known == group) {
            continue;
        }
        here.push((group, pin, distance));
        for &(next, length) in &neighbours[particle as usize] {
            queue.push(Reverse(((distance + length).to_bits(), next, pin)));
        }
    }
    let mut threads = Vec::new();
    for particle in (0..held.len()).filter(|&p| !held[p]) {
        for &(_, pin, distance) in &reached[particle] {
            threads.push(([first + pin, first + particle as u32], distance));
        }
    }
    threads
}

/// What structural springs join each particle to, and how long they are [m].
fn neighbours(springs: &[Spring], count: usize, first: u32) -> Vec<Vec<(u32, Real)>> {
    let mut neighbours = vec![Vec::new(); count];
    let of_body = |end: u32| end >= first && ((end - first) as usize) < count;
    let structural = springs.iter().filter(|spring| spring.family == SpringFamily::Structural);
    for spring in structural.filter(|spring| spring.ends.iter().all(|&end| of_body(end))) {
        let [a, b] = spring.ends.map(|end| end - first);
        neighbours[a as usize].push((b, spring.rest_length));
        neighbours[b as usize].push((a, spring.rest_length));
    }
    neighbours
}

/// The group of each held particle, named after one of it.
fn groups(neighbours: &[Vec<(u32, Real)>], held: &[bool]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut groups = vec![NONE; held.len()];
    for start in (0..held.len()).filter(|&p| held[p]) {
        let mut open = vec![start as u32];
        while let Some(particle) = open.pop() {
            if held[particle as usize] && groups[particle as usize] == NONE {
                groups[particle as usize] = start as u32;
                open.extend(neighbours[particle as usize].iter().map(|&(next, _)| next));
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, Pin, Place, Resolution, Rope, Sheet, Side, Surroundings, TetherWay};
    use crate::math::Vec3;
    use crate::measure::Stretch;
    use crate::model::Model;

    fn sheet(pins: Vec<Pin>, tether: Tether) -> Result<Model, BuildError> {
        let sheet = Sheet {
            size: [3.0, 4.0],
            resolution: Resolution::Cells([3, 4]),
            pins,
            tether: Some(tether),
            ..Sheet::default()
        };
        let mut builder = Builder::default();
        // Another body in front: numbers of particles are those of the model.
        builder.add_rope(&Rope { from: Vec3::Z, to: Vec3::Z * 2.0, ..Rope::default() }).unwrap();
        builder.add_sheet(&sheet)?;
        builder.finish(&Surroundings::default()).map(|(model, _)| model)
    }

    fn tethers(model: &Model) -> Vec<&Spring> {
        model.elements.springs.iter().filter(|spring| spring.family == SpringFamily::Tether).collect()
    }

    #[test]
    fn threads_are_as_long_as_the_way_along_the_threads() {
        let tether = Tether { stiffness: 100.0, allowance: 0.5, along: TetherWay::Threads };
        let pins = vec![Pin::at(Place::Grid(vec![[0, 0], [3, 4]]))];
        let model = sheet(pins, tether).unwrap();
        let found = tethers(&model);
        assert_eq!(found.len(), 2 * (20 - 2), "each free particle has one to each corner");
        for spring in found {
            let [pin, particle] = spring.ends.map(|end| end - 21);
            let away = Real::from((pin / 5).abs_diff(particle / 5) + (pin % 5).abs_diff(particle % 5));
            assert!(model.is_held(spring.ends[0] as usize) && !model.is_held(spring.ends[1] as usize));
            assert!((spring.rest_length - 1.5 * away).abs() < 1e-12, "{spring:?}");
            assert_eq!((spring.stiffness, spring.slack), (100.0, [Real::NEG_INFINITY, 0.0]));
        }
    }

    #[test]
    fn straight_threads_are_as_long_as_the_distance() {
        let tether = Tether { stiffness: 100.0, allowance: 0.0, along: TetherWay::Straight };
        let model = sheet(vec![Pin::at(Place::Grid(vec![[0, 0]]))], tether).unwrap();
        let found = tethers(&model);
        assert_eq!(found.len(), 19);
        for spring in found {
            let particle = spring.ends[1] - 21;
            let expected = Real::hypot(Real::from(particle / 5), Real::from(particle % 5));
            assert!((spring.rest_length - expected).abs() < 1e-12, "{spring:?}");
        }
    }

    /// A rope that hangs on a pin that runs away: the threads never let it grow by more than their own stretch.
    #[test]
    fn moving_pins_take_their_threads_along() {
        use crate::script::Motion;
        use crate::solver::SolverConfig;
        use crate::world::World;
        let motion = Motion::Translate { velocity: Vec3::X * 3.0, from: 0.0, until: 1.0 };
        let worst = |tether: Option<Tether>| {
            let pins = vec![Pin { at: Place::Particles(vec![0]), motion: motion.clone() }];
            let structural = crate::material::Link { stiffness: 100.0, ..Default::default() };
            let rope = Rope { pins, tether, structural, to: -Vec3::Z, ..Rope::default() };
            let mut builder = Builder::default();
            builder.add_rope(&rope).unwrap();
            let surroundings = Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() };
            let (model, state) = builder.finish(&surroundings).unwrap();
            let mut world = World::new(model, state, &SolverConfig::named("xpbd").unwrap(), 0.005);
            let mut longest: Real = 0.0;
            for _ in 0..200 {
                world.step().unwrap();
                longest = longest.max(world.state.positions[20].distance(world.state.positions[0]));
            }
            assert!((world.state.positions[0] - Vec3::X * 3.0).length() < 1e-12);
            longest - 1.0
        };
        let tether = Tether { stiffness: 1e4, allowance: 0.0, along: TetherWay::Threads };
        let (with, without) = (worst(Some(tether)), worst(None));
        // 0.05 kg at 3 m/s and its weight: m v²/l + m g = 1 N on threads that each carry their particle's share.
        assert!(without > 0.01, "{without} m");
        assert!(with < 1e-3, "{with} m");
    }

    #[test]
    fn pins_side_by_side_are_one_group_and_five_groups_are_too_many() {
        let tether = Tether { stiffness: 1.0, allowance: 0.0, along: TetherWay::Threads };
        let model = sheet(vec![Pin::at(Place::Side(Side::IMin))], tether).unwrap();
        let found = tethers(&model);
        assert_eq!(found.len(), 15, "one a free particle");
        for spring in found {
            let [pin, particle] = spring.ends.map(|end| end - 21);
            assert_eq!(pin, particle % 5, "straight across");
        }
        let five = vec![Pin::at(Place::Grid(vec![[0, 0], [0, 2], [0, 4], [3, 0], [3, 4]]))];
        assert_eq!(tethers(&sheet(five, tether).unwrap()).len(), MOST * 15);
    }

    #[test]
    fn what_no_pin_reaches_has_no_thread() {
        let tether = Tether { stiffness: 1.0, allowance: 0.0, along: TetherWay::Threads };
        assert_eq!(tethers(&sheet(vec![], tether).unwrap()), Vec::<&Spring>::new());
        // Two chains of one body; only the first is held.
        let springs = [Spring::new([0, 1], 2.0, 1.0), Spring::new([2, 3], 1.0, 1.0)];
        assert_eq!(threads(&springs, &[true, false, false, false], 0), [([0, 1], 2.0)]);
    }

    #[test]
    fn threads_that_cannot_be_are_refused() {
        let pins = || vec![Pin::at(Place::Corners)];
        let error =
            sheet(pins(), Tether { stiffness: 0.0, allowance: 0.0, along: TetherWay::Threads }).unwrap_err();
        assert_eq!(error.path, "tether.stiffness");
        let error = sheet(pins(), Tether { stiffness: 1.0, allowance: Real::NAN, along: TetherWay::Threads })
            .unwrap_err();
        assert_eq!(error.path, "tether.allowance");
    }

    #[test]
    fn stretch_does_not_count_threads() {
        let tether = Tether { stiffness: 1.0, allowance: 0.0, along: TetherWay::Threads };
        let model = sheet(vec![Pin::at(Place::Corners)], tether).unwrap();
        assert_eq!(model.stretches(&vec![Vec3::ZERO; model.len()]).count(), 20 + 3 * 5 + 4 * 4);
        assert_eq!(Stretch::of(&model, &vec![Vec3::ZERO; model.len()]).max, -1.0);
    }
}
