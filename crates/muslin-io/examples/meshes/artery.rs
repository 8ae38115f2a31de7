//! A forked vessel: one trunk, two branches, three open ends.
//!
//! The surface is the smooth union of three tubes around rays from the origin,
//!
//! ```text
//! f(p) = −b ln Σ exp(−dᵢ(p)/b) = 0        dᵢ: distance of p from ray i, less the radius of tube i
//! ```
//!
//! and the radii keep Murray's law r₀³ = r₁³ + r₂³. Rings of vertices run from the fork, where each tube takes two of three arcs
//! from pole to pole, to the open ends; every other one is turned by half a side, so that triangles are nearly equilateral.
//! Vertices move to the mean of their neighbours and back to the surface, again and again.

use std::f64::consts::TAU;

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};

/// b [m]: about the radius of the fillet.
const BLEND: Real = 0.02;
/// Sides of a ring: twice those of an arc from pole to pole.
const AROUND: usize = 20;
const SWEEPS: usize = 400;

/// A tube around a ray from the origin in the plane z = 0.
struct Tube {
    /// Of its ray, from the x-axis [rad].
    angle: Real,
    /// [m].
    radius: Real,
    /// From the origin to its open end [m].
    length: Real,
    /// Rings between the fork and the open end, that one included.
    rings: usize,
}

/// In the order in which one comes by them around the upper pole, counter-clockwise from the x-axis.
fn tubes() -> [Tube; 3] {
    let branch = 0.12 / Real::cbrt(2.0);
    [
        Tube { angle: 0.6, radius: branch, length: 0.6, rings: 17 },
        Tube { angle: 0.5 * TAU, radius: 0.12, length: 0.6, rings: 15 },
        Tube { angle: -0.6, radius: branch, length: 0.6, rings: 17 },
    ]
}

/// The triangles, turned outwards; ten times as large as an aorta where it forks [m].
pub fn artery() -> Mesh {
    let tubes = tubes();
    let mut positions = Vec::new();
    let arcs = fork(&tubes, &mut positions);
    let mut faces = Vec::new();
    let mut is_fixed = vec![false; positions.len()];
    for (k, tube) in tubes.iter().enumerate() {
        // Around the axis of the tube: down the arc on its right and up the one on its left.
        let [right, left] = [&arcs[k], &arcs[(k + 1) % 3]];
        let first: Vec<u32> = right[..AROUND / 2].iter().chain(left[1..].iter().rev()).copied().collect();
        add_tube(tube, &first, &mut positions, &mut faces);
        is_fixed.resize(positions.len() - AROUND, false);
        is_fixed.resize(positions.len(), true);
    }
    let mut mesh = Mesh { positions, faces };
    relax(&mut mesh, &is_fixed, &tubes);
    mesh
}

/// Three arcs of vertices from the upper pole to the lower one: arc k divides tube k − 1 from tube k.
fn fork(tubes: &[Tube; 3], positions: &mut Vec<Vec3>) -> [Vec<u32>; 3] {
    positions.extend([Vec3::Z, -Vec3::Z].map(|pole| seen_from_inside(pole, tubes)));
    let half = AROUND / 2;
    // Between the branches on the x-axis, else halfway between two tubes.
    let between = [0.0, 0.5 * (tubes[0].angle + tubes[1].angle), -0.5 * (tubes[0].angle + tubes[1].angle)];
    between.map(|angle| {
        let mut arc = vec![0];
        for k in 1..half {
            let (sine, cosine) = (k as Real / half as Real * 0.5 * TAU).sin_cos();
            arc.push(positions.len() as u32);
            positions
                .push(seen_from_inside(Vec3::new(angle.cos() * sine, angle.sin() * sine, cosine), tubes));
        }
        arc.push(1);
        arc
    })
}

/// Where the ray from the origin leaves the surface: |∇f| ≤ 1, so a step of −f never goes too far.
fn seen_from_inside(direction: Vec3, tubes: &[Tube; 3]) -> Vec3 {
    let mut along = 0.0;
    for _ in 0..100 {
        along -= distance(direction * along, tubes).0;
    }
    direction * along
}

/// Rings from the fork to the open end, evenly between the two to begin with, and the triangles between them.
fn add_tube(tube: &Tube, first: &[u32], positions: &mut Vec<Vec3>, faces: &mut Vec<Face>) {
    let axis = tube.axis();
    let aside = axis.cross(Vec3::Z);
    let mut below = first.to_vec();
    for ring in 1..=tube.rings {
        let (turn, part) = (0.5 * (ring % 2) as Real, ring as Real / tube.rings as Real);
        let above: Vec<u32> = (0..AROUND).map(|k| (positions.len() + k) as u32).collect();
        for k in 0..AROUND {
            let (sine, cosine) = ((k as Real + turn) / AROUND as Real * TAU).sin_cos();
            let end = axis * tube.length + (Vec3::Z * cosine + aside * sine) * tube.radius;
            let start = positions[first[k] as usize];
            positions.push(start + (end - start) * part);
        }
        for k in 0..AROUND {
            let next = (k + 1) % AROUND;
            if ring % 2 == 1 {
                faces.push(Face::triangle(below[k], below[next], above[k]));
                faces.push(Face::triangle(below[next], above[next], above[k]));
            } else {
                faces.push(Face::triangle(below[k], below[next], above[next]));
                faces.push(Face::triangle(below[k], above[next], above[k]));
            }
        }
        below = above;
    }
}

impl Tube {
    fn axis(&self) -> Vec3 {
        Vec3::new(self.angle.cos(), self.angle.sin(), 0.0)
    }

    /// dᵢ [m] and its derivative.
    fn distance(&self, point: Vec3) -> (Real, Vec3) {
        let nearest = self.axis() * self.axis().dot(point).max(0.0);
        let away = point - nearest;
        (away.length() - self.radius, away.normalize_or_zero())
    }
}

/// f [m] and its derivative.
fn distance(point: Vec3, tubes: &[Tube; 3]) -> (Real, Vec3) {
    let (mut sum, mut weighted) = (0.0, Vec3::ZERO);
    for tube in tubes {
        let (d, derivative) = tube.distance(point);
        let weight = (-d / BLEND).exp();
        sum += weight;
        weighted += derivative * weight;
    }
    (-BLEND * sum.ln(), weighted / sum)
}

/// Evens out the triangles: to the mean of the neighbours, one vertex after the other, then back to the surface.
fn relax(mesh: &mut Mesh, is_fixed: &[bool], tubes: &[Tube; 3]) {
    let mut neighbors = vec![Vec::new(); mesh.positions.len()];
    for [a, b] in mesh.faces.iter().flat_map(Face::sides) {
        // Within the surface every side is met once from each end.
        neighbors[a as usize].push(b as usize);
    }
    for _ in 0..SWEEPS {
        for v in (0..mesh.positions.len()).filter(|&v| !is_fixed[v]) {
            let sum: Vec3 = neighbors[v].iter().map(|&n| mesh.positions[n]).sum();
            let mut p = sum / neighbors[v].len() as Real;
            for _ in 0..4 {
                let (f, derivative) = distance(p, tubes);
                p -= derivative * (f / derivative.length_squared());
            }
            mesh.positions[v] = p;
        }
    }
}
