//! From springs to constraints, in the order in which they are solved.

use super::motion::Motion;
use crate::elements::{Rod, Spring};
use crate::math::Real;
use crate::model::Model;
use crate::parts::coloring::{NOBODY, colors};

/// A spring or a damper as a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The two particles; the second one can move.
    pub ends: [u32; 2],
    /// L [m].
    pub rest_length: Real,
    /// k [N/m]; infinite for a rod.
    pub stiffness: Real,
    /// c [N·s/m].
    pub damping: Real,
    /// Lowest and highest λ: one is 0 where the spring acts on one side only, else infinite.
    pub bounds: [Real; 2],
}

/// What a row becomes with a substep and masses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Terms {
    /// α̃ = 1/(k h² + c h) [1/kg].
    pub compliance: Real,
    /// w_a + w_b [1/kg].
    pub mobility: Real,
    /// (c/h)/(k + c/h).
    pub viscous: Real,
    /// k/(k + c/h).
    pub elastic: Real,
}

impl Row {
    /// The row's terms.
    pub fn terms(&self, motion: &Motion) -> Terms {
        let h = motion.h;
        let stiffness = self.stiffness * h + self.damping;
        let compliance = 1.0 / (stiffness * h);
        let [a, b] = self.ends.map(|end| motion.inverse_masses[end as usize]);
        let elastic = if stiffness.is_finite() { self.stiffness * h / stiffness } else { 1.0 };
        Terms { compliance, mobility: a + b, viscous: self.damping / stiffness, elastic }
    }
}

/// Rows that share no particle that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Color {
    /// The rows.
    pub rows: Vec<Row>,
    /// The first end of each is held.
    pub anchored: bool,
    /// Some act on one side only.
    pub bounded: bool,
}

const BOTH: [Real; 2] = [Real::NEG_INFINITY, Real::INFINITY];
const PULLS: [Real; 2] = [Real::NEG_INFINITY, 0.0];
const PUSHES: [Real; 2] = [0.0, Real::INFINITY];

/// The springs and rods of a model as constraints, by colours; and those that are none: dead zones, and dampers that rest
/// with their spring.
pub fn of(model: &Model) -> (Vec<Color>, Vec<Spring>) {
    let (mut rows, mut others) = (Vec::new(), Vec::new());
    let rigid = |rod: &Rod| Spring::new(rod.ends, rod.length, Real::INFINITY);
    let rods: Vec<Spring> = model.elements.rods.iter().map(rigid).collect();
    for spring in model.elements.springs.iter().chain(&rods) {
        let held = spring.ends.map(|end| model.is_held(end as usize));
        if held == [true; 2] || (spring.stiffness <= 0.0 && spring.damping <= 0.0) {
            continue;
        }
        // What moves comes last.
        let [a, b] = spring.ends;
        let ends = if held[1] { [b, a] } else { [a, b] };
        let Spring { rest_length, stiffness, damping, .. } = *spring;
        let row = |stiffness, damping, bounds| Row { ends, rest_length, stiffness, damping, bounds };
        match bounds(spring) {
            Some(BOTH) => rows.push(row(stiffness, damping, BOTH)),
            Some(side) if damping == 0.0 => rows.push(row(stiffness, 0.0, side)),
            Some(side) if spring.damps_when_slack => {
                rows.push(row(0.0, damping, BOTH));
                if stiffness > 0.0 {
                    rows.push(row(stiffness, 0.0, side));
                }
            }
            _ => others.push(*spring),
        }
    }
    let anchored = |row: &Row| model.is_held(row.ends[0] as usize);
    let mut all = Vec::new();
    // Free rows first, then those that hang on pins, tethers among them.
    for (hangs, bounded) in [(false, false), (false, true), (true, false), (true, true)] {
        let mine: Vec<Row> = rows
            .iter()
            .filter(|row| anchored(row) == hangs && (row.bounds != BOTH) == bounded)
            .copied()
            .collect();
        let ends: Vec<[u32; 2]> =
            mine.iter().map(|row| if hangs { [NOBODY, row.ends[1]] } else { row.ends }).collect();
        all.extend(colors(&ends, model.len()).into_iter().map(|color| Color {
            rows: color.into_iter().map(|k| mine[k as usize]).collect(),
            anchored: hangs,
            bounded,
        }));
    }
    (all, others)
}

/// On which side a spring acts; none for a dead zone.
fn bounds(spring: &Spring) -> Option<[Real; 2]> {
    match spring.slack {
        [low, high] if low > high => Some(BOTH),
        [Real::NEG_INFINITY, 0.0] => Some(PULLS),
        [0.0, Real::INFINITY] => Some(PUSHES),
        _ => None,
    }
}
