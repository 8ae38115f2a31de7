//! Seams that close while a world runs.

use crate::math::Real;
use crate::mesh::VertexFaces;
use crate::mesh::has_side;
use crate::model::{EditError, Remap};
use crate::seam::{Chain, ClosingSeam, Matching, Seam, SeamEnd, SeamReport, matching};
use crate::world::World;
use std::collections::BTreeSet;

/// Partners of a seam are joined when they are nearer than this part of the longest edge around; under contact of surfaces, than so
/// many thicknesses, if that is more.
const JOIN_THICKNESSES: Real = 1.5;
const JOIN_PART: Real = 0.25;

/// A seam does not rip while it closes, and as long again.
const HELD_DURATIONS: Real = 2.0;

/// Vertices that are put in keep this part of an edge from its ends.
const LEAST_PART: Real = 0.2;

impl World {
    /// Begins to sew two borders together, whatever the time of the seam says: they are drawn together and become one. Refused, with
    /// nothing changed, where there is no border, or where one is sewn to itself.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let panel = |x: f64| Sheet {
    ///     resolution: Resolution::Cells([4, 4]),
    ///     origin: Vec3::X * x,
    ///     axes: [Vec3::X, Vec3::Y],
    ///     ..Sheet::default()
    /// };
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&panel(0.0))?;
    /// builder.add_sheet(&panel(1.1))?;
    /// let (model, state) = builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() })?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// let seam = Seam { first: (20..25).collect(), second: (25..30).collect(), duration: 0.5, ..Seam::default() };
    /// assert_eq!(world.sew(&seam)?.pairs, 5);
    /// for _ in 0..120 {
    ///     world.step()?;
    /// }
    /// assert_eq!(world.model.len(), 45); // five particles fewer: one cloth
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn sew(&mut self, seam: &Seam) -> Result<SeamReport, EditError> {
        self.check_particles(&seam.first)?;
        self.check_particles(&seam.second)?;
        let chains = [self.chain(&seam.first)?, self.chain(&seam.second)?];
        let [first, second] = &chains;
        let shortest = first.lengths.iter().chain(&second.lengths).copied().fold(Real::INFINITY, Real::min);
        let Matching { pairs, gather, .. } =
            matching(&self.model.faces, &self.state.positions, [first, second], None, LEAST_PART * shortest)?;
        let mut other = self.clone();
        let mut map = Remap::identity(self.model.len());
        let inserted = other.insert_partners(&pairs, &mut map)?;
        let numbers: Vec<[u32; 2]> =
            pairs.iter().map(|pair| pair.map(|end| inserted.number(&end, &map))).collect();
        let gap = |&[a, b]: &[u32; 2]| {
            other.state.positions[a as usize].distance(other.state.positions[b as usize])
        };
        let closing = ClosingSeam {
            gaps: numbers.iter().map(gap).collect(),
            pairs: numbers,
            start: self.state.time,
            duration: seam.duration,
            strength: seam.strength,
        };
        let (pairs, inserted) = (closing.pairs.len(), inserted.places.len());
        if let Some(strength) = seam.strength {
            let holds_until = self.state.time + HELD_DURATIONS * seam.duration;
            let line = along(&closing.pairs, [first, second], &map);
            other.model.mark_seam(&line, strength, holds_until);
        }
        other.model.add_closing_seam(closing);
        other.state.sewn.gathers.push(gather);
        other.prepare_solver_anew();
        *self = other;
        Ok(SeamReport { pairs, inserted, gather, map })
    }

    /// A chain of border edges, with their lengths at rest.
    fn chain(&self, particles: &[u32]) -> Result<Chain, EditError> {
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        let face_of = |edge: [u32; 2]| {
            let around = at_vertices.at(edge[0]).iter().copied();
            around.clone().find(|&face| has_side(&self.model.faces[face as usize], edge))
        };
        for pair in particles.windows(2) {
            face_of([pair[0], pair[1]]).ok_or(EditError::NoEdge([pair[0], pair[1]]))?;
        }
        let length = |edge| face_of(edge).map_or(0.0, |face| self.model.rest_length(face, edge));
        Ok(Chain::along(particles, length))
    }

    /// Puts partners in that there are not yet.
    fn insert_partners(&mut self, pairs: &[[SeamEnd; 2]], map: &mut Remap) -> Result<Inserted, EditError> {
        let mut wanted: Vec<([u32; 2], Real)> = Vec::new();
        for end in pairs.iter().flatten() {
            if let SeamEnd::On { edge, t } = *end {
                let (edge, t) = if edge[0] < edge[1] { (edge, t) } else { ([edge[1], edge[0]], 1.0 - t) };
                wanted.push((edge, t));
            }
        }
        wanted.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        wanted.dedup();
        let mut inserted = Inserted { places: Vec::new() };
        for (k, &(edge, t)) in wanted.iter().enumerate() {
            // Behind the last one on the same edge.
            let before = k.checked_sub(1).filter(|&before| wanted[before].0 == edge);
            let (start, from) = match before {
                Some(before) => (inserted.places[before].2, wanted[before].1),
                None => (map.place(edge[0]), 0.0),
            };
            let (vertex, divided) =
                self.divide_edge([start, map.place(edge[1])], (t - from) / (1.0 - from))?;
            for place in &mut inserted.places {
                place.2 = divided.place(place.2);
            }
            *map = map.then(&divided);
            inserted.places.push((edge, t, vertex));
        }
        Ok(inserted)
    }

    /// Begins the seams that are due before a step of h [s], and draws the others closer.
    pub(crate) fn close_seams(&mut self, h: Real) {
        // Half a step early is on time: sums of steps are never exact.
        while let Some(seam) = self.model.take_due_seam(self.state.time + 0.5 * h) {
            // Builders have checked them; cloth that was torn there since stays open.
            if self.sew(&seam).is_err() {
                self.state.sewn.refused += 1;
            }
        }
        if !self.model.closing.is_empty() {
            self.model.draw_seams(self.state.time + h);
            self.prepare_solver_anew();
        }
    }

    /// Joins partners that are near enough, after a step.
    pub(crate) fn join_partners(&mut self) {
        if self.model.closing.is_empty() {
            return;
        }
        let mut pairs = self.near_partners();
        while !pairs.is_empty() {
            match self.join(&pairs) {
                Err(EditError::NoRoom(vertex)) => pairs.retain(|pair| pair[0] != vertex),
                Err(EditError::NoJoin { pair, .. }) => pairs.retain(|other| *other != pair),
                Ok(_) | Err(_) => break,
            }
        }
    }

    /// Partners that can be joined: near to each other, each in one pair, and next to others that are joined, too, or have been.
    fn near_partners(&self) -> Vec<[u32; 2]> {
        let x = &self.state.positions;
        let at_vertices = VertexFaces::of(&self.model.faces, self.model.len());
        let beside = |p: u32| {
            let sides = at_vertices.at(p).iter().flat_map(|&face| self.model.faces[face as usize].sides());
            sides.filter(move |side| side.contains(&p)).map(move |[a, b]| if a == p { b } else { a })
        };
        let thickness = self.surface_contact().map_or(0.0, |_| JOIN_THICKNESSES * self.contacts.thickness());
        let longest = |p: u32| beside(p).map(|q| x[p as usize].distance(x[q as usize])).fold(0.0, Real::max);
        let mut partner: Vec<Option<u32>> = vec![None; self.model.len()];
        let mut near = Vec::new();
        for &[a, b] in self.model.closing.iter().flat_map(|seam| &seam.pairs) {
            // Between partners that have been joined on both sides nothing but a hole is left.
            let shared = beside(a).filter(|&c| beside(b).any(|d| d == c)).collect::<BTreeSet<u32>>();
            let part = if shared.len() > 1 { 1.0 } else { JOIN_PART };
            let reach = thickness.max(part * longest(a).min(longest(b)));
            let is_free = partner[a as usize].is_none() && partner[b as usize].is_none();
            if is_free && x[a as usize].distance(x[b as usize]) <= reach {
                (partner[a as usize], partner[b as usize]) = (Some(b), Some(a));
                near.push([a, b]);
            }
        }
        near.retain(|&[a, b]| {
            beside(a).any(|c| {
                let other = partner[c as usize].unwrap_or(c);
                beside(b).any(|d| d == other)
            })
        });
        near
    }
}

/// The partners along a seam from end to end, particles that both borders share among them as partners of themselves; twice the first
/// ones where it is closed.
fn along(pairs: &[[u32; 2]], [first, second]: [&Chain; 2], map: &Remap) -> Vec<[u32; 2]> {
    let mut line = pairs.to_vec();
    if first.is_closed {
        line.extend(pairs.first());
        return line;
    }
    for (k, &particle) in first.particles.iter().enumerate() {
        if second.particles.contains(&particle) {
            let place = if k == 0 { 0 } else { line.len() };
            line.insert(place, [map.place(particle); 2]);
        }
    }
    line
}

/// Vertices that were put on edges: the edge and the part of it by numbers before, and their number.
struct Inserted {
    places: Vec<([u32; 2], Real, u32)>,
}

impl Inserted {
    fn number(&self, end: &SeamEnd, map: &Remap) -> u32 {
        match *end {
            SeamEnd::Particle(particle) => map.place(particle),
            SeamEnd::On { edge, t } => {
                let (edge, t) = if edge[0] < edge[1] { (edge, t) } else { ([edge[1], edge[0]], 1.0 - t) };
                let found = self.places.iter().find(|place| place.0 == edge && place.1 == t);
                found.map_or(map.place(edge[0]), |place| place.2)
            }
        }
    }
}
