//! When a run takes frames.

use crate::step_lengths::StepLengths;
use muslin::math::Real;

/// The time steps of a run, and after which of them a frame is taken: after the last one in any case.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The steps after which a frame is taken, counted from 1, ascending.
    marks: Vec<u64>,
    /// Their lengths, if these are not all that of the world.
    lengths: Option<StepLengths>,
}

impl Schedule {
    /// Frames at a rate [1/s] over a duration [s], in steps of `dt` [s]. Each frame is taken after the step that ends nearest to
    /// its time, and two that fall on one step are one.
    pub fn new(dt: Real, duration: Real, frame_rate: Real) -> Self {
        let steps = (duration / dt).round().max(1.0) as u64;
        let frames = (duration * frame_rate).round().max(1.0) as u64;
        let marks = (1..=frames)
            .map(|frame| (frame as Real / frame_rate / dt).round() as u64)
            .filter(|&step| step < steps)
            .chain([steps]);
        Self::after(marks)
    }

    /// Frames at a rate [1/s] over a duration [s], in steps that vary in length. The run ends with the step that ends nearest to the
    /// duration, and each frame is taken after the step that ends nearest to its time.
    pub fn varied(lengths: StepLengths, duration: Real, frame_rate: Real) -> Self {
        let steps = lengths.nearest_steps([duration])[0].max(1);
        let frames = (duration * frame_rate).round().max(1.0) as u64;
        let marks = lengths.nearest_steps((1..=frames).map(|frame| frame as Real / frame_rate));
        let marks = marks.into_iter().filter(|&step| step < steps).chain([steps]);
        Self { lengths: Some(lengths), ..Self::after(marks) }
    }

    /// `steps` time steps, with a frame after each `interval` of them and after the last.
    ///
    /// ```
    /// let schedule = muslin_scene::Schedule::every(4, 10);
    /// assert_eq!(schedule.marks(), [4, 8, 10]);
    /// ```
    ///
    /// # Panics
    /// If the interval is 0.
    pub fn every(interval: u64, steps: u64) -> Self {
        Self::after((1..=steps / interval).map(|frame| frame * interval).chain([steps]))
    }

    /// Frames after these steps, counted from 1; the last of them ends the run.
    pub fn after(steps: impl IntoIterator<Item = u64>) -> Self {
        let mut marks: Vec<u64> = steps.into_iter().filter(|&step| step > 0).collect();
        marks.sort_unstable();
        marks.dedup();
        Self { marks, lengths: None }
    }

    /// Number of time steps.
    pub fn steps(&self) -> u64 {
        self.marks.last().copied().unwrap_or(0)
    }

    /// Length of a time step [s], counted from 0; none if it is that of the world.
    pub fn length(&self, step: u64) -> Option<Real> {
        self.lengths.as_ref().map(|lengths| lengths.length(step))
    }

    /// The steps after which a frame is taken, counted from 1, ascending.
    pub fn marks(&self) -> &[u64] {
        &self.marks
    }

    /// Number of the last frame that is taken within so many steps; frame 0 is the start.
    pub fn last_frame(&self, steps: u64) -> usize {
        self.marks.partition_point(|&mark| mark <= steps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step_lengths::StepsEntry;

    #[test]
    fn frames_fall_on_the_nearest_step() {
        assert_eq!(Schedule::new(0.1, 1.0, 4.0).marks(), [3, 5, 8, 10]);
        // More frames than steps: one per step. A rate that does not divide the duration: the end is a frame, too.
        assert_eq!(Schedule::new(0.5, 1.0, 100.0).marks(), [1, 2]);
        assert_eq!(Schedule::new(0.1, 1.0, 1.5).marks(), [7, 10]);
        assert_eq!(Schedule::new(1.0, 0.1, 1.0).marks(), [1]);
    }

    fn varied(lengths: &[Real], duration: Real, frame_rate: Real) -> Schedule {
        let lengths = StepsEntry::List(lengths.to_vec()).read().unwrap();
        Schedule::varied(lengths, duration, frame_rate)
    }

    #[test]
    fn frames_of_varied_steps_fall_on_the_nearest_one() {
        // Steps end at 1, 3, 4, 6, 7, 9, 10; frames are due at 2, 4, 6, 8, 10.
        assert_eq!(varied(&[1.0, 2.0], 10.0, 0.5).marks(), [2, 3, 4, 6, 7]);
        // 7.4 is nearer to 7 than to 9: the run ends there.
        assert_eq!(varied(&[1.0, 2.0], 7.4, 0.25).marks(), [3, 5]);
        assert_eq!(varied(&[5.0], 1.0, 1.0).marks(), [1], "one step at the least");
        // Equal steps, and lengths that sum up without rounding: the schedule of these.
        for (duration, rate) in [(1.0, 4.0), (2.0, 100.0), (3.0, 1.5)] {
            let equal = Schedule::new(0.125, duration, rate);
            assert_eq!(varied(&[0.125], duration, rate).marks(), equal.marks());
            assert_eq!((equal.length(3), varied(&[0.125], duration, rate).length(3)), (None, Some(0.125)));
        }
    }

    #[test]
    fn no_steps_are_no_frames() {
        let schedule = Schedule::every(3, 0);
        assert_eq!((schedule.marks(), schedule.steps()), (&[][..], 0));
    }

    #[test]
    fn frames_are_numbered_from_the_start_on() {
        let schedule = Schedule::after([5, 2, 0, 5]);
        assert_eq!(schedule.marks(), [2, 5]);
        assert_eq!([0, 1, 2, 4, 5, 9].map(|steps| schedule.last_frame(steps)), [0, 0, 1, 1, 2, 2]);
    }
}
