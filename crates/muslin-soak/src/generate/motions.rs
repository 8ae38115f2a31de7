//! Motions of pins and solids, possible and impossible ones.

use super::{Plan, table, vector};
use crate::random::Random;
use muslin::math::{Real, Vec3};
use toml::{Table, Value};

/// Any motion about a point; `axis`, if there is one, is the only one to turn about.
pub fn motion(random: &mut Random, plan: &Plan, pivot: Vec3, axis: Option<Vec3>) -> Option<Value> {
    let duration = plan.duration();
    let until = duration * random.between(0.2, 1.2);
    let from = if random.chance(0.6) { 0.0 } else { until * random.unit() };
    let kind = match random.whole(0, 9) {
        0..=2 => return None,
        3 | 4 => {
            let velocity = towards(random, plan, pivot) * plan.speed(random, 0.003, 2.0);
            let entries = [
                ("velocity", vector(velocity)),
                ("from", Value::Float(from)),
                ("until", Value::Float(until)),
            ];
            ("translate", table(entries))
        }
        5 => {
            let axis = axis.unwrap_or_else(|| random.axis_or_direction());
            let center = pivot + random.in_cube() * (plan.size * random.pick(&[0.0, 0.3, 1.0]));
            let turns = random.log(1e-3, 20.0) / plan.dt * random.pick(&[1.0, -1.0]);
            let entries = [
                ("center", vector(center)),
                ("axis", vector(axis)),
                ("turns_per_second", Value::Float(turns)),
                ("from", Value::Float(from)),
                ("until", Value::Float(until)),
            ];
            ("rotate", table(entries))
        }
        6 | 7 => {
            let amplitude = towards(random, plan, pivot) * (plan.size * random.log(0.03, 1.5));
            let frequency = random.log(0.01, 10.0) / plan.dt;
            let entries = [("amplitude", vector(amplitude)), ("frequency", Value::Float(frequency))];
            ("oscillate", table(entries))
        }
        _ => ("keyframes", keyframes(random, plan, pivot, axis)),
    };
    Some(table([kind]))
}

/// Towards the middle of the scene, mostly.
fn towards(random: &mut Random, plan: &Plan, from: Vec3) -> Vec3 {
    let inward = (plan.center - from).try_normalize();
    match inward {
        Some(inward) if random.chance(0.6) => inward,
        _ => random.axis_or_direction(),
    }
}

fn keyframes(random: &mut Random, plan: &Plan, pivot: Vec3, axis: Option<Vec3>) -> Value {
    let count = random.whole(2, 5);
    let mut time = plan.duration() * random.between(0.0, 0.3);
    let (mut times, mut positions, mut rotations) = (Vec::new(), Vec::new(), Vec::new());
    let (moves, turns) = (random.chance(0.85), random.chance(0.4));
    let mut place = Vec3::ZERO;
    for k in 0..count {
        times.push(Value::Float(time));
        positions.push(vector(place));
        let axis = axis.unwrap_or_else(|| random.direction());
        rotations.push(vector(if k == 0 { Vec3::ZERO } else { axis * random.between(-3.0, 3.0) }));
        // Now and then, all the way within a part of a step.
        let pause = if random.chance(0.3) {
            plan.dt * random.log(1e-3, 1.0)
        } else {
            plan.dt * random.log(1.0, 30.0)
        };
        time += pause;
        place += towards(random, plan, pivot + place) * (plan.size * random.log(0.01, 2.0));
    }
    let mut entries = Table::new();
    entries.insert("times".to_owned(), Value::Array(times));
    if moves || !turns {
        entries.insert("positions".to_owned(), Value::Array(positions));
    }
    if turns {
        entries.insert("rotations".to_owned(), Value::Array(rotations));
        entries.insert("center".to_owned(), vector(pivot));
    }
    Value::Table(entries)
}

/// A length between parts of the cloth's size [m].
pub fn length(random: &mut Random, plan: &Plan, low: Real, high: Real) -> Real {
    plan.size * random.log(low, high)
}
