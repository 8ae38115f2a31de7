//! The judge: whether cloth passes through anything, at a moment and on the way between two.
//!
//! Brute force over all pairs, by exact predicates, and with nothing of the library's contact but the shapes of the solids and
//! their clocks. What is judged:
//!
//! - triangles of cloth against each other, those with a common corner included; those with a common edge always meet, in it;
//! - threads against triangles;
//! - triangles and threads against the triangles of solids and bodies, and their layers of thickness;
//! - particles against half-spaces, and as to whether they are inside of closed solids;
//! - triangles and threads against balls and capsules.

pub mod distance;
pub mod exact;
pub mod solids;
pub mod sweep;

#[cfg(test)]
mod tests;

use distance::{segment_triangle, triangle_triangle};
use exact::{Triangle, fans_meet, is_inside, segment_meets_triangle, triangles_meet};
use muslin::contact::{ContactLaw, SurfaceContact};
use muslin::elements::SpringFamily;
use muslin::math::{Real, Vec3};
use muslin::mesh::Face;
use muslin::model::Model;
use muslin::state::State;
use solids::{Form, Placed, Solid, solids_of};

/// What the judge found.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// In a few words, the same for all findings of a kind.
    pub kind: String,
    /// Which parts, and where.
    pub detail: String,
}

impl Finding {
    /// A finding.
    pub fn new(kind: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind: kind.into(), detail: detail.into() }
    }
}

/// What of a model can touch.
#[derive(Clone, Debug)]
pub struct Judge {
    /// Particles that can touch.
    vertices: Vec<u32>,
    /// Triangles of the cloth.
    triangles: Vec<[u32; 3]>,
    /// Threads of ropes and nets, which are no sides of triangles.
    threads: Vec<[u32; 2]>,
    /// Particles of neither.
    loose: Vec<u32>,
    solids: Vec<Solid>,
    /// Whether cloth must keep off cloth.
    touches_itself: bool,
}

/// A box around a part.
#[derive(Clone, Copy)]
struct Room([Vec3; 2]);

impl Room {
    fn of(points: &[Vec3], margin: Real) -> Self {
        let low = points.iter().fold(Vec3::INFINITY, |low, &x| low.min(x));
        let high = points.iter().fold(Vec3::NEG_INFINITY, |high, &x| high.max(x));
        Self([low - Vec3::splat(margin), high + Vec3::splat(margin)])
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.0[0].cmple(other.0[1]).all() && other.0[0].cmple(self.0[1]).all()
    }
}

/// Error of a distance between points with coordinates of this size [m]: coordinates are multiples of 2ε of their size, a unit
/// normal is off by as much, and half a dozen roundings follow.
pub fn rounding(size: Real) -> Real {
    16.0 * Real::EPSILON * size
}

impl Judge {
    /// Of a model's cloth and solids.
    pub fn new(model: &Model) -> Self {
        let triangles: Vec<[u32; 3]> = model.faces.iter().flat_map(Face::triangles).collect();
        let mut is_woven = vec![false; model.len()];
        triangles.iter().flatten().for_each(|&v| is_woven[v as usize] = true);
        let structural = model.elements.springs.iter().filter(|s| s.family == SpringFamily::Structural);
        let links = structural.map(|s| s.ends).chain(model.elements.rods.iter().map(|rod| rod.ends));
        let threads: Vec<[u32; 2]> =
            links.filter(|ends| ends.iter().any(|&end| !is_woven[end as usize])).collect();
        let mut can_touch = is_woven;
        threads.iter().flatten().for_each(|&v| can_touch[v as usize] = true);
        // Particles within soft solids touch nothing.
        let has_inner = !model.elements.tets.is_empty();
        let vertices: Vec<u32> =
            (0..model.len() as u32).filter(|&v| can_touch[v as usize] || !has_inner).collect();
        let loose = vertices.iter().copied().filter(|&v| !can_touch[v as usize]).collect();
        let touches_itself = surface_law(model).is_some_and(|law| law.self_contact);
        Self { vertices, triangles, threads, loose, solids: solids_of(model), touches_itself }
    }

    /// Whether cloth must keep off cloth.
    pub fn touches_itself(&self) -> bool {
        self.touches_itself
    }

    /// The first thing that is wrong at a moment, if any; `clocks` holds the times of the scripted solids [s].
    pub fn judge(&self, model: &Model, state: &State, clocks: &[Real]) -> Option<Finding> {
        let x = &state.positions[..];
        let placed: Vec<Placed> = self.solids.iter().map(|s| s.place(model, state, clocks)).collect();
        self.against_solids(&placed, x)
            .or_else(|| if self.touches_itself { self.against_cloth(x) } else { None })
    }

    fn corners(t: [u32; 3], x: &[Vec3]) -> Triangle {
        t.map(|v| x[v as usize])
    }

    fn against_cloth(&self, x: &[Vec3]) -> Option<Finding> {
        let rooms: Vec<Room> = self.triangles.iter().map(|&t| Room::of(&Self::corners(t, x), 0.0)).collect();
        for (i, &s) in self.triangles.iter().enumerate() {
            for (j, &t) in self.triangles.iter().enumerate().skip(i + 1) {
                if rooms[i].overlaps(&rooms[j])
                    && let Some(kind) = cloth_meets(s, t, x)
                {
                    let place = x[s[0] as usize];
                    return Some(Finding::new(kind, format!("triangles {s:?} and {t:?} at {place}")));
                }
            }
        }
        for &[a, b] in &self.threads {
            let thread = [x[a as usize], x[b as usize]];
            let room = Room::of(&thread, 0.0);
            for (t, other) in self.triangles.iter().zip(&rooms) {
                if !t.contains(&a)
                    && !t.contains(&b)
                    && room.overlaps(other)
                    && segment_meets_triangle(thread, Self::corners(*t, x))
                {
                    let detail = format!("thread {a}-{b} and triangle {t:?} at {}", thread[0]);
                    return Some(Finding::new("thread through cloth", detail));
                }
            }
        }
        None
    }

    fn against_solids(&self, placed: &[Placed], x: &[Vec3]) -> Option<Finding> {
        placed.iter().find_map(|solid| match &solid.form {
            Form::HalfSpace { point, normal } => self.below(solid, *point, *normal, x),
            Form::Round { ends, radius } => self.within(solid, *ends, *radius + solid.layer, x),
            Form::Faces { positions, triangles, is_closed } => {
                let faces: Vec<Triangle> = triangles.iter().map(|&t| Self::corners(t, positions)).collect();
                let through = self.through(solid, &faces, x);
                through.or_else(|| if *is_closed { self.inside(solid, &faces, x) } else { None })
            }
        })
    }

    fn below(&self, solid: &Placed, point: Vec3, normal: Vec3, x: &[Vec3]) -> Option<Finding> {
        self.vertices.iter().find_map(|&v| {
            let x = x[v as usize];
            let height = normal.dot(x - point) - solid.layer;
            let size = x.length() + point.length() + solid.layer;
            let detail = || format!("particle {v} at {x} is {:e} m below {}", -height, solid.name);
            (height < -rounding(size)).then(|| Finding::new(format!("below {}", solid.kind), detail()))
        })
    }

    /// Triangles, threads as triangles without area, and loose particles as points.
    fn parts(&self) -> impl Iterator<Item = [u32; 3]> + '_ {
        let threads = self.threads.iter().map(|&[a, b]| [a, b, b]);
        let points = self.loose.iter().map(|&v| [v, v, v]);
        self.triangles.iter().copied().chain(threads).chain(points)
    }

    fn within(&self, solid: &Placed, ends: [Vec3; 2], radius: Real, x: &[Vec3]) -> Option<Finding> {
        let room = Room::of(&ends, radius);
        self.parts().find_map(|part| {
            let corners = Self::corners(part, x);
            if !Room::of(&corners, 0.0).overlaps(&room) {
                return None;
            }
            let distance = segment_triangle(ends, corners);
            let size = ends[0].length() + ends[1].length() + radius;
            let detail =
                || format!("{part:?} at {} is {:e} m within {}", corners[0], radius - distance, solid.name);
            (distance < radius - rounding(size))
                .then(|| Finding::new(format!("within {}", solid.kind), detail()))
        })
    }

    fn through(&self, solid: &Placed, faces: &[Triangle], x: &[Vec3]) -> Option<Finding> {
        let all: Vec<Vec3> = faces.iter().flatten().copied().collect();
        let room = Room::of(&all, solid.layer);
        let rooms: Vec<Room> = faces.iter().map(|face| Room::of(face, solid.layer)).collect();
        for part in self.parts() {
            let corners = Self::corners(part, x);
            let own = Room::of(&corners, 0.0);
            if !own.overlaps(&room) {
                continue;
            }
            for (face, _) in faces.iter().zip(&rooms).filter(|(_, room)| own.overlaps(room)) {
                if triangles_meet(corners, *face) {
                    let what = if part[1] == part[2] { "thread" } else { "cloth" };
                    let detail = format!("{part:?} at {} and {}", corners[0], solid.name);
                    return Some(Finding::new(format!("{what} through {}", solid.kind), detail));
                }
                if solid.layer > 0.0 {
                    let distance = triangle_triangle(corners, *face);
                    let size = corners[0].length() + face[0].length() + solid.layer;
                    if distance < solid.layer - rounding(size) {
                        let detail =
                            format!("{part:?} at {} is {distance:e} m from {}", corners[0], solid.name);
                        return Some(Finding::new(format!("in the layer of {}", solid.kind), detail));
                    }
                }
            }
        }
        None
    }

    fn inside(&self, solid: &Placed, faces: &[Triangle], x: &[Vec3]) -> Option<Finding> {
        self.vertices.iter().find_map(|&v| {
            let detail = || format!("particle {v} at {} is inside of {}", x[v as usize], solid.name);
            is_inside(x[v as usize], faces).then(|| Finding::new(format!("inside {}", solid.kind), detail()))
        })
    }
}

/// The law of surfaces, if it is the model's.
pub fn surface_law(model: &Model) -> Option<SurfaceContact> {
    match model.contact {
        ContactLaw::Surface(law) => Some(law),
        _ => None,
    }
}

/// How two triangles of cloth meet, if they do.
fn cloth_meets(s: [u32; 3], t: [u32; 3], x: &[Vec3]) -> Option<&'static str> {
    let mut shared = s.iter().copied().filter(|v| t.contains(v));
    match (shared.next(), shared.next()) {
        (None, _) => {
            triangles_meet(Judge::corners(s, x), Judge::corners(t, x)).then_some("cloth through cloth")
        }
        (Some(v), None) => {
            let others = |t: [u32; 3]| {
                let k = t.iter().position(|&w| w == v).unwrap_or(0);
                [t[(k + 1) % 3], t[(k + 2) % 3]].map(|w| x[w as usize])
            };
            fans_meet(x[v as usize], others(s), others(t)).then_some("cloth through cloth at a common vertex")
        }
        _ => None, // they meet in their common edge
    }
}

/// The largest speed of a particle or a body [m/s].
pub fn largest_speed(state: &State) -> Real {
    let bodies = state.bodies.iter().map(|body| body.velocity);
    state.velocities.iter().copied().chain(bodies).map(Vec3::length).fold(0.0, Real::max)
}

/// The first number of a state that is none.
pub fn non_finite(state: &State) -> Option<Finding> {
    let find = |list: &[Vec3]| list.iter().position(|x| !x.is_finite());
    let detail = if !state.time.is_finite() {
        format!("time is {}", state.time)
    } else if let Some(v) = find(&state.positions) {
        format!("particle {v} is at {}", state.positions[v])
    } else if let Some(v) = find(&state.velocities) {
        format!("particle {v} has the velocity {}", state.velocities[v])
    } else if let Some(k) = state.bodies.iter().position(|body| !body.is_finite()) {
        format!("body {k} is {:?}", state.bodies[k])
    } else {
        return None;
    };
    Some(Finding::new("non-finite state", detail))
}
