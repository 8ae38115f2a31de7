//! Seams between places of bodies, as descriptions have them.

use super::description::Place;
use super::{Body, Builder};
use crate::build_error::{BuildError, at, not_negative, positive, refuse};
use crate::discretize::ClothPart;
use crate::math::Real;
use crate::mesh::{Face, edges};
use crate::seam::Seam;
use std::collections::BTreeMap;

/// A seam that draws two borders together.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct SeamDescription {
    /// One border.
    pub first: SeamSide,
    /// The other one.
    pub second: SeamSide,
    /// When it begins to close [s].
    #[cfg_attr(feature = "serde", serde(default))]
    pub time: Real,
    /// How long it closes [s].
    #[cfg_attr(feature = "serde", serde(default = "second"))]
    pub duration: Real,
    /// The force by length, across it, at which it rips [N/m]; if none, it is as strong as its cloth.
    #[cfg_attr(feature = "serde", serde(default))]
    pub strength: Option<Real>,
}

#[cfg(feature = "serde")]
fn second() -> Real {
    1.0
}

/// A part of a border, or all of it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct SeamSide {
    /// Which body, in the order in which they were added: 0 is the first.
    #[cfg_attr(feature = "serde", serde(default))]
    pub body: usize,
    /// Which of its particles; those on a border must follow each other.
    pub at: Place,
}

impl Builder {
    /// The seam by numbers of the whole model.
    pub(super) fn seam(&self, seam: &SeamDescription) -> Result<Seam, BuildError> {
        if !seam.time.is_finite() {
            return refuse("time", seam.time, "a finite time in s");
        }
        not_negative("duration", seam.duration, "0 s or more")?;
        if let Some(strength) = seam.strength {
            positive("strength", strength, "greater than 0 N/m")?;
        }
        let first = self.chain(&seam.first).map_err(|error| error.under("first"))?;
        let second = self.chain(&seam.second).map_err(|error| error.under("second"))?;
        let SeamDescription { time, duration, strength, .. } = *seam;
        let seam = Seam { first, second, time, duration, strength };
        let length = |[a, b]: [u32; 2]| self.positions[a as usize].distance(self.positions[b as usize]);
        seam.check(&self.faces, &self.positions, length).map_err(|error| at("", error.to_string()))?;
        Ok(seam)
    }

    /// Particles in their order along a border; a closed one ends where it starts.
    fn chain(&self, side: &SeamSide) -> Result<Vec<u32>, BuildError> {
        let Some(body) = self.bodies.get(side.body) else {
            return refuse("body", side.body, format!("at most {}", self.bodies.len() - 1));
        };
        let is_its = |cloth: &&ClothPart| cloth.part == side.body;
        if let Some(cloth) = self.cloths.iter().find(is_its)
            && cloth.fabric.flexion_diagonals
            && cloth.fabric.membrane.is_none()
            && cloth.fabric.bending.is_none()
        {
            return refuse("body", side.body, "cloth without `flexion_diagonals`: such cloth cannot be sewn");
        }
        let found = body.find(&side.at, &self.positions).map_err(|error| error.under("at"))?;
        let faces: Vec<Face> = self.faces.iter().copied().filter(|face| is_of(body, face)).collect();
        let mut beside: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for edge in edges(&faces) {
            let [a, b] = edge.ends;
            if edge.faces.len() == 1 && [a, b].iter().all(|end| found.binary_search(end).is_ok()) {
                beside.entry(a).or_default().push(b);
                beside.entry(b).or_default().push(a);
            }
        }
        let ends: Vec<u32> = beside.iter().filter(|(_, next)| next.len() == 1).map(|(&p, _)| p).collect();
        let Some(&start) = ends.first().or_else(|| beside.keys().next()) else {
            return Err(at("at", "names no edge of a border".to_owned()));
        };
        let mut chain = vec![start];
        let mut before = u32::MAX;
        loop {
            let here = chain[chain.len() - 1];
            let Some(&next) = beside[&here].iter().find(|&&next| next != before) else { break };
            chain.push(next);
            if next == start || chain.len() > beside.len() {
                break;
            }
            before = here;
        }
        let is_closed = ends.is_empty();
        let count = chain.len() - usize::from(is_closed);
        if count == beside.len() && ends.len() == if is_closed { 0 } else { 2 } {
            Ok(chain)
        } else {
            Err(at("at", "names particles that do not follow each other along one border".to_owned()))
        }
    }
}

fn is_of(body: &Body, face: &Face) -> bool {
    face.corners().iter().all(|&p| (body.first..body.first + body.count).contains(&(p as usize)))
}
