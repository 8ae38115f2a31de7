//! Light, colour and the studio around the stage.
//!
//! A soft key lamp from the upper left, a wide sky, and light thrown back by the floor. Floor and wall are one
//! seamless backdrop: the floor shows only by the shadows it catches.

use super::camera::View;
use super::canvas::{Gamma, Picture};
use super::floor::FloorShadow;
use super::rasterizer::{NOTHING, OFFSETS, SAMPLES, Visible, weights};
use super::shadow::{Lamp, ShadowMap};
use super::tessellation::{Geometry, Substance, Triangle};
use super::{Color, Stage};
use muslin::math::{Real, Vec3};

/// Light of the key lamp, warm; the sky, cool; and the floor's reflection, on white.
const KEY: Vec3 = Vec3::new(0.84, 0.79, 0.71);
const SKY: Vec3 = Vec3::new(0.39, 0.41, 0.44);
const BOUNCE: Vec3 = Vec3::new(0.26, 0.24, 0.22);

/// What the floor gets of each lamp; together 1.
const FLOOR_KEY: Vec3 = Vec3::new(0.53, 0.51, 0.48);
const FLOOR_SKY: Vec3 = Vec3::new(0.47, 0.49, 0.52);

const FLOOR: Color = Color::new(236, 232, 226);
const WALL: Color = Color::new(214, 210, 204);

/// The lamps of the studio with what they see of the stage.
pub(super) struct Lamps {
    key: ShadowMap,
    sky: ShadowMap,
    /// The part of the sky that is seen from every corner, on the side that is turned to it.
    open_sky: Vec<Real>,
}

impl Lamps {
    /// The lamps turn with the camera, so that every view is lit well.
    pub fn hang(stage: &Stage, geometry: &Geometry, view: &View) -> Self {
        let up = upward(stage);
        let toward_viewer = (-view.forward).reject_from_normalized(up).normalize_or(-view.up);
        let right = up.cross(toward_viewer).normalize_or(view.right);
        let key = Lamp {
            direction: (0.80 * up - 0.52 * right + 0.38 * toward_viewer).normalize_or(up),
            spread: 0.07,
            resolution: 768,
            widest: 8.0,
            looks: [12, 24],
        };
        let sky = Lamp {
            direction: (0.85 * up + 0.22 * right + 0.40 * toward_viewer).normalize_or(up),
            spread: 0.8,
            resolution: 256,
            widest: 20.0,
            looks: [32, 48],
        };
        let (key, sky) = (ShadowMap::new(geometry, key), ShadowMap::new(geometry, sky));
        let open = |(&position, &normal): (&Vec3, &Vec3)| {
            let side = normal.dot(sky.lamp.direction).signum();
            sky.light_at(position, side * normal)
        };
        let open_sky = geometry.positions.iter().zip(&geometry.normals).map(open).collect();
        Self { key, sky, open_sky }
    }
}

/// The lit stage.
pub(super) struct Studio<'a> {
    geometry: &'a Geometry,
    view: &'a View,
    lamps: &'a Lamps,
    up: Vec3,
    floor: Option<Floor<'a>>,
    floor_color: Vec3,
    wall_color: Vec3,
}

/// The floor, seen from above.
struct Floor<'a> {
    /// Its height along `up` [m].
    height: Real,
    /// Bodies may sink so deep into it and still be drawn [m].
    sink: Real,
    key: FloorShadow<'a>,
    sky: FloorShadow<'a>,
}

/// A point of a surface as the camera sees it.
struct Spot {
    position: Vec3,
    /// Towards the viewer.
    normal: Vec3,
    /// Unit vector to the eye.
    toward_eye: Vec3,
    /// The part of the sky that is seen from here.
    open_sky: Real,
    color: Vec3,
    substance: Substance,
}

impl<'a> Studio<'a> {
    pub fn new(stage: &Stage, geometry: &'a Geometry, view: &'a View, lamps: &'a Lamps) -> Self {
        let up = upward(stage);
        let seen = stage.ground.filter(|&height| height.is_finite() && view.eye.dot(up) > height);
        let floor = seen.map(|height| Floor {
            height,
            sink: 4.0 * lamps.key.cell,
            key: FloorShadow::new(&lamps.key, up, height),
            sky: FloorShadow::new(&lamps.sky, up, height),
        });
        let (floor_color, wall_color) = (FLOOR.linear(), WALL.linear());
        Self { geometry, view, lamps, up, floor, floor_color, wall_color }
    }

    /// Colours every pixel from the triangles seen in it.
    pub fn develop(&self, visible: &Visible, [width, height]: [u32; 2]) -> Picture {
        let gamma = Gamma::new();
        let pixels = visible.triangles.iter().enumerate().map(|(pixel, samples)| {
            let corner = [pixel % width as usize, pixel / width as usize].map(|k| k as Real + 0.5);
            gamma.encode(self.pixel(samples, corner))
        });
        Picture { width, height, pixels: pixels.collect() }
    }

    /// The mean light of a pixel's samples; each triangle is shaded once, in the middle of its samples.
    fn pixel(&self, samples: &[u32; SAMPLES], [x, y]: [Real; 2]) -> Vec3 {
        let backdrop = |covered: Real| {
            if covered < 1.0 { self.backdrop(self.ray([x, y])) * (1.0 - covered) } else { Vec3::ZERO }
        };
        if *samples == [NOTHING; SAMPLES] {
            return backdrop(0.0);
        }
        let mut light = Vec3::ZERO;
        let mut covered = 0.0;
        let mut left = *samples;
        for first in 0..SAMPLES {
            let number = left[first];
            if number == NOTHING {
                continue;
            }
            let (mut count, mut middle) = (0.0, [0.0; 2]);
            for sample in first..SAMPLES {
                if left[sample] == number {
                    left[sample] = NOTHING;
                    count += 1.0;
                    middle[0] += OFFSETS[sample][0];
                    middle[1] += OFFSETS[sample][1];
                }
            }
            let [dx, dy] = middle.map(|sum| Real::from(sum / count));
            let triangle = &self.geometry.triangles[number as usize];
            let Some(spot) = self.spot(triangle, self.ray([x + dx, y + dy])) else { continue };
            let part = Real::from(count) / SAMPLES as Real * self.above_floor(spot.position);
            light += part * self.shade(&spot);
            covered += part;
        }
        light + backdrop(covered)
    }

    fn ray(&self, at: [Real; 2]) -> Vec3 {
        self.view.ray(self.view.slope(at))
    }

    /// 1 above the floor, 0 deep in it.
    fn above_floor(&self, position: Vec3) -> Real {
        self.floor.as_ref().map_or(1.0, |floor| {
            smoothstep(-1.5 * floor.sink, -floor.sink, position.dot(self.up) - floor.height)
        })
    }

    /// What a ray meets on a triangle.
    fn spot(&self, triangle: &Triangle, ray: Vec3) -> Option<Spot> {
        let corners = self.geometry.corners(triangle);
        let weights = weights(corners.map(|corner| corner - self.view.eye), ray)?;
        let position = (0..3).map(|k| weights[k] * corners[k]).sum();
        let normals = triangle.corners.map(|corner| self.geometry.normals[corner as usize]);
        let smooth: Vec3 = (0..3).map(|k| weights[k] * normals[k]).sum();
        let open_sky = (0..3).map(|k| weights[k] * self.lamps.open_sky[triangle.corners[k] as usize]).sum();
        let flat = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize_or_zero();
        let normal = smooth.try_normalize().unwrap_or(flat);
        let is_back = triangle.substance == Substance::Cloth && flat.dot(ray) > 0.0;
        let color = triangle.color.linear();
        Some(Spot {
            position,
            normal: if is_back { -normal } else { normal },
            toward_eye: -ray.normalize_or_zero(),
            open_sky,
            color: if is_back { back_of(color) } else { color },
            substance: triangle.substance,
        })
    }

    /// The light that leaves a spot towards the eye.
    fn shade(&self, spot: &Spot) -> Vec3 {
        let key_direction = self.lamps.key.lamp.direction;
        let facing = spot.normal.dot(key_direction);
        let key =
            if facing > 0.0 { facing * self.lamps.key.light_at(spot.position, spot.normal) } else { 0.0 };
        let sky = self.sky_light(spot);
        let diffuse = spot.color * (KEY * key + sky);
        let grazing = (1.0 - spot.normal.dot(spot.toward_eye).clamp(0.0, 1.0)).powi(4);
        let halfway = (key_direction + spot.toward_eye).normalize_or_zero();
        let gloss = |exponent: i32| spot.normal.dot(halfway).max(0.0).powi(exponent) * key;
        let light = match spot.substance {
            Substance::Cloth => {
                let through = if facing < 0.0 {
                    -facing * self.lamps.key.light_at(spot.position, -spot.normal)
                } else {
                    0.0
                };
                let sheen = Vec3::splat(0.5).lerp(spot.color, 0.5) * grazing;
                diffuse
                    + 0.30 * through * spot.color * KEY
                    + sheen * (0.30 * sky + 0.25 * key * KEY)
                    + 0.05 * gloss(14) * KEY
            }
            Substance::Rope => diffuse + 0.06 * gloss(18) * KEY,
            Substance::Ball => diffuse + (0.30 * gloss(70) + 0.05 * gloss(10)) * KEY + 0.25 * grazing * sky,
        };
        shoulder(light)
    }

    /// Light of the sky and of the floor that reaches a spot.
    fn sky_light(&self, spot: &Spot) -> Vec3 {
        let upward = 0.5 + 0.5 * spot.normal.dot(self.up);
        let weight = smoothstep(0.05, 0.5, spot.normal.dot(self.lamps.sky.lamp.direction));
        let open = 1.0 - weight * (1.0 - spot.open_sky);
        let bounce = if self.floor.is_some() { BOUNCE } else { 0.8 * BOUNCE };
        SKY * upward * (0.25 + 0.75 * open) + bounce * (1.0 - upward)
    }

    /// The floor with its shadows, or the wall behind.
    fn backdrop(&self, ray: Vec3) -> Vec3 {
        let direction = ray.normalize_or_zero();
        let color = self.floor_color.lerp(self.wall_color, smoothstep(-0.45, 0.35, direction.dot(self.up)));
        let Some(floor) = &self.floor else { return color };
        let fall = direction.dot(self.up);
        if fall > -1e-4 {
            return color;
        }
        let point = self.view.eye + direction * ((floor.height - self.view.eye.dot(self.up)) / fall);
        let (key, sky) = (floor.key.light_at(point), floor.sky.light_at(point));
        color * (FLOOR_KEY * key + FLOOR_SKY * (0.25 + 0.75 * sky))
    }
}

/// The unit vector away from the ground.
fn upward(stage: &Stage) -> Vec3 {
    if stage.up.is_finite() { stage.up.normalize_or(Vec3::Y) } else { Vec3::Y }
}

/// The tone of the other side of the cloth: darker and greyer.
fn back_of(color: Vec3) -> Vec3 {
    let grey = Vec3::splat(color.dot(Vec3::new(0.21, 0.72, 0.07)));
    0.72 * color.lerp(grey, 0.22)
}

/// Leaves dim light as it is and bends bright light softly below 1.
fn shoulder(light: Vec3) -> Vec3 {
    const KNEE: Real = 0.7;
    let bend = |value: Real| {
        let over = value - KNEE;
        if over > 0.0 { KNEE + over / (1.0 + over / (1.0 - KNEE)) } else { value }
    };
    Vec3::new(bend(light.x), bend(light.y), bend(light.z))
}

fn smoothstep(low: Real, high: Real, value: Real) -> Real {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}
