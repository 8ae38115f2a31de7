//! Colliders made ready for questions, and placed where they are during a step.
//!
//! ```text
//! own frame    a point x is asked for at R⁻¹(x); the answer's normal is turned by R
//! layer        a solid of thickness d reaches to distance d from its shape
//! shell        met by ways that cross it, and within its layer; pushes back to the side a way came from
//! ```

use super::Collider;
use super::distance::{Form, Touch};
use super::edge::SharpEdge;
use crate::math::{Real, Vec3};
use crate::script::{Frame, Motion};

/// A collider made ready for questions: hulls are found, triangles sorted into trees.
#[derive(Clone, Debug)]
pub struct Obstacle {
    form: Form,
    motion: Motion,
    thickness: Real,
    /// Box around shape and layer, at time 0 [m].
    bounds: [Vec3; 2],
    /// Least distance that a shell keeps, so that its sides are told apart [m].
    skin: Real,
    /// Edges that cut, at time 0.
    sharp_edges: Vec<SharpEdge>,
}

/// An obstacle during a step, or at a moment.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    obstacle: &'a Obstacle,
    /// At the step's start and at its end; none if it does not move.
    frames: Option<[Frame; 2]>,
}

impl Obstacle {
    /// Prepares a collider. What cannot be (a flat hull, a mesh without triangles) is met by nothing.
    pub fn new(collider: &Collider) -> Self {
        let form = Form::of(&collider.shape);
        let [low, high] = form.bounds();
        let reach = low.abs().max(high.abs()).max_element();
        let thickness = collider.thickness;
        Self {
            form,
            motion: collider.motion.clone(),
            thickness,
            bounds: [low - thickness, high + thickness],
            skin: if reach.is_finite() { 1e-9 * reach } else { 0.0 },
            sharp_edges: collider.sharp_edges(),
        }
    }

    /// Box around shape and layer, at time 0 [m].
    pub(crate) fn bounds(&self) -> [Vec3; 2] {
        self.bounds
    }

    /// Its edges that cut, at time 0.
    pub fn sharp_edges(&self) -> &[SharpEdge] {
        &self.sharp_edges
    }

    /// The same shape with another motion.
    #[must_use]
    pub fn with_motion(&self, motion: Motion) -> Self {
        Self { motion, ..self.clone() }
    }

    /// The obstacle in a step from one time to another [s].
    pub fn during(&self, from: Real, until: Real) -> Placed<'_> {
        let moves = self.motion != Motion::Still;
        Placed { obstacle: self, frames: moves.then(|| [self.motion.frame(from), self.motion.frame(until)]) }
    }

    /// The obstacle on its way from one frame to another, whatever its script.
    pub(crate) fn between(&self, frames: [Frame; 2]) -> Placed<'_> {
        Placed { obstacle: self, frames: Some(frames) }
    }

    /// The obstacle at a moment [s].
    pub fn at(&self, time: Real) -> Placed<'_> {
        self.during(time, time)
    }

    /// Whether one correction takes every particle out, as far as this obstacle goes.
    pub(crate) fn is_simple(&self) -> bool {
        matches!(self.form, Form::Plane { .. } | Form::Ball { .. } | Form::Capsule { .. })
    }
}

impl Placed<'_> {
    /// The surface nearest to `point`, at the step's end.
    #[inline]
    pub fn closest(&self, point: Vec3) -> Touch {
        let touch = self.obstacle.closest(self.own(point));
        Touch { normal: self.turned(touch.normal), ..touch }
    }

    /// How deep a point lies inside at the step's end [m]; 0 outside.
    pub fn depth(&self, point: Vec3) -> Real {
        let own = self.own(point);
        if self.obstacle.is_near(own, own) { (-self.obstacle.closest(own).distance).max(0.0) } else { 0.0 }
    }

    /// Whether a particle that came from `start` is inside at `point`: cheaper than asking for the surface, and nearly
    /// always no. A shell is met by crossing it.
    #[inline]
    pub fn meets(&self, start: Vec3, point: Vec3) -> bool {
        match self.frames {
            None => self.obstacle.meets(start, point),
            Some([before, after]) => self.obstacle.meets(before.trace_back(start), after.trace_back(point)),
        }
    }

    /// How a particle that came from `start` and is inside at `point` gets out: to the nearest surface, but not through.
    pub fn way_out(&self, start: Vec3, point: Vec3) -> Touch {
        let touch = self.obstacle.way_out(self.own_start(start), self.own(point));
        Touch { normal: self.turned(touch.normal), ..touch }
    }

    /// Where the way from `start` to `end` enters the solid, and the normal there, both as they are at the step's end;
    /// none if it starts inside or misses.
    pub fn entry(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        self.obstacle.entry(self.own_start(start), self.own(end)).map(|surface| self.placed(surface))
    }

    /// Where a particle that goes from `start` to `end` meets the surface, and the normal there, both as they are at the
    /// step's end: where it enters, or if it was inside already, the nearest surface; none if it stays outside.
    pub fn surface(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        self.obstacle.surface(self.own_start(start), self.own(end)).map(|surface| self.placed(surface))
    }

    /// The solid's own velocity at a point, at the step's end [m/s].
    #[inline]
    pub fn velocity(&self, point: Vec3) -> Vec3 {
        self.frames.map_or(Vec3::ZERO, |[_, frame]| frame.velocity_at(point))
    }

    /// Where a point that sticks to the solid is brought by the step [m].
    #[inline]
    pub fn carried(&self, start: Vec3) -> Vec3 {
        self.frames.map_or(start, |[before, after]| after.place(before.trace_back(start)))
    }

    fn own(&self, point: Vec3) -> Vec3 {
        self.frames.map_or(point, |[_, frame]| frame.trace_back(point))
    }

    fn own_start(&self, start: Vec3) -> Vec3 {
        self.frames.map_or(start, |[frame, _]| frame.trace_back(start))
    }

    fn placed(&self, [point, normal]: [Vec3; 2]) -> [Vec3; 2] {
        [self.frames.map_or(point, |[_, frame]| frame.place(point)), self.turned(normal)]
    }

    fn turned(&self, normal: Vec3) -> Vec3 {
        self.frames.map_or(normal, |[_, frame]| frame.rotation * normal)
    }
}

/// In the shape's own frame.
impl Obstacle {
    fn closest(&self, point: Vec3) -> Touch {
        let touch = self.form.closest(point);
        Touch { distance: touch.distance - self.thickness, ..touch }
    }

    /// Whether a straight way comes near the box around it.
    fn is_near(&self, start: Vec3, end: Vec3) -> bool {
        let [low, high] = self.bounds;
        low.cmple(start.max(end)).all() && high.cmpge(start.min(end)).all()
    }

    #[inline]
    fn meets(&self, start: Vec3, point: Vec3) -> bool {
        match self.form {
            Form::Ball { center, radius } => {
                let radius = radius + self.thickness;
                point.distance_squared(center) < radius * radius
            }
            Form::Plane { point: origin, normal } => {
                (point - origin).dot(normal) < self.thickness * normal.length()
            }
            Form::Shell(_) => self.shell_touch(start, point).is_some(),
            _ => self.is_near(point, point) && self.closest(point).distance < 0.0,
        }
    }

    fn surface(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        match self.form {
            Form::Plane { .. } => self.meets(start, end).then(|| self.entry(start, end)).flatten(),
            Form::Ball { center, radius } => self.entry(start, end).or_else(|| {
                self.meets(start, end).then(|| {
                    let normal = self.closest(end).normal;
                    [center + normal * (radius + self.thickness), normal]
                })
            }),
            _ => self.entry(start, end).or_else(|| {
                self.meets(start, end).then(|| {
                    let touch = self.way_out(start, end);
                    [end - touch.normal * touch.distance, touch.normal]
                })
            }),
        }
    }

    fn way_out(&self, start: Vec3, point: Vec3) -> Touch {
        if let Some(touch) = self.shell_touch(start, point) {
            return touch;
        }
        let nearest = self.closest(point);
        let flat = matches!(self.form, Form::Cuboid { .. } | Form::Cylinder { .. } | Form::Closed(_));
        // On the far side of something thin, the nearest way out is the way on: it must be the way back.
        if flat
            && (point - start).dot(nearest.normal) > 0.0
            && let Some([entry, normal]) = self.march(start, point)
        {
            let distance = (point - entry).dot(normal);
            if distance < 0.0 {
                return Touch { normal, distance };
            }
        }
        nearest
    }

    fn entry(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        match self.form {
            Form::Plane { point, normal } => {
                let normal = normal.normalize_or_zero();
                let on_layer = if self.thickness > 0.0 { point + normal * self.thickness } else { point };
                Some([on_layer, normal])
            }
            Form::Ball { center, radius } => {
                let radius = radius + self.thickness;
                let (arm, way) = (start - center, end - start);
                let (a, b, c) = (way.length_squared(), arm.dot(way), arm.length_squared() - radius * radius);
                let discriminant = b * b - a * c;
                if c <= 0.0 || discriminant < 0.0 || a == 0.0 {
                    return None;
                }
                let part = (-b - discriminant.sqrt()) / a;
                let normal = (0.0..=1.0).contains(&part).then(|| (arm + way * part) / radius)?;
                Some([center + normal * radius, normal])
            }
            Form::Shell(_) => {
                let touch = self.shell_touch(start, end)?;
                Some([end - touch.normal * touch.distance, touch.normal])
            }
            _ => self.march(start, end),
        }
    }

    /// Goes along a way by the distance to the surface, again and again, until there is none left.
    fn march(&self, start: Vec3, end: Vec3) -> Option<[Vec3; 2]> {
        if !self.is_near(start, end) {
            return None;
        }
        let way = end - start;
        let length = way.length();
        let close = 1e-9 * length;
        let (mut gone, mut touch) = (0.0, self.closest(start));
        if touch.distance <= close {
            return None;
        }
        // A way that grazes gains little a time; what is still inside at its end, the nearest surface takes.
        for _ in 0..MARCHES {
            gone += touch.distance;
            if gone > length {
                return None;
            }
            let point = start + way * (gone / length);
            touch = self.closest(point);
            if touch.distance <= close {
                return Some([point, touch.normal]);
            }
        }
        None
    }

    /// Back to the side from which a way crossed a shell, or out of its layer.
    fn shell_touch(&self, start: Vec3, point: Vec3) -> Option<Touch> {
        let Form::Shell(tree) = &self.form else { return None };
        if !self.is_near(start, point) {
            return None;
        }
        if let Some([crossing, normal]) = tree.crossing(start, point) {
            let layer = self.thickness.max(self.skin);
            return Some(Touch { normal, distance: (point - crossing).dot(normal) - layer });
        }
        let touch = self.closest(point);
        (touch.distance < 0.0).then_some(touch)
    }
}

/// Steps of a march at the most.
const MARCHES: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{Face, Mesh};
    use crate::shape::Shape;
    use std::sync::Arc;

    fn still(shape: Shape) -> Obstacle {
        Obstacle::new(&shape.into())
    }

    #[test]
    fn the_way_into_a_ball_enters_where_it_should() {
        let ball = still(Shape::Sphere { center: Vec3::ZERO, radius: 1.0 });
        let entry = |start, end| ball.at(0.0).entry(start, end);
        assert_eq!(entry(Vec3::Z * 2.0, Vec3::ZERO), Some([Vec3::Z; 2]));
        assert_eq!(entry(Vec3::ZERO, Vec3::Z * 0.5), None);
        assert_eq!(entry(Vec3::Z * 2.0, Vec3::new(2.0, 0.0, 2.0)), None);
    }

    #[test]
    fn the_way_into_anything_else_does_so_too() {
        let ends = [Vec3::ZERO, Vec3::X * 4.0];
        for (shape, start, end, point, normal) in [
            (
                Shape::Capsule { ends, radius: 0.5 },
                Vec3::new(1.0, 0.0, 2.0),
                Vec3::new(1.0, 0.0, -2.0),
                Vec3::new(1.0, 0.0, 0.5),
                Vec3::Z,
            ),
            (
                Shape::Cylinder { ends, radius: 0.5 },
                Vec3::new(7.0, 0.2, 0.0),
                Vec3::new(3.0, 0.2, 0.0),
                Vec3::new(4.0, 0.2, 0.0),
                Vec3::X,
            ),
            (
                Shape::Cuboid { center: Vec3::ZERO, size: Vec3::splat(0.01), rotation: Vec3::ZERO },
                Vec3::new(0.001, 0.001, 3.0),
                Vec3::new(0.001, 0.001, -3.0),
                Vec3::new(0.001, 0.001, 0.005),
                Vec3::Z,
            ),
        ] {
            let obstacle = still(shape.clone());
            let [found, out] = obstacle.at(0.0).entry(start, end).unwrap();
            assert!(found.distance(point) < 1e-8 && out.distance(normal) < 1e-8, "{shape:?}: {found} {out}");
            assert!(obstacle.at(0.0).entry(start, start + Vec3::splat(0.1)).is_none(), "{shape:?}");
        }
    }

    #[test]
    fn a_layer_counts_as_solid() {
        let thick = |shape: Shape| Obstacle::new(&Collider { thickness: 0.25, ..shape.into() });
        for shape in [
            Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z * 3.0 },
            Shape::Sphere { center: Vec3::Z * -1.0, radius: 1.0 },
            Shape::Cuboid { center: Vec3::Z * -1.0, size: Vec3::splat(2.0), rotation: Vec3::ZERO },
            Shape::HeightField {
                corner: Vec3::new(-1.0, -1.0, 0.0),
                size: [2.0; 2],
                heights: vec![vec![0.0; 4]; 3],
            },
        ] {
            let obstacle = thick(shape.clone());
            let placed = obstacle.at(0.0);
            let meets = |z: Real| placed.meets(Vec3::Z, Vec3::Z * z);
            assert!(meets(0.2499) && !meets(0.2501), "{shape:?}");
            assert!((placed.depth(Vec3::Z * 0.125) - 0.125).abs() < 1e-14, "{shape:?}");
            let touch = placed.way_out(Vec3::Z, Vec3::Z * 0.125);
            assert!((touch.distance + 0.125).abs() < 1e-14 && touch.normal.distance(Vec3::Z) < 1e-13);
        }
    }

    /// Through two thirds of a board, the way back is the longer one.
    #[test]
    fn a_thin_board_is_not_left_on_the_far_side() {
        let board =
            still(Shape::Cuboid { center: Vec3::ZERO, size: Vec3::new(2.0, 2.0, 0.3), rotation: Vec3::ZERO });
        let touch = board.at(0.0).way_out(Vec3::Z, Vec3::Z * -0.05);
        assert!(touch.normal.distance(Vec3::Z) < 1e-8 && (touch.distance + 0.2).abs() < 1e-8, "{touch:?}");
        let touch = board.at(0.0).way_out(-Vec3::Z, Vec3::Z * -0.05);
        assert!(touch.normal.distance(-Vec3::Z) < 1e-8 && (touch.distance + 0.1).abs() < 1e-8, "{touch:?}");
    }

    #[test]
    fn a_shell_is_met_by_crossing_it_from_either_side() {
        let positions = vec![Vec3::new(-1.0, -1.0, 0.0), Vec3::X * 3.0, Vec3::Y * 3.0];
        let shape = Shape::Mesh(Arc::new(Mesh { positions, faces: vec![Face::triangle(0, 1, 2)] }));
        let shell = still(shape);
        let placed = shell.at(0.0);
        for side in [Vec3::Z, -Vec3::Z] {
            assert!(!placed.meets(side, side * 0.01));
            assert!(placed.meets(side, side * -0.5));
            let out = placed.way_out(side, side * -0.5);
            let x = side * -0.5 - out.normal * out.distance;
            assert!(out.normal.distance(side) < 1e-14 && x.distance(Vec3::ZERO) < 1e-8);
            assert!(x.dot(side) > 0.0 && placed.meets(x, x - side * 1e-6), "it stays on its side");
        }
        assert_eq!(placed.depth(Vec3::Z * 0.1), 0.0);
    }

    #[test]
    fn a_moving_solid_is_asked_where_it_is() {
        let motion = Motion::Keyframes {
            times: vec![0.0, 1.0],
            positions: vec![Vec3::ZERO, Vec3::X * 10.0],
            rotations: vec![Vec3::ZERO, Vec3::Z * std::f64::consts::FRAC_PI_2],
            center: Vec3::ZERO,
        };
        let shape =
            Shape::Cuboid { center: Vec3::ZERO, size: Vec3::new(4.0, 2.0, 2.0), rotation: Vec3::ZERO };
        let board = Obstacle::new(&Collider { motion, ..shape.into() });
        let touch = board.at(1.0).closest(Vec3::new(10.0, 5.0, 0.0));
        assert!((touch.distance - 3.0).abs() < 1e-14 && touch.normal.distance(Vec3::Y) < 1e-14);
        // Turning about (5, 0, 0) at π/2 rad/s, going at 10 m/s.
        let velocity = board.at(0.5).velocity(Vec3::new(5.0, 2.0, 0.0));
        assert!(velocity.distance(Vec3::X * (10.0 - std::f64::consts::PI)) < 1e-13);
        let carried = board.during(0.0, 1.0 - 1e-15).carried(Vec3::X * 2.0);
        assert!(carried.distance(Vec3::new(10.0, 2.0, 0.0)) < 1e-13, "{carried}");
        // It sweeps over what stands still.
        assert!(board.during(0.4, 0.5).entry(Vec3::X * 8.0, Vec3::X * 8.0).is_none());
        assert!(board.during(0.0, 0.6).entry(Vec3::X * 5.0, Vec3::X * 5.0).is_some());
    }
}
