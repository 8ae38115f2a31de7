//! Solids as contact sees them: vertices that move together, and walls.

use super::collision_mesh::SolidSurface;
use crate::body::{BodyState, Pose};
use crate::contact::Owner;
use crate::contact::settings::{CATCH_UP, COUNTABLE_SWEEP};
use crate::math::{Real, Vec3};
use crate::model::Model;
use crate::script::Motion;
use crate::shape::{Collider, Core};
use crate::state::State;

/// The solids of a model.
#[derive(Clone, Debug, Default)]
pub struct Solids {
    /// Solids with vertices, then rigid bodies: body k + 1 of the surface.
    pub bodies: Vec<Solid>,
    /// Half-spaces.
    pub walls: Vec<Wall>,
    /// Which rigid body each of `bodies` is.
    pub numbers: Vec<Option<u32>>,
}

/// A solid with vertices.
#[derive(Clone, Debug)]
pub struct Solid {
    surface: SolidSurface,
    drive: Drive,
    /// Its own clock, which lags behind the world's when cloth blocks it [s].
    pub time: Real,
    /// Where the clock is to go in this step [s].
    pub goal: Real,
}

/// What drives a solid.
#[derive(Clone, Debug)]
enum Drive {
    /// By a script.
    Script(Motion),
    /// From pose to pose in a time [s], as a body.
    Poses { from: Pose, to: Pose, span: [Real; 2] },
}

/// All the space below a plane.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Its owner.
    pub owner: Owner,
    point: Vec3,
    normal: Vec3,
    motion: Motion,
    /// Thickness of the layer above it that counts as solid [m].
    pub radius: Real,
    /// Its own clock, and where that is to go in this step [s].
    pub time: Real,
    pub goal: Real,
}

impl Solids {
    /// The solids of a model at a time [s].
    pub fn new(model: &Model, time: Real) -> Self {
        let mut solids = Self::default();
        for (k, collider) in model.colliders.iter().enumerate() {
            solids.add(collider, Owner::Collider(k), time);
        }
        solids.numbers.resize(solids.bodies.len(), None);
        for (k, body) in model.bodies.iter().enumerate() {
            let shape = Collider { thickness: body.thickness, ..body.shape.clone().into() };
            // A plane is no body.
            let Some(mut surface) = with_vertices(&shape, Owner::Body(k)) else { continue };
            for position in &mut surface.positions {
                *position -= body.center;
            }
            let pose = body.at_start().pose;
            let drive = Drive::Poses { from: pose, to: pose, span: [time, time] };
            solids.bodies.push(Solid { surface, drive, time, goal: time });
            solids.numbers.push(Some(k as u32));
        }
        solids
    }

    fn add(&mut self, collider: &Collider, owner: Owner, time: Real) {
        let motion = collider.motion.clone();
        match with_vertices(collider, owner) {
            Some(surface) => {
                self.bodies.push(Solid { surface, drive: Drive::Script(motion), time, goal: time });
            }
            None => {
                if let Core::HalfSpace { point, normal } = collider.core() {
                    let radius = collider.thickness;
                    self.walls.push(Wall { owner, point, normal, motion, radius, time, goal: time });
                }
            }
        }
    }

    /// Sets the clock of a solid [s].
    pub fn set_clock(&mut self, owner: Owner, time: Real) {
        let bodies = self.bodies.iter_mut().filter(|solid| solid.surface.owner == owner);
        bodies.for_each(|solid| (solid.time, solid.goal) = (time, time));
        let walls = self.walls.iter_mut().filter(|wall| wall.owner == owner);
        walls.for_each(|wall| (wall.time, wall.goal) = (time, time));
    }

    /// Takes over the motions of the same colliders.
    pub fn take_motions(&mut self, colliders: &[Collider]) {
        for solid in &mut self.bodies {
            if let (Owner::Collider(k), Drive::Script(motion)) = (solid.surface.owner, &mut solid.drive) {
                motion.clone_from(&colliders[k].motion);
            }
        }
        for wall in &mut self.walls {
            if let Owner::Collider(k) = wall.owner {
                wall.motion.clone_from(&colliders[k].motion);
            }
        }
    }

    /// The surfaces of all solids with vertices.
    pub fn surfaces(&self) -> Vec<SolidSurface> {
        self.bodies.iter().map(|solid| solid.surface.clone()).collect()
    }

    /// Where all their vertices are [m], each solid by its own clock.
    pub fn positions(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.bodies.iter().flat_map(|solid| solid.positions(solid.time))
    }

    /// Where their vertices are in the shapes themselves, whatever their motions, and of bodies, at the start [m].
    pub fn rest_positions(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.bodies.iter().flat_map(|solid| match &solid.drive {
            Drive::Script(_) => solid.surface.positions.clone(),
            Drive::Poses { .. } => solid.positions(solid.time).collect(),
        })
    }

    /// Where all their vertices are to go in this step [m].
    pub fn targets(&self) -> impl Iterator<Item = Vec3> + '_ {
        self.bodies.iter().flat_map(|solid| solid.positions(solid.goal))
    }

    /// Sets the goals of a step of h [s] that ends at a time [s]. A script that lags catches up by and by: all at once, it would
    /// hit the cloth like a hammer.
    pub fn set_goals(&mut self, time: Real, h: Real) {
        for solid in &mut self.bodies {
            solid.goal = match solid.drive {
                Drive::Script(_) => time.min(solid.time + CATCH_UP * h),
                Drive::Poses { .. } => time,
            };
        }
        for wall in &mut self.walls {
            wall.goal = time.min(wall.time + CATCH_UP * h);
        }
    }

    /// Brings the goals of solids whose vertices, with these `targets` [m], go farther than an `edge` [m] nearer by half, or to
    /// [`COUNTABLE_SWEEP`] edges; whether there are any.
    pub fn shorten(&mut self, mut targets: &[Vec3], edge: Real) -> bool {
        let mut are_shorter = false;
        for solid in &mut self.bodies {
            let (own, rest) = targets.split_at(solid.len());
            targets = rest;
            let squares = solid.positions(solid.time).zip(own).map(|(x, y)| x.distance_squared(*y));
            let displacement = squares.fold(0.0, Real::max).sqrt();
            if displacement > edge {
                let fraction = (COUNTABLE_SWEEP * edge / displacement).min(0.5);
                solid.goal = solid.time + (solid.goal - solid.time) * fraction;
                are_shorter = true;
            }
        }
        are_shorter
    }

    /// Where a point that moves with a scripted solid, by its number among the bodies, gets from x in this step [m].
    pub fn carried(&self, body: usize, x: Vec3) -> Option<Vec3> {
        let solid = &self.bodies[body];
        match &solid.drive {
            Drive::Script(motion) => Some(carried(motion, x, solid.time, solid.goal)),
            Drive::Poses { .. } => None,
        }
    }

    /// The largest speed of a vertex in the next h [s], on the average over that time [m/s].
    pub fn fastest(&self, state: &State, h: Real) -> Real {
        let of_solids = self.bodies.iter().zip(&self.numbers).map(|(solid, body)| {
            let speed = |(x, next): (Vec3, Vec3)| match body {
                Some(body) => state.bodies[*body as usize].velocity_at(x),
                None => (next - x) / h,
            };
            let paths = solid.positions(solid.time).zip(solid.positions(solid.time + h));
            paths.map(speed).map(Vec3::length_squared).fold(0.0, Real::max).sqrt()
        });
        let of_walls = self.walls.iter().map(|wall| {
            let [from, to] = [wall.time, wall.time + h].map(|time| wall.plane(time).0);
            from.distance(to) / h
        });
        of_solids.chain(of_walls).fold(0.0, Real::max)
    }

    /// All clocks [s].
    pub fn clocks(&mut self) -> impl Iterator<Item = &mut Real> {
        let bodies = self.bodies.iter_mut().map(|solid| &mut solid.time);
        bodies.chain(self.walls.iter_mut().map(|wall| &mut wall.time))
    }

    /// The slowest clock [s] of a script; that of the world if there are none.
    pub fn slowest_clock(&self, time: Real) -> Real {
        let scripted = self.bodies.iter().filter(|solid| matches!(solid.drive, Drive::Script(_)));
        let clocks = scripted.map(|solid| solid.time).chain(self.walls.iter().map(|wall| wall.time));
        clocks.fold(time, Real::min)
    }

    /// The clock of a solid [s], if there is such a one.
    pub fn clock_of(&self, owner: Owner) -> Option<Real> {
        let bodies = self.bodies.iter().map(|solid| (solid.surface.owner, solid.time));
        let walls = self.walls.iter().map(|wall| (wall.owner, wall.time));
        bodies.chain(walls).find(|(of, _)| *of == owner).map(|(_, time)| time)
    }

    /// Where a rigid body was at the start of its path.
    pub fn start_of_body(&self, body: u32) -> Option<Pose> {
        match self.body(body)?.drive {
            Drive::Poses { from, .. } => Some(from),
            Drive::Script(_) => None,
        }
    }

    /// Where a rigid body got on its path.
    pub fn end_of_body(&self, body: u32) -> Option<Pose> {
        self.body(body).and_then(|solid| solid.pose(solid.time))
    }

    fn body(&self, body: u32) -> Option<&Solid> {
        self.numbers.iter().position(|number| *number == Some(body)).map(|k| &self.bodies[k])
    }

    /// Puts rigid bodies where they are at a time [s].
    pub fn put_bodies(&mut self, states: &[BodyState], time: Real) {
        for (solid, number) in self.bodies.iter_mut().zip(&self.numbers) {
            if let Some(state) = number.and_then(|k| states.get(k as usize)) {
                solid.drive = Drive::Poses { from: state.pose, to: state.pose, span: [time, time] };
                solid.time = time;
            }
        }
    }

    /// Lets rigid bodies go to poses, by a time [s].
    pub fn send_bodies(&mut self, poses: impl Fn(usize) -> Pose, time: Real) {
        for (solid, number) in self.bodies.iter_mut().zip(&self.numbers) {
            if let (Some(k), Drive::Poses { to, span, .. }) = (number, &mut solid.drive) {
                (*to, span[1]) = (poses(*k as usize), time);
            }
        }
    }
}

impl Solid {
    /// Where its vertices are at a time [m].
    pub fn positions(&self, time: Real) -> impl Iterator<Item = Vec3> + Clone + '_ {
        let pose = self.pose(time);
        self.surface.positions.iter().map(move |&start| match (&self.drive, &pose) {
            (Drive::Script(motion), _) => motion.at(time, start).0,
            (Drive::Poses { .. }, Some(pose)) => pose.place(start),
            (Drive::Poses { from, .. }, None) => from.place(start),
        })
    }

    /// The pose of a rigid body at a time [s].
    pub fn pose(&self, time: Real) -> Option<Pose> {
        match &self.drive {
            Drive::Script(_) => None,
            Drive::Poses { from, to, span: [start, end] } => {
                let fraction =
                    if end > start { ((time - start) / (end - start)).clamp(0.0, 1.0) } else { 1.0 };
                Some(if fraction > 0.0 { from.towards(to, fraction) } else { *from })
            }
        }
    }

    /// How many vertices it has.
    pub fn len(&self) -> usize {
        self.surface.positions.len()
    }
}

/// The surface of a solid; none for a half-space.
fn with_vertices(collider: &Collider, owner: Owner) -> Option<SolidSurface> {
    let thickness = collider.thickness;
    let surface = match collider.core() {
        Core::HalfSpace { .. } => return None,
        Core::Round { ends: [a, b], radius } if a == b => SolidSurface {
            positions: vec![a],
            edges: vec![[0, 0]],
            radius: radius + thickness,
            ..SolidSurface::default()
        },
        Core::Round { ends, radius } => SolidSurface {
            positions: ends.to_vec(),
            edges: vec![[0, 1]],
            radius: radius + thickness,
            ..SolidSurface::default()
        },
        Core::Faces { positions, triangles } => {
            SolidSurface { positions, triangles, radius: thickness, ..SolidSurface::default() }
        }
    };
    Some(SolidSurface { owner, ..surface })
}

impl Wall {
    /// A point of the plane at a time [m], and the normal.
    pub fn plane(&self, time: Real) -> (Vec3, Vec3) {
        let point = self.motion.at(time, self.point).0;
        let normal = self.motion.at(time, self.point + self.normal).0 - point;
        (point, normal.normalize_or(Vec3::Z))
    }

    /// Whether a point lies below it, where it is now.
    pub fn is_below(&self, x: Vec3) -> bool {
        let (point, normal) = self.plane(self.time);
        normal.dot(x - point) < self.radius
    }

    /// How far it gets from where it is in this step, at any moment [m].
    pub fn farthest(&self) -> Real {
        self.motion.farthest(self.time, self.goal)
    }

    /// Where a point that moves with the wall gets from x in this step [m].
    pub fn carried(&self, x: Vec3) -> Vec3 {
        carried(&self.motion, x, self.time, self.goal)
    }
}

/// Where a point gets from x, between two times [s].
fn carried(motion: &Motion, x: Vec3, from: Real, to: Real) -> Vec3 {
    if matches!(motion, Motion::Still) || from == to {
        return x;
    }
    motion.frame(to).place(motion.frame(from).trace_back(x))
}
