//! The tips of cracks, and how much energy cloth releases as these go on: by virtual crack closure [Rybicki & Kanninen 1977].
//!
//! ```text
//! G = F·Δu / (2 Δa),   F = ½ (f₁ − f₂)
//!
//! f₁, f₂   forces of the elements on either side of the edge ahead on the tip
//! Δu       how far apart the lips are, at the end of the shorter edge behind the tip
//! Δa       the root of the length of that edge times that of the edge ahead: an opening grows as the root of the distance
//! ```
//!
//! The forces are those of the elements, so it holds for every kind. Those with particles on both sides (hinges across the edge ahead,
//! flexion springs) count for neither, and a spring along that edge for both. Lips that are pressed together release nothing.

use super::overload::largest_principal;
use super::path::{Surface, rest_length};
use crate::elements::{Element, ElementVisitor};
use crate::material::Fabric;
use crate::math::{Mat3, Real, Vec3, outer};
use crate::mesh::{VertexFaces, fans};
use crate::model::ModelData;
use std::f64::consts::PI;

/// Angle of the faces around a vertex at rest from which on it can be the tip of a crack: its lips lie on each other [rad].
const TIP_ANGLE: Real = 1.75 * PI;
/// Sine of the angle between two lips that lie on each other at rest.
const SAME: Real = 1e-6;

/// The tip of a crack.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrackTip {
    /// The vertex.
    pub vertex: u32,
    /// The other end of the edge that lies most straight across the load.
    pub ahead: u32,
    /// Direction of the load, of unit length: that of the largest principal stress around the tip.
    pub direction: Vec3,
    /// G: elastic energy by length that the cloth releases as the crack goes on [J/m].
    pub energy_release: Real,
}

/// A side of cloth that was opened, from the tip of a crack.
#[derive(Clone, Copy)]
struct Lip {
    /// Its other end.
    to: u32,
    /// Its face.
    face: u32,
    /// From the tip, at rest [m].
    at_rest: Vec3,
}

/// The tips of all cracks in cloth at positions `x` [m], by number: ends of cuts, notches and tears within cloth, or of slits that a
/// mesh comes with.
///
/// ```
/// use muslin::prelude::*;
/// use muslin::tear::crack_tips;
///
/// let mut builder = Builder::default();
/// builder.add_sheet(&Sheet { resolution: Resolution::Cells([4, 4]), ..Sheet::default() })?;
/// let (model, state) = builder.finish(&Surroundings::default())?;
/// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
/// world.cut(&[10, 11, 12])?; // from the border to the middle
/// let tips = crack_tips(&world.model, &world.state.positions);
/// assert_eq!(tips.len(), 1);
/// assert_eq!(tips[0].energy_release, 0.0); // J/m: nothing pulls yet
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn crack_tips(model: &ModelData, x: &[Vec3]) -> Vec<CrackTip> {
    crack_tips_of(model, x, |_| true)
}

/// Those in cloth of some fabrics only.
pub(super) fn crack_tips_of(
    model: &ModelData,
    x: &[Vec3],
    is_wanted: impl Fn(&Fabric) -> bool,
) -> Vec<CrackTip> {
    let border = border_vertices(model, is_wanted);
    if border.is_empty() {
        return Vec::new();
    }
    let at_vertices = VertexFaces::of(&model.faces, model.len());
    let surface = Surface::of(model, &at_vertices, x);
    let with_lips = |vertex: u32| Some((vertex, lips(model, &surface, vertex)?));
    let found: Vec<(u32, [Lip; 2])> = border.into_iter().filter_map(with_lips).collect();
    let mut loads = TipLoads { x, tip_of: vec![None; model.len()], of_tips: vec![Vec::new(); found.len()] };
    for (tip, &(vertex, _)) in found.iter().enumerate() {
        loads.tip_of[vertex as usize] = Some(tip);
    }
    model.elements.accept(&mut loads);
    let tip = |(&(vertex, lips), loads): (&(u32, [Lip; 2]), &Vec<TipLoad>)| {
        crack_tip(model, &surface, vertex, lips, loads)
    };
    found.iter().zip(&loads.of_tips).filter_map(tip).collect()
}

/// Vertices of cloth with an odd number of faces at one of their edges, which are all that are on its border.
fn border_vertices(model: &ModelData, is_wanted: impl Fn(&Fabric) -> bool) -> Vec<u32> {
    let mut cloths = model.cloths.iter().filter(|cloth| is_wanted(&cloth.fabric)).peekable();
    if cloths.peek().is_none() {
        return Vec::new();
    }
    let mut ends = vec![0; model.len()];
    for cloth in cloths {
        for face in &model.faces[cloth.faces.start as usize..cloth.faces.end as usize] {
            for [a, b] in face.sides() {
                // The other ends of edges with two faces cancel.
                ends[a as usize] ^= b + 1;
                ends[b as usize] ^= a + 1;
            }
        }
    }
    (0..model.len() as u32).filter(|&vertex| ends[vertex as usize] != 0).collect()
}

/// The two sides without a neighbour at a vertex, if it is the tip of a crack.
fn lips(model: &ModelData, surface: &Surface, vertex: u32) -> Option<[Lip; 2]> {
    let mut sides: Vec<Lip> = Vec::new();
    let mut angle = 0.0;
    for &face in surface.at_vertices.at(vertex) {
        let corners = surface.face(face).corners();
        let (places, count) = (&model.rest_shape[face as usize], corners.len());
        let k = corners.iter().position(|&corner| corner == vertex)?;
        let [next, last] = [(k + 1) % count, (k + count - 1) % count];
        let of = |k: usize| Lip { to: corners[k], face, at_rest: places[k] };
        let [one, other] = [of(next), of(last)].map(|lip| Lip { at_rest: lip.at_rest - places[k], ..lip });
        angle += one.at_rest.angle_between(other.at_rest);
        sides.extend([one, other]);
    }
    sides.sort_by_key(|lip| lip.to);
    let mut lips = sides.chunk_by(|one, other| one.to == other.to).filter(|run| run.len() == 1);
    let (Some(&[one]), Some(&[other]), None) = (lips.next(), lips.next(), lips.next()) else { return None };
    let lie_on_each_other = {
        let product = one.at_rest.length() * other.at_rest.length();
        one.at_rest.cross(other.at_rest).length() <= SAME * product && one.at_rest.dot(other.at_rest) > 0.0
    };
    // Cloth that was sewn has no places at rest that agree.
    let is_crack = angle > TIP_ANGLE
        && (lie_on_each_other || [one, other].iter().all(|lip| is_opened(model, vertex, lip)));
    is_crack.then_some([one, other])
}

/// Whether a side is one that was opened while the world runs.
fn is_opened(model: &ModelData, vertex: u32, lip: &Lip) -> bool {
    let mut sides = model.faces[lip.face as usize].sides();
    let number = sides.position(|side| side.contains(&vertex) && side.contains(&lip.to));
    let cloth = model.cloths.iter().find(|cloth| cloth.faces.contains(&lip.face));
    let is_lip = |number: usize| {
        cloth.is_some_and(|cloth| cloth.lips.binary_search(&[lip.face, number as u32]).is_ok())
    };
    number.is_some_and(is_lip)
}

/// What an element does at the tip of a crack.
#[derive(Clone)]
struct TipLoad {
    particles: Vec<u32>,
    /// Its elastic force on the tip [N].
    force: Vec3,
    /// Its virial, unless it only bends [J].
    virial: Mat3,
}

/// Collects the loads of elements at tips.
struct TipLoads<'a> {
    x: &'a [Vec3],
    tip_of: Vec<Option<usize>>,
    of_tips: Vec<Vec<TipLoad>>,
}

impl ElementVisitor for TipLoads<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        if N < 2 {
            return; // ties to points in space
        }
        for element in elements {
            let particles = element.particles();
            if particles.iter().all(|&p| self.tip_of[p].is_none()) {
                continue;
            }
            let gradients = element.transpose(&element.stress(&element.strain(self.x)));
            let origin = self.x[particles[0]];
            let arms = particles.map(|p| self.x[p] - origin);
            let mut virial = Mat3::ZERO;
            if !element.bends() {
                gradients.iter().zip(arms).for_each(|(&gradient, arm)| virial += outer(gradient, arm));
            }
            for (gradient, p) in gradients.into_iter().zip(particles) {
                if let Some(tip) = self.tip_of[p] {
                    let particles = particles.map(|p| p as u32).to_vec();
                    self.of_tips[tip].push(TipLoad { particles, force: -gradient, virial });
                }
            }
        }
    }
}

/// The tip at a vertex, if there is an edge on which it can go on.
fn crack_tip(
    model: &ModelData,
    surface: &Surface,
    vertex: u32,
    lips: [Lip; 2],
    loads: &[TipLoad],
) -> Option<CrackTip> {
    let x = surface.x;
    let from_tip = |to: u32| x[to as usize] - x[vertex as usize];
    let normal = surface.normal(vertex).try_normalize()?;
    let virial = loads.iter().fold(Mat3::ZERO, |sum, load| sum + load.virial);
    let (_, direction) = largest_principal(virial, normal);
    let across = normal.cross(direction);
    let back: Vec3 = lips.iter().map(|lip| from_tip(lip.to).normalize_or_zero()).sum();
    let (ahead, along) = surface.edge_ahead(vertex, across, back)?;
    let around = surface.at_vertices.at(vertex);
    let sides = fans(surface.faces, around, vertex, &[ahead]);
    let [first, second] = sides.as_slice() else { return None };
    let is_of = |fan: &[u32], load: &TipLoad| {
        let has = |p: &u32| fan.iter().any(|&face| surface.face(face).corners().contains(p));
        load.particles.iter().all(has)
    };
    let force_of =
        |fan: &[u32]| loads.iter().filter(|load| is_of(fan, load)).map(|load| load.force).sum::<Vec3>();
    let force = (force_of(first) - force_of(second)) * 0.5;
    let [one, other] = if first.contains(&lips[0].face) { lips } else { [lips[1], lips[0]] };
    let behind = one.at_rest.length().min(other.at_rest.length());
    let at_lip = |lip: Lip| from_tip(lip.to) * (behind / lip.at_rest.length());
    let opening = at_lip(one) - at_lip(other);
    // The part of both that presses the lips together is contact's.
    let middle = |fan: &[u32]| {
        let corners = fan.iter().flat_map(|&face| surface.face(face).corners());
        corners.map(|&corner| from_tip(corner)).sum::<Vec3>() / fan.len() as Real
    };
    let apart = normal.cross(along);
    let apart = if apart.dot(middle(first) - middle(second)) < 0.0 { -apart } else { apart };
    let pressing = force.dot(apart).min(0.0) * opening.dot(apart).min(0.0);
    let length = (behind * rest_length(model, surface.at_vertices, [vertex, ahead])).sqrt();
    let energy_release = (force.dot(opening) - pressing) / (2.0 * length);
    Some(CrackTip { vertex, ahead, direction, energy_release: energy_release.max(0.0) })
        .filter(|_| energy_release.is_finite())
}
