//! The camera, and where it puts a point of space in the picture.

use muslin::math::{Real, Vec3};

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it stands [m].
    pub eye: Vec3,
    /// What it looks at: the middle of the picture [m].
    pub target: Vec3,
    /// What points upward in the picture.
    pub up: Vec3,
    /// The angle from the lower to the upper border [°].
    pub field_of_view: Real,
}

impl Camera {
    /// A three-quarter view from a little above that fits the box, lowest and highest corner, with a margin.
    /// The picture is taken to be 4 : 3.
    pub fn framing(bounds: [Vec3; 2], up: Vec3) -> Self {
        const ASPECT: Real = 4.0 / 3.0;
        const MARGIN: Real = 1.12;
        let up = up.try_normalize().unwrap_or(Vec3::Y);
        let sound = bounds.iter().all(|corner| corner.is_finite()) && bounds[0].cmple(bounds[1]).all();
        let [low, high] = if sound { bounds } else { [Vec3::splat(-0.5), Vec3::splat(0.5)] };
        let corners: [Vec3; 8] = std::array::from_fn(|k| {
            let pick = |axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
            Vec3::new(pick(0), pick(1), pick(2))
        });

        // The side that was "front" for the up axis turned by some 30° and raised by some 20°.
        let side = if up.x.abs() < 0.9 { Vec3::X.reject_from_normalized(up).normalize() } else { Vec3::Z };
        let front = side.cross(up);
        let toward_eye = (0.48 * side + 0.80 * front + 0.36 * up).normalize();
        let field_of_view = 30.0;
        let tangent = Real::to_radians(0.5 * field_of_view).tan() / MARGIN;
        let [right, raised] = picture_axes(-toward_eye, up);

        // Centre of the projected corners and distance that just fits them depend on each other.
        let mut target = 0.5 * (low + high);
        let mut distance = 0.0;
        for _ in 0..8 {
            distance = corners.iter().fold(1e-6, |farthest: Real, &corner| {
                let p = corner - target;
                let reach = (p.dot(right).abs() / ASPECT).max(p.dot(raised).abs()) / tangent;
                farthest.max(reach + p.dot(toward_eye))
            });
            let spread = |axis: Vec3| {
                let slopes =
                    corners.map(|p| (p - target).dot(axis) / (distance - (p - target).dot(toward_eye)));
                0.5 * (slopes.iter().fold(Real::INFINITY, |a, &b| a.min(b))
                    + slopes.iter().fold(Real::NEG_INFINITY, |a, &b| a.max(b)))
            };
            let shift = distance * (spread(right) * right + spread(raised) * raised);
            if !shift.is_finite() {
                break;
            }
            target += shift;
        }
        // A single point has no extent to fit: look at it from a metre away.
        let distance = if low == high { 1.0 } else { distance };
        Self { eye: target + distance * toward_eye, target, up, field_of_view }
    }
}

/// Right and up in the picture, for a unit viewing direction.
fn picture_axes(forward: Vec3, up: Vec3) -> [Vec3; 2] {
    let right = forward.cross(up);
    // Looking along `up` leaves the roll open: any will do.
    let right = if right.length() > 1e-9 { right.normalize() } else { forward.any_orthonormal_vector() };
    [right, right.cross(forward)]
}

/// A camera with its picture size: takes points to pixels and pixels to rays.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub eye: Vec3,
    pub right: Vec3,
    pub up: Vec3,
    pub forward: Vec3,
    /// What is nearer to the plane of the eye than this is cut off [m].
    pub near: Real,
    /// Pixels for a slope of 1.
    focal_length: Real,
    /// The middle of the picture [pixels].
    middle: [Real; 2],
}

impl View {
    pub fn new(camera: &Camera, [width, height]: [u32; 2]) -> Self {
        let finite = |v: Vec3, otherwise| if v.is_finite() { v } else { otherwise };
        let eye = finite(camera.eye, Vec3::ZERO);
        let gaze = finite(camera.target, Vec3::ZERO) - eye;
        let distance = gaze.length();
        let forward = gaze.try_normalize().unwrap_or(Vec3::NEG_Z);
        let [right, up] = picture_axes(forward, finite(camera.up, Vec3::Y).normalize_or(Vec3::Y));
        let angle = if camera.field_of_view.is_finite() { camera.field_of_view } else { 30.0 };
        let slope = (0.5 * angle.clamp(1e-3, 170.0)).to_radians().tan();
        let middle = [0.5 * Real::from(width), 0.5 * Real::from(height)];
        let near = if distance > 0.0 { 1e-3 * distance } else { 1e-3 };
        Self { eye, right, up, forward, near, focal_length: middle[1] / slope, middle }
    }

    /// Coordinates to the right, upward and away from the eye [m].
    pub fn seen_from_eye(&self, point: Vec3) -> Vec3 {
        let p = point - self.eye;
        Vec3::new(p.dot(self.right), p.dot(self.up), p.dot(self.forward))
    }

    /// Pixel coordinates of a point given by its coordinates from the eye; x rightward, y downward from the
    /// top left corner.
    pub fn project(&self, p: Vec3) -> [Real; 2] {
        let scale = self.focal_length / p.z;
        [self.middle[0] + scale * p.x, self.middle[1] - scale * p.y]
    }

    /// Slope of the ray through a pixel coordinate: rightward and upward for one metre forward.
    pub fn slope(&self, [x, y]: [Real; 2]) -> [Real; 2] {
        [(x - self.middle[0]) / self.focal_length, (self.middle[1] - y) / self.focal_length]
    }

    /// The direction of such a ray in space, one metre forward.
    pub fn ray(&self, [x, y]: [Real; 2]) -> Vec3 {
        x * self.right + y * self.up + self.forward
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_point_is_seen_where_perspective_says() {
        let camera = Camera { eye: Vec3::Z * 4.0, target: Vec3::ZERO, up: Vec3::Y, field_of_view: 90.0 };
        let view = View::new(&camera, [400, 200]);
        // 2 m before the eye, half the picture's height is 2 m: a point 1 m up is halfway to the border.
        let p = view.seen_from_eye(Vec3::new(0.5, 1.0, 2.0));
        assert!(p.distance(Vec3::new(0.5, 1.0, 2.0)) < 1e-12);
        let [x, y] = view.project(p);
        assert!((x - 225.0).abs() < 1e-9 && (y - 50.0).abs() < 1e-9, "{x} {y}");
        let [right, up] = view.slope([x, y]);
        assert!((right - 0.25).abs() < 1e-12 && (up - 0.5).abs() < 1e-12);
    }

    #[test]
    fn framing_fits_any_box_with_a_margin() {
        for (size, up) in [
            (Vec3::ONE, Vec3::Y),
            (Vec3::new(5.0, 0.1, 1.0), Vec3::Z),
            (Vec3::new(0.0, 0.0, 30.0), Vec3::Z),
            (Vec3::new(0.0, 2.0, 0.0), Vec3::X),
        ] {
            let low = Vec3::new(3.0, -7.0, 1.0);
            let view = View::new(&Camera::framing([low, low + size], up), [800, 600]);
            let mut tightest: Real = 1.0;
            for k in 0..8 {
                let pick = Vec3::new((k & 1) as Real, (k >> 1 & 1) as Real, (k >> 2 & 1) as Real);
                let [x, y] = view.project(view.seen_from_eye(low + size * pick));
                let gap = (x.min(800.0 - x) / 800.0).min(y.min(600.0 - y) / 600.0);
                assert!(gap > 0.04, "{size} {gap}");
                tightest = tightest.min(gap);
            }
            assert!(tightest < 0.08, "{size} leaves {tightest} empty");
        }
    }

    #[test]
    fn framing_of_nothing_is_still_a_camera() {
        for bounds in [[Vec3::INFINITY, Vec3::NEG_INFINITY], [Vec3::ZERO; 2], [Vec3::NAN; 2]] {
            let camera = Camera::framing(bounds, Vec3::ZERO);
            assert!(camera.eye.is_finite() && camera.eye.distance(camera.target) > 1e-3);
        }
    }
}
