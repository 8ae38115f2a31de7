//! Repair of a start that is not clean.
//!
//! ```text
//! fault     two triangles that intersect, or a particle inside a solid
//! lift      x + s d: a patch moves along one direction d until it is free; around it s falls by at most ½ m per metre
//! smooth    a patch becomes a film over its border, where no lift helps
//! aside     a piece of cloth without pins moves away as a whole, where neither helps
//! ```
//!
//! All of these are trials: of those for one patch the one that leaves the fewest faults and moves the cloth
//! least is taken, and only if it leaves fewer faults than there were. So the repair ends, and never makes a start worse.
//! Which side of a sheet is the wrong one is told by the smaller of the two regions that the cut divides it into
//! [Baraff, Witkin, Kass 2003].

mod aside;
mod lift;
mod patch;
mod smooth;
mod within;

use super::audit::{Intersection, intersections, intersections_within};
use super::broad_phase::Aabb;
use super::mesh::collision_mesh::CollisionMesh;
use crate::contact_law::SurfaceContact;
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::state::State;
pub use within::Inside;
use within::Interior;

/// Passes over all patches at the most.
const PASSES: u32 = 32;
/// Distance at which features are put, as a multiple of the one they have to keep: a little more, so that contact need not push them.
const CLEARANCE: Real = 1.05;

/// What was wrong with a start, and what was done about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RepairReport {
    /// What was wrong.
    pub before: Faults,
    /// What still is.
    pub after: Faults,
    /// How many particles were moved.
    pub moved: usize,
    /// The particle that was moved farthest.
    pub farthest: Option<Moved>,
}

/// What is wrong with positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Features of surfaces that intersect.
    pub pairs: Vec<Intersection>,
    /// Particles inside solids.
    pub inside: Vec<Inside>,
}

/// A particle that was moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// Which.
    pub particle: u32,
    /// From where [m].
    pub from: Vec3,
    /// To where [m].
    pub to: Vec3,
}

impl Moved {
    /// How far [m].
    pub fn distance(&self) -> Real {
        self.from.distance(self.to)
    }
}

impl Faults {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.pairs.len() + self.inside.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

/// All that a repair needs to know.
#[derive(Debug)]
pub struct Repair<'a> {
    surface: &'a CollisionMesh,
    /// Reciprocal masses of the particles [1/kg]; 0 for pinned ones.
    inverse_masses: &'a [Real],
    interiors: Vec<Interior>,
    self_contact: bool,
    /// Distance that cloth keeps from cloth [m].
    thickness: Real,
    mean_edge: Real,
    /// Connectivity: neighbours of each particle.
    neighbours: Vec<Vec<u32>>,
    /// Which piece each particle belongs to, and whether that piece is free of pins.
    pieces: Vec<u32>,
    free: Vec<bool>,
}

impl<'a> Repair<'a> {
    /// The surface of a model in a state; `sizes` are the thickness and the mean edge of the cloth [m].
    pub fn new(
        model: &'a Model,
        law: &SurfaceContact,
        surface: &'a CollisionMesh,
        state: &State,
        sizes: [Real; 2],
    ) -> Self {
        let neighbours = neighbours(model, surface);
        let pieces = aside::pieces(&neighbours);
        let free = aside::free(model, &pieces);
        Self {
            surface,
            inverse_masses: &model.inverse_masses,
            interiors: within::interiors(model, state),
            self_contact: law.self_contact,
            thickness: sizes[0],
            mean_edge: sizes[1],
            neighbours,
            pieces,
            free,
        }
    }

    /// Moves the cloth among the vertices `x` [m] until nothing is wrong, or nothing more can be done.
    pub fn repair(&self, x: &mut Vec<Vec3>) -> RepairReport {
        let (start, before) = (x.clone(), self.faults(x));
        let mut faults = before.clone();
        for _ in 0..PASSES {
            if faults.is_empty() || !(self.lift_patches(x, &mut faults) || self.move_aside(x, &mut faults)) {
                break;
            }
        }
        let cloth = 0..self.inverse_masses.len();
        let moves = cloth.filter(|&p| x[p] != start[p]).map(|p| Moved {
            particle: p as u32,
            from: start[p],
            to: x[p],
        });
        let farthest =
            moves.clone().reduce(|best, moved| if moved.distance() > best.distance() { moved } else { best });
        RepairReport { before, after: faults, moved: moves.count(), farthest }
    }

    /// What is wrong with positions.
    pub fn faults(&self, x: &[Vec3]) -> Faults {
        let mut pairs = intersections(self.surface, x);
        pairs.retain(|pair| self.counts(pair));
        Faults { pairs, inside: within::inside(&self.interiors, self.surface, x) }
    }

    /// The pairs that intersect in a box.
    fn pairs_within(&self, x: &[Vec3], room: &Aabb) -> Vec<Intersection> {
        let mut pairs = intersections_within(self.surface, x, room);
        pairs.retain(|pair| self.counts(pair));
        pairs
    }

    fn counts(&self, pair: &Intersection) -> bool {
        self.self_contact || pair.with != super::Owner::Cloth
    }

    /// Tries all lifts of every patch and takes the best; whether any was worth it.
    fn lift_patches(&self, x: &mut Vec<Vec3>, faults: &mut Faults) -> bool {
        let mut improved = false;
        for patch in self.patches(x, faults) {
            if !patch.is_involved_in(faults) {
                continue; // another lift has freed it
            }
            let lifts = self.lifts(&patch, x);
            let trials = lifts.iter().filter_map(|lift| self.lifted(lift, x)).collect();
            improved |= self.take_best(trials, x, faults)
                || patch.is_layer() && self.take_best(self.smoothed(&patch, x), x, faults);
        }
        improved
    }

    /// Takes the trial that leaves the fewest faults and, of those, moves the cloth least; whether it left fewer than before.
    fn take_best(&self, trials: Vec<Vec<Vec3>>, x: &mut Vec<Vec3>, faults: &mut Faults) -> bool {
        let mut best: Option<(Vec<Vec3>, Faults, Real)> = None;
        for y in trials {
            let left = self.faults(&y);
            let farthest = x.iter().zip(&y).map(|(x, y)| x.distance_squared(*y)).fold(0.0, Real::max);
            let is_better = best.as_ref().is_none_or(|(_, least, shortest)| {
                (left.count(), farthest).partial_cmp(&(least.count(), *shortest))
                    == Some(std::cmp::Ordering::Less)
            });
            if is_better {
                best = Some((y, left, farthest));
            }
        }
        let Some((y, left, _)) = best.filter(|(_, left, _)| left.count() < faults.count()) else {
            return false;
        };
        (*x, *faults) = (y, left);
        true
    }

    fn is_pinned(&self, vertex: u32) -> bool {
        self.inverse_masses[vertex as usize] == 0.0
    }

    /// The triangles of the cloth.
    fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        self.surface.triangles.iter().copied().filter(|t| self.surface.is_cloth(t[0]))
    }
}

/// The particles that each particle is connected to, ascending.
fn neighbours(model: &Model, surface: &CollisionMesh) -> Vec<Vec<u32>> {
    let mut neighbours = vec![Vec::new(); model.len()];
    let springs = model.elements.springs.iter().map(|spring| spring.ends);
    let rods = model.elements.rods.iter().map(|rod| rod.ends);
    let edges = model.edges.iter().map(|edge| edge.ends);
    let sides = surface.edges.iter().copied().filter(|edge| surface.is_cloth(edge[0]));
    for [a, b] in springs.chain(rods).chain(edges).chain(sides) {
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    neighbours
}
