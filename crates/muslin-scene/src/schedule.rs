//! When a run takes frames.

use muslin::math::Real;

/// The time steps of a run, and after which of them a frame is taken: after the last one in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The steps after which a frame is taken, counted from 1, ascending.
    marks: Vec<u64>,
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
        Self { marks }
    }

    /// Number of time steps.
    pub fn steps(&self) -> u64 {
        self.marks.last().copied().unwrap_or(0)
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

    #[test]
    fn frames_fall_on_the_nearest_step() {
        assert_eq!(Schedule::new(0.1, 1.0, 4.0).marks(), [3, 5, 8, 10]);
        // More frames than steps: one per step. A rate that does not divide the duration: the end is a frame, too.
        assert_eq!(Schedule::new(0.5, 1.0, 100.0).marks(), [1, 2]);
        assert_eq!(Schedule::new(0.1, 1.0, 1.5).marks(), [7, 10]);
        assert_eq!(Schedule::new(1.0, 0.1, 1.0).marks(), [1]);
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
