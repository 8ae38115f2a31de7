//! Light, colour and the studio around the stage.
//!
//! A soft key lamp from the upper left, a wide sky, and light thrown back by the floor. Floor and wall are one
//! seamless backdrop: the floor shows only by the shadows it catches.

use super::camera::View;
use super::canvas::{Gamma, Picture};
use super::floor::{FloorShadow, Lattice};
use super::rasterizer::{NOTHING, OFFSETS, SAMPLES, Visible, weights};
use super::shadow::{Lamp, ShadowMap};
use super::tessellation::{Geometry, Substance};
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
            looks: [12, 18],
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
    pub fn develop(&self, visible: &Visible, size: [u32; 2]) -> Picture {
        let gamma = Gamma::new();
        let on_floor = |at: [Real; 2]| {
            let floor = self.floor.as_ref()?;
            Some((floor, self.floor_point(floor, self.ray(at))?))
        };
        // What is soft is found at some pixels only. The sky's shadow is softer than the lamp's.
        let light = FloorLight {
            key: Lattice::new(size, 2, |at| on_floor(at).map_or(1.0, |(floor, p)| floor.key.light_at(p))),
            sky: Lattice::new(size, 8, |at| on_floor(at).map_or(1.0, |(floor, p)| floor.sky.light_at(p))),
        };
        let [width, height] = size;
        let samples = visible.triangles.iter().zip(&visible.closeness).enumerate();
        let pixels = samples.map(|(pixel, (triangles, closeness))| {
            let middle = [pixel % width as usize, pixel / width as usize].map(|k| k as Real + 0.5);
            gamma.encode(self.pixel(*triangles, closeness, middle, &light))
        });
        Picture { width, height, pixels: pixels.collect() }
    }

    /// The mean light of a pixel's samples. Triangles that continue each other are shaded once, in the middle of
    /// the samples of the first.
    fn pixel(
        &self,
        mut left: [u32; SAMPLES],
        closeness: &[f32; SAMPLES],
        [x, y]: [Real; 2],
        light: &FloorLight,
    ) -> Vec3 {
        if left == [NOTHING; SAMPLES] {
            return self.backdrop([x, y], light);
        }
        let (mut sum, mut covered) = (Vec3::ZERO, 0.0);
        for first in 0..SAMPLES {
            let number = left[first];
            if number == NOTHING {
                continue;
            }
            let (mut count, mut own, mut middle) = (0.0, 0.0, [0.0; 2]);
            for sample in first..SAMPLES {
                if left[sample] == number {
                    own += 1.0;
                    middle[0] += OFFSETS[sample][0];
                    middle[1] += OFFSETS[sample][1];
                } else if !self.continues(number, left[sample], closeness[first] / closeness[sample]) {
                    continue;
                }
                count += 1.0;
                left[sample] = NOTHING;
            }
            let [dx, dy] = middle.map(|sum: f32| Real::from(sum) / own);
            let Some(spot) = self.spot(number, self.ray([x + dx, y + dy])) else { continue };
            let part = count / SAMPLES as Real * self.above_floor(spot.position);
            sum += part * self.shade(&spot);
            covered += part;
        }
        if covered < 1.0 { sum + (1.0 - covered) * self.backdrop([x, y], light) } else { sum }
    }

    /// Whether one triangle continues another so smoothly that both look the same in a pixel; `ratio` is that of
    /// their depths.
    fn continues(&self, one: u32, other: u32, ratio: f32) -> bool {
        const SAME_DEPTH: f32 = 0.003;
        if other == NOTHING || (ratio - 1.0).abs() > SAME_DEPTH {
            return false;
        }
        let [one, other] = [one as usize, other as usize];
        let (triangles, normals) = (&self.geometry.triangles, &self.geometry.flat_normals);
        triangles[one].substance == triangles[other].substance
            && triangles[one].color == triangles[other].color
            && normals[one].dot(normals[other]) > 0.9
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
    fn spot(&self, number: u32, ray: Vec3) -> Option<Spot> {
        let triangle = &self.geometry.triangles[number as usize];
        let flat = self.geometry.flat_normals[number as usize];
        let corners = self.geometry.corners(triangle);
        let weights = weights(corners.map(|corner| corner - self.view.eye), ray)?;
        let position = (0..3).map(|k| weights[k] * corners[k]).sum();
        let normals = triangle.corners.map(|corner| self.geometry.normals[corner as usize]);
        let smooth: Vec3 = (0..3).map(|k| weights[k] * normals[k]).sum();
        let open_sky = (0..3).map(|k| weights[k] * self.lamps.open_sky[triangle.corners[k] as usize]).sum();
        let normal = smooth.try_normalize().unwrap_or(flat);
        let two_sided = matches!(triangle.substance, Substance::Cloth | Substance::Solid);
        let is_back = two_sided && flat.dot(ray) > 0.0;
        let color = triangle.color;
        Some(Spot {
            position,
            normal: if is_back { -normal } else { normal },
            toward_eye: -ray.normalize_or_zero(),
            open_sky,
            color: if is_back && triangle.substance == Substance::Cloth { back_of(color) } else { color },
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
            Substance::Solid => diffuse + 0.08 * gloss(24) * KEY + 0.10 * grazing * sky,
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
    fn backdrop(&self, at: [Real; 2], light: &FloorLight) -> Vec3 {
        let height = self.ray(at).normalize_or_zero().dot(self.up);
        let color = self.floor_color.lerp(self.wall_color, smoothstep(-0.45, 0.35, height));
        if self.floor.is_none() {
            return color;
        }
        color * (FLOOR_KEY * light.key.at(at) + FLOOR_SKY * (0.25 + 0.75 * light.sky.at(at)))
    }

    /// Where a ray meets the floor.
    fn floor_point(&self, floor: &Floor, ray: Vec3) -> Option<Vec3> {
        let fall = ray.dot(self.up);
        let distance = (floor.height - self.view.eye.dot(self.up)) / fall;
        (fall < -1e-4).then(|| self.view.eye + distance * ray)
    }
}

/// The part of each lamp that is seen from the floor behind every pixel.
struct FloorLight {
    key: Lattice,
    sky: Lattice,
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
