//! The shapes of solids.

use crate::math::{Real, Vec3};

/// A solid at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub enum Collider {
    /// A ball.
    Sphere {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: Real,
    },
    /// All the space below a plane.
    Plane {
        /// A point of the plane [m].
        point: Vec3,
        /// The direction out of the solid; any length but zero.
        normal: Vec3,
    },
}

/// Where a solid's surface is nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Touch {
    /// Unit vector out of the solid.
    pub normal: Vec3,
    /// Distance to the surface, negative inside [m].
    pub distance: Real,
}

impl Collider {
    /// The surface nearest to `point`.
    #[inline]
    pub fn closest(&self, point: Vec3) -> Touch {
        match *self {
            Self::Sphere { center, radius } => {
                let arm = point - center;
                Touch { normal: arm.try_normalize().unwrap_or(Vec3::Z), distance: arm.length() - radius }
            }
            Self::Plane { point: origin, normal } => {
                let normal = normal.normalize_or_zero();
                Touch { normal, distance: (point - origin).dot(normal) }
            }
        }
    }

    /// Whether `point` lies inside: cheaper than asking for the surface, and nearly always no.
    #[inline]
    pub fn contains(&self, point: Vec3) -> bool {
        match *self {
            Self::Sphere { center, radius } => point.distance_squared(center) < radius * radius,
            Self::Plane { point: origin, normal } => (point - origin).dot(normal) < 0.0,
        }
    }

    /// The normal where the way from `start` to `end` enters the solid; none if it starts inside or misses.
    pub fn entry_normal(&self, start: Vec3, end: Vec3) -> Option<Vec3> {
        match *self {
            Self::Sphere { center, radius } => {
                let (arm, way) = (start - center, end - start);
                let (a, b, c) = (way.length_squared(), arm.dot(way), arm.length_squared() - radius * radius);
                let discriminant = b * b - a * c;
                if c <= 0.0 || discriminant < 0.0 || a == 0.0 {
                    return None;
                }
                let part = (-b - discriminant.sqrt()) / a;
                (0.0..=1.0).contains(&part).then(|| (arm + way * part) / radius)
            }
            Self::Plane { normal, .. } => Some(normal.normalize_or_zero()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_to_a_ball_and_a_floor() {
        let ball = Collider::Sphere { center: Vec3::Z, radius: 0.5 };
        assert_eq!(ball.closest(Vec3::new(0.0, 0.0, 3.0)), Touch { normal: Vec3::Z, distance: 1.5 });
        assert_eq!(ball.closest(Vec3::new(0.25, 0.0, 1.0)), Touch { normal: Vec3::X, distance: -0.25 });
        let floor = Collider::Plane { point: Vec3::Z, normal: Vec3::Z * 7.0 };
        assert_eq!(floor.closest(Vec3::ZERO), Touch { normal: Vec3::Z, distance: -1.0 });
    }

    #[test]
    fn the_way_into_a_ball_enters_where_it_should() {
        let ball = Collider::Sphere { center: Vec3::ZERO, radius: 1.0 };
        assert_eq!(ball.entry_normal(Vec3::Z * 2.0, Vec3::ZERO), Some(Vec3::Z));
        assert_eq!(ball.entry_normal(Vec3::ZERO, Vec3::Z * 0.5), None);
        assert_eq!(ball.entry_normal(Vec3::Z * 2.0, Vec3::new(2.0, 0.0, 2.0)), None);
    }
}
