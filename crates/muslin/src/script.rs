//! Pins and solids that move: where they are, as functions of time.
//!
//! ```text
//! frame        x(t) = c + s(t) + R(t) (x₀ − c),   v = ṡ + ω × (x − c − s)
//! keyframes    s linear between two times;  R = exp(λ log(R₁ R₀⁻¹)) R₀, the shorter way round, so that ω is constant
//! ```

use crate::math::{Real, Rotation, Vec3};

/// The movements of a model's held particles.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Script {
    /// One entry per group of particles that move together; particles held still need none.
    pub moves: Vec<PinMove>,
}

/// The clocks of groups of pins that contact made wait, by their numbers; the others keep the world's time.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PinClocks(Vec<Option<LateClock>>);

/// The clock of pins that lag behind their script.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct LateClock {
    /// What it read at a time of the world, and that time [s].
    reading: Real,
    since: Real,
    /// How fast it goes.
    rate: Real,
}

impl LateClock {
    /// What it reads at a time of the world [s].
    fn at(&self, time: Real) -> Real {
        self.reading + self.rate * (time - self.since)
    }
}

/// How fast pins that lag catch up at most: all at once, they would tear at the cloth.
const CATCH_UP: Real = 1.5;
/// The rate at which pins that are in each other's way go on trying, and how much faster each step may try than the last one got.
const TRY: Real = 0.05;
const TRY_FASTER: Real = 2.0;
/// Part of its way that a pin may miss by rounding.
const MISSED: Real = 1e-9;

/// Held particles that move together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PinMove {
    /// The particles.
    pub particles: Vec<u32>,
    /// Their positions at time 0 [m].
    pub start: Vec<Vec3>,
    /// How they move.
    pub motion: Motion,
}

/// A rigid movement over time.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Motion {
    /// Does not move.
    #[default]
    Still,
    /// Along a straight line while a time lasts.
    Translate {
        /// Velocity [m/s].
        velocity: Vec3,
        /// Start [s].
        from: Real,
        /// End [s].
        until: Real,
    },
    /// About an axis while a time lasts.
    Rotate {
        /// A point of the axis [m].
        center: Vec3,
        /// Direction of the axis.
        axis: Vec3,
        /// Turns a second [1/s].
        turns_per_second: Real,
        /// Start [s].
        from: Real,
        /// End [s].
        until: Real,
    },
    /// To and fro, starting at rest in the middle's turning point: amplitude · (1 − cos 2πft) / 2.
    Oscillate {
        /// From one end of the movement to the other [m].
        amplitude: Vec3,
        /// Frequency [Hz].
        frequency: Real,
    },
    /// From place to place: straight and evenly between two times, at rest before the first and after the last.
    Keyframes {
        /// Times, ascending [s].
        times: Vec<Real>,
        /// Ways from the start, one a time, or none at all if it only turns [m].
        #[cfg_attr(feature = "serde", serde(default))]
        positions: Vec<Vec3>,
        /// Turns from the start, axis times angle, one a time, or none at all [rad].
        #[cfg_attr(feature = "serde", serde(default))]
        rotations: Vec<Vec3>,
        /// The point to turn about, at the start; it takes part in the way [m].
        #[cfg_attr(feature = "serde", serde(default))]
        center: Vec3,
    },
}

/// Where a rigid movement has brought things, and how fast it goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// c, the point it turns about, at time 0 [m].
    pub center: Vec3,
    /// R, the turn since time 0.
    pub rotation: Rotation,
    /// s, the way of the centre since time 0 [m].
    pub translation: Vec3,
    /// The centre's velocity [m/s].
    pub velocity: Vec3,
    /// ω [rad/s].
    pub spin: Vec3,
}

impl Frame {
    /// Nothing has moved, and nothing moves.
    pub const REST: Self = Self {
        center: Vec3::ZERO,
        rotation: Rotation::IDENTITY,
        translation: Vec3::ZERO,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
    };

    /// Where a point is that was at `start` at time 0 [m].
    pub fn place(&self, start: Vec3) -> Vec3 {
        self.center + self.translation + self.rotation * (start - self.center)
    }

    /// Where a point was at time 0 that is at `x` now [m].
    pub fn trace_back(&self, x: Vec3) -> Vec3 {
        self.center + self.rotation.inverse() * (x - self.center - self.translation)
    }

    /// Velocity of what is at `x` and moves along [m/s].
    pub fn velocity_at(&self, x: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(x - self.center - self.translation)
    }
}

impl Motion {
    /// The movement as a whole at `time` [s].
    pub fn frame(&self, time: Real) -> Frame {
        match *self {
            Self::Still => Frame::REST,
            Self::Translate { .. } | Self::Oscillate { .. } => {
                let (translation, velocity) = self.at(time, Vec3::ZERO);
                Frame { translation, velocity, ..Frame::REST }
            }
            Self::Rotate { center, axis, turns_per_second, from, until } => {
                let rate = axis.normalize_or_zero() * (std::f64::consts::TAU * turns_per_second);
                let (elapsed, moving) = elapsed(time, from, until);
                let rotation = Rotation::from_scaled_axis(rate * elapsed);
                Frame { center, rotation, spin: rate * moving, ..Frame::REST }
            }
            Self::Keyframes { ref times, ref positions, ref rotations, center } => {
                Frame { center, ..between_keyframes(time, times, positions, rotations) }
            }
        }
    }

    /// Position [m] and velocity [m/s] at `time` of a particle that was at `start` at time 0.
    pub fn at(&self, time: Real, start: Vec3) -> (Vec3, Vec3) {
        match *self {
            Self::Still => (start, Vec3::ZERO),
            Self::Translate { velocity, from, until } => {
                let (elapsed, moving) = elapsed(time, from, until);
                (start + velocity * elapsed, velocity * moving)
            }
            Self::Rotate { center, axis, turns_per_second, from, until } => {
                let axis = axis.normalize_or_zero();
                let rate = std::f64::consts::TAU * turns_per_second;
                let (elapsed, moving) = elapsed(time, from, until);
                let arm = Rotation::from_scaled_axis(axis * (rate * elapsed)) * (start - center);
                (center + arm, (axis * (rate * moving)).cross(arm))
            }
            Self::Oscillate { amplitude, frequency } => {
                let rate = std::f64::consts::TAU * frequency;
                let (sin, cos) = (rate * time).sin_cos();
                (start + amplitude * (0.5 - 0.5 * cos), amplitude * (0.5 * rate * sin))
            }
            Self::Keyframes { .. } => {
                let frame = self.frame(time);
                let x = frame.place(start);
                (x, frame.velocity_at(x))
            }
        }
    }
}

impl Motion {
    /// How far the centre of the movement gets from where it is at `from` until `to`, at any moment in between, or more [m].
    pub fn farthest(&self, from: Real, to: Real) -> Real {
        match self {
            Self::Still | Self::Rotate { .. } => 0.0,
            Self::Translate { velocity, .. } => velocity.length() * (to - from),
            Self::Oscillate { amplitude, frequency } => {
                amplitude.length() * (std::f64::consts::PI * frequency.abs() * (to - from)).min(1.0)
            }
            Self::Keyframes { times, positions, .. } => {
                let segments = times.windows(2).zip(positions.windows(2));
                let ways = segments.map(|(times, places)| {
                    let overlap = (times[1].min(to) - times[0].max(from)).max(0.0);
                    places[0].distance(places[1]) * overlap / (times[1] - times[0])
                });
                ways.sum()
            }
        }
    }
}

/// The frame between the two keyframes around `time`, or at the first or last.
fn between_keyframes(time: Real, times: &[Real], positions: &[Vec3], rotations: &[Vec3]) -> Frame {
    let place = |k: usize| positions.get(k).copied().unwrap_or_default();
    let turn = |k: usize| Rotation::from_scaled_axis(rotations.get(k).copied().unwrap_or_default());
    let next = times.partition_point(|&t| t <= time);
    if next == 0 || next == times.len() {
        let k = next.saturating_sub(1);
        return Frame { translation: place(k), rotation: turn(k), ..Frame::REST };
    }
    let (before, duration) = (next - 1, times[next] - times[next - 1]);
    let part = (time - times[before]) / duration;
    let way = place(next) - place(before);
    let turned = turn(next) * turn(before).inverse();
    let arc = if turned.w < 0.0 { -turned } else { turned }.to_scaled_axis();
    Frame {
        translation: place(before) + way * part,
        rotation: Rotation::from_scaled_axis(arc * part) * turn(before),
        velocity: way / duration,
        spin: arc / duration,
        ..Frame::REST
    }
}

/// How much of the window [from, until) has passed [s], and 1 inside it, 0 outside.
fn elapsed(time: Real, from: Real, until: Real) -> (Real, Real) {
    (time.clamp(from, until.max(from)) - from, Real::from(from <= time && time < until))
}

impl Script {
    /// Puts every scripted particle where it is at `time` [s], by the clock of its group.
    pub fn pose(&self, time: Real, clocks: &PinClocks, positions: &mut [Vec3], velocities: &mut [Vec3]) {
        for (k, group) in self.moves.iter().enumerate() {
            let clock = clocks.0.get(k).and_then(Option::as_ref);
            let (time, rate) = clock.map_or((time, 1.0), |clock| (clock.at(time), clock.rate));
            for (&particle, &start) in group.particles.iter().zip(&group.start) {
                let (position, velocity) = group.motion.at(time, start);
                positions[particle as usize] = position;
                velocities[particle as usize] = velocity * rate;
            }
        }
    }

    /// Takes particles out of their groups: they stay where they are. Groups without particles go, and so do their clocks.
    pub(crate) fn let_go(&mut self, particles: &[u32], clocks: &mut PinClocks) {
        for group in &mut self.moves {
            let mut kept = group.particles.iter().map(|particle| !particles.contains(particle));
            group.start.retain(|_| kept.next().unwrap_or(true));
            group.particles.retain(|particle| !particles.contains(particle));
        }
        clocks.0.resize(self.moves.len(), None);
        let mut groups = self.moves.iter();
        clocks.0.retain(|_| groups.next().is_some_and(|group| !group.particles.is_empty()));
        self.moves.retain(|group| !group.particles.is_empty());
    }
}

impl PinClocks {
    /// Whether a group of pins lags behind its script.
    pub(crate) fn is_late(&self, group: usize) -> bool {
        self.0.get(group).is_some_and(Option::is_some)
    }

    /// How far the slowest clock is behind a time of the world [s].
    pub fn lag(&self, time: Real) -> Real {
        self.0.iter().flatten().map(|clock| time - clock.at(time)).fold(0.0, Real::max)
    }

    /// Before a step of h from `time` [s]: no late clock gets ahead of the world's.
    pub(crate) fn begin_step(&mut self, time: Real, h: Real) {
        for clock in self.0.iter_mut().flatten() {
            let reading = clock.at(time);
            *clock = LateClock { reading, since: time, rate: clock.rate.min((time + h - reading) / h) };
        }
    }

    /// After a step of h to `time` [s], in which contact kept some pins from where they were to go: they were at `start` and got to
    /// `x` [m]. The clock of each group goes only as far as its slowest pin got, and then on as fast as it could, and a little
    /// faster.
    pub(crate) fn end_step(&mut self, script: &Script, start: &[Vec3], x: &[Vec3], time: Real, h: Real) {
        self.0.resize(script.moves.len(), None);
        for (group, clock) in script.moves.iter().zip(&mut self.0) {
            let (from, to) = clock.map_or((time - h, time), |clock| (clock.reading, clock.at(time)));
            let parts = group.particles.iter().zip(&group.start).map(|(&p, &origin)| {
                let (start, x, wanted) = (start[p as usize], x[p as usize], group.motion.at(to, origin).0);
                let (way, missed) = (start.distance(wanted), x.distance(wanted));
                let rounding = 8.0 * Real::EPSILON * wanted.abs().max_element();
                if missed <= MISSED * way + rounding { 1.0 } else { (1.0 - missed / way).max(0.0) }
            });
            let part = parts.fold(1.0, Real::min);
            let reading = if part == 1.0 { to } else { from + part * (to - from) };
            let rate = part * clock.map_or(1.0, |clock| clock.rate);
            let next = LateClock { reading, since: time, rate: (TRY + TRY_FASTER * rate).min(CATCH_UP) };
            *clock = (reading < time).then_some(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_kind() -> Vec<Motion> {
        vec![
            Motion::Translate { velocity: Vec3::new(1.0, 2.0, 3.0), from: 0.5, until: 2.0 },
            Motion::Rotate {
                center: Vec3::X,
                axis: Vec3::new(1.0, 1.0, 0.0),
                turns_per_second: 0.3,
                from: 0.0,
                until: 9.0,
            },
            Motion::Oscillate { amplitude: Vec3::Y, frequency: 2.0 },
            Motion::Keyframes {
                times: vec![0.5, 1.0, 2.5],
                positions: vec![Vec3::ZERO, Vec3::new(1.0, -2.0, 0.5), Vec3::X],
                rotations: vec![Vec3::ZERO, Vec3::new(0.3, 2.0, -1.0), Vec3::new(3.0, 0.0, 1.5)],
                center: Vec3::new(0.5, 0.0, 1.0),
            },
        ]
    }

    const START: Vec3 = Vec3::new(0.2, -0.3, 0.4);

    #[test]
    fn velocities_are_the_derivative_of_positions() {
        for motion in every_kind() {
            for time in [0.1, 0.7, 1.3, 3.1] {
                let at = |t| motion.at(t, START).0;
                let difference = (at(time + 1e-6) - at(time - 1e-6)) / 2e-6;
                let velocity = motion.at(time, START).1;
                assert!((difference - velocity).length() < 1e-8, "{motion:?} at {time}");
            }
        }
    }

    #[test]
    fn a_frame_moves_points_as_the_motion_does_and_leads_back() {
        for motion in every_kind() {
            for time in [0.0, 0.7, 1.3, 3.1] {
                let (frame, (x, v)) = (motion.frame(time), motion.at(time, START));
                assert!(frame.place(START).distance(x) < 1e-14, "{motion:?} at {time}");
                assert!(frame.velocity_at(x).distance(v) < 1e-13, "{motion:?} at {time}");
                assert!(frame.trace_back(x).distance(START) < 1e-14, "{motion:?} at {time}");
            }
        }
    }

    #[test]
    fn nothing_gets_farther_than_a_motion_says() {
        for motion in every_kind() {
            for (from, to) in [(0.0, 0.3), (0.2, 0.9), (0.6, 3.0), (1.9, 2.0)] {
                let at = |part: Real| {
                    let frame = motion.frame(from + (to - from) * part);
                    frame.center + frame.translation
                };
                let found = (0..=1000).map(|k| at(0.001 * Real::from(k)).distance(at(0.0)));
                let (found, bound) = (found.fold(0.0, Real::max), motion.farthest(from, to));
                assert!(found <= bound * (1.0 + 1e-12), "{motion:?} from {from} to {to}: {found} > {bound}");
            }
        }
    }

    /// From 170° to −170° it turns on by 20°, not back by 340°.
    #[test]
    fn keyframes_turn_the_shorter_way() {
        let turn = |degrees: Real| Vec3::Z * degrees.to_radians();
        let motion = Motion::Keyframes {
            times: vec![0.0, 1.0],
            positions: Vec::new(),
            rotations: vec![turn(170.0), turn(-170.0)],
            center: Vec3::ZERO,
        };
        assert!(motion.at(0.5, Vec3::X).0.distance(-Vec3::X) < 1e-15);
        assert!(motion.frame(0.5).spin.distance(turn(20.0)) < 1e-14);
        assert!(
            motion.at(9.0, Vec3::X).0.distance(Rotation::from_scaled_axis(turn(-170.0)) * Vec3::X) < 1e-15
        );
    }
}
