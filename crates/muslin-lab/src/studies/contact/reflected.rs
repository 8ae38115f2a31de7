//! The published rule for solids that stand still: section 5.2 of D. D. B. Carvalho (MSc, UFSC 2007), and the set-ups of 6.3 run by it.
//!
//! ```text
//! a particle whose way in a step meets the surface at q:   x = q,   v = v_p − v_n      (5.1a) to (5.1c)
//! and then its position is brought up to date again, either   x = q + h v,             v that of the step's end,
//! or in the order of velocity Verlet                          x = q + h v + h² a/2,    v that of its start, and then v += h a
//! ```
//!
//! The document has both in its words ("after the velocity was corrected, the position is updated again"; the velocity "is known before",
//! and "when the displacement is computed from the acceleration, the particle goes back to the other side"), so both are run.

use super::trial::Start;
use muslin::math::{Real, Vec3};
use muslin::measure::Stretch;
use muslin::profile::uniform;
use muslin::shape::Obstacle;
use muslin::solver::SolverConfig;
use muslin::world::World;

/// What is run here.
pub const RULE: &str = "reflection of particles, (5.1)";
/// Steps are random between these [s], as in section 6.2; 6.3 does not say.
pub const STEPS: [Real; 2] = [1.0 / 110.0, 1.0 / 60.0];
const SEED: u64 = 2007;
/// Less than this is no depth [m].
const ROUNDING: Real = 1e-9;

/// How a position is brought up to date after a reflection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// By the velocity of the step's end.
    Velocity,
    /// By velocity and acceleration of its start, as velocity Verlet does it.
    Acceleration,
}

impl Update {
    pub const ALL: [Self; 2] = [Self::Velocity, Self::Acceleration];
}

/// What became of a sheet under the rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reflected {
    /// Steps done, and steps that end with a particle below the surface.
    pub steps: [usize; 2],
    /// Most particles below it at the end of a step.
    pub most_below: usize,
    /// How deep one ever was below it [m].
    pub deepest: Real,
    /// Lowest particle at the end [m].
    pub lowest: Real,
    /// Largest l/L of a spring at the end.
    pub longest: Real,
    /// Farthest that a particle was from its end within the last second [m].
    pub unrest: Real,
}

/// Runs a sheet for some seconds. Its model's first collider is the surface.
pub fn run((mut model, state): Start, update: Update, seconds: Real) -> anyhow::Result<Reflected> {
    let surface = Obstacle::new(&model.colliders[0]);
    let surface = surface.at(0.0);
    model.change(|data| data.colliders.clear());
    let config = SolverConfig::named("velocity-verlet").expect("listed");
    let mut world = World::new(model, state, &config, STEPS[1]);
    let mut found = Reflected::default();
    let mut last_second: Vec<Vec<Vec3>> = Vec::new();
    while world.state.time < seconds {
        let h = STEPS[0] + (STEPS[1] - STEPS[0]) * uniform(SEED, found.steps[0] as u64);
        let before = world.state.clone();
        world.step_by(h)?;
        for (i, start) in before.positions.iter().enumerate() {
            let end = world.state.positions[i];
            // Its way meets the surface from either side.
            let Some([hit, n]) = surface.entry(*start, end).or_else(|| surface.entry(end, *start)) else {
                continue;
            };
            let [old, new] = [before.velocities[i], world.state.velocities[i]];
            let reflected = |v: Vec3| v - n * (2.0 * v.dot(n));
            (world.state.positions[i], world.state.velocities[i]) = match update {
                Update::Velocity => (hit + reflected(new) * h, reflected(new)),
                Update::Acceleration => {
                    let by_acceleration = end - *start - old * h; // h² a/2
                    (hit + reflected(old) * h + by_acceleration, reflected(old) + (new - old))
                }
            };
        }
        let depths = world.state.positions.iter().map(|x| surface.depth(*x));
        let (below, deepest) = depths.fold((0, 0.0), |(count, deepest): (usize, Real), depth| {
            (count + usize::from(depth > ROUNDING), deepest.max(depth))
        });
        found.steps[0] += 1;
        found.steps[1] += usize::from(below > 0);
        found.most_below = found.most_below.max(below);
        found.deepest = found.deepest.max(deepest);
        if world.state.time > seconds - 1.0 {
            last_second.push(world.state.positions.clone());
        }
    }
    let x = &world.state.positions;
    found.lowest = x.iter().map(|x| x.z).fold(Real::INFINITY, Real::min);
    found.longest = 1.0 + Stretch::of(&world.model, x).max;
    let ways = last_second.iter().flat_map(|then| then.iter().zip(x).map(|(a, b)| a.distance(*b)));
    found.unrest = ways.fold(0.0, Real::max);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use muslin::forces::PointLoad;
    use muslin::model::{Model, ModelData};
    use muslin::profile::Profile;
    use muslin::shape::Shape;
    use muslin::state::State;

    /// One particle, thrown at a plane with no force: it comes back as fast, and is never below.
    #[test]
    fn a_particle_is_reflected() {
        for update in Update::ALL {
            let (model, state) = thrown(Vec3::ZERO);
            let found = run((model, state), update, 1.0).unwrap();
            assert_eq!((found.steps[1], found.most_below), (0, 0));
            // From 0.5 m down and up again at 1 m/s within 1 s; the way after the hit counts for the whole step.
            assert!((0.48..0.54).contains(&found.lowest), "{}", found.lowest);
        }
    }

    /// Pressed down from rest on the surface, only a position updated by the acceleration ends below it.
    #[test]
    fn a_force_pushes_it_through_by_its_acceleration_alone() {
        let below = Update::ALL.map(|update| {
            let (model, mut state) = thrown(Vec3::Z * -20.0);
            state.positions[0].z = 1e-3;
            state.velocities[0] = Vec3::ZERO;
            run((model, state), update, 1.0).unwrap().steps[1]
        });
        assert!(below[0] == 0 && below[1] > 0, "{below:?}");
    }

    fn thrown(force: Vec3) -> Start {
        let data = ModelData { masses: vec![1.0], inverse_masses: vec![1.0], ..ModelData::default() };
        let mut model = Model::from(data);
        model.change(|data| {
            data.forces.loads.push(PointLoad { particles: vec![0], force, profile: Profile::Constant });
        });
        model.change(|data| {
            data.colliders =
                vec![Shape::Cuboid { center: Vec3::Z * -0.5, size: Vec3::ONE, rotation: Vec3::ZERO }.into()];
        });
        let mut state = State::at_rest(vec![Vec3::Z * 0.5]);
        state.velocities[0] = -Vec3::Z;
        (model, state)
    }
}
