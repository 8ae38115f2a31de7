//! Particles that become one: seams that close, tears that are mended.
//!
//! ```text
//! masses, drag, wind, loads, ties     added up
//! pins, script                        held if either is, there
//! elements                            made again around; springs between the two are gone
//! ```

use super::EditError;
use crate::math::Real;
use crate::mesh::{Face, VertexFaces, edges};
use crate::model::{Model, ModelData};
use crate::remap::{Joined, Origin, Remap};

impl Model {
    /// Makes one particle of each pair, the first of the two; no particle is in two pairs.
    pub(crate) fn join(&mut self, pairs: &[[u32; 2]]) -> Result<Remap, EditError> {
        let mut joined = Vec::with_capacity(pairs.len());
        let mut is_joined = vec![false; self.len()];
        for &pair in pairs {
            for p in pair {
                self.cloth_to_edit(p)?;
                if std::mem::replace(&mut is_joined[p as usize], true) {
                    return Err(EditError::NoJoin {
                        pair,
                        why: "one of them is joined with another one, too",
                    });
                }
            }
            joined.push(self.joined(pair)?);
        }
        let mut data = self.data.clone();
        let at_vertices = VertexFaces::of(&data.faces, data.len());
        let mut near = data.near(pairs.iter().flatten().copied(), &at_vertices);
        data.drop_elements(&near);
        let mut map = Remap::with_joined(self.len(), &joined);
        let around = pairs.iter().flatten().flat_map(|&p| at_vertices.at(p));
        map.mark_changed(around.flat_map(|&face| self.faces[face as usize].corners()).copied());
        data.add_up(&joined);
        let amounts = data.amounts();
        let branching = edges(&data.faces).into_iter().filter(|edge| edge.faces.len() > 2);
        let branching: Vec<[u32; 2]> = branching.map(|edge| edge.ends.map(|end| map.place(end))).collect();
        data.follow(&map);
        data.take_amounts(&amounts, &map);
        map.follow(&mut near);
        data.tidy_after_join();
        data.check_joined(pairs, &map, &branching)?;
        data.make_elements(&near)?;
        self.take_topology(data);
        Ok(map)
    }

    fn joined(&self, pair: [u32; 2]) -> Result<Joined, EditError> {
        let [stays, goes] = pair;
        if stays == goes {
            return Err(EditError::NoJoin { pair, why: "they are one already" });
        }
        let is_of_both = |face: &Face| pair.iter().all(|p| face.corners().contains(p));
        if self.faces.iter().any(is_of_both) {
            return Err(EditError::NoJoin { pair, why: "they are corners of one face" });
        }
        if pair.iter().all(|&p| self.is_held(p as usize)) {
            return Err(EditError::NoJoin { pair, why: "both are held" });
        }
        let masses = pair.map(|p| self.masses[p as usize]);
        let origin = match pair.map(|p| self.is_held(p as usize)) {
            [true, _] => Origin::copy(stays),
            [_, true] => Origin::copy(goes),
            _ => Origin::merged(pair, masses),
        };
        Ok(Joined { stays, goes, origin })
    }
}

impl ModelData {
    /// Adds what particles have that go to those that stay.
    fn add_up(&mut self, joined: &[Joined]) {
        for &Joined { stays, goes, .. } in joined {
            let add = |list: &mut [Real]| {
                if !list.is_empty() {
                    let sum = list[stays as usize] + list[goes as usize];
                    (list[stays as usize], list[goes as usize]) = (sum, sum);
                }
            };
            add(&mut self.masses);
            add(&mut self.forces.drag);
            if let Some(wind) = &mut self.forces.wind {
                add(&mut wind.coefficients);
            }
            let is_held = [stays, goes].iter().any(|&p| self.inverse_masses[p as usize] == 0.0);
            let inverse = if is_held { 0.0 } else { 1.0 / self.masses[stays as usize] };
            for p in [stays, goes] {
                self.inverse_masses[p as usize] = inverse;
            }
        }
    }

    /// Masses, inverse masses, drag and wind, which are no mixtures.
    pub(super) fn amounts(&self) -> [Vec<Real>; 4] {
        let wind = self.forces.wind.as_ref().map(|wind| wind.coefficients.clone());
        [self.masses.clone(), self.inverse_masses.clone(), self.forces.drag.clone(), wind.unwrap_or_default()]
    }

    pub(super) fn take_amounts(&mut self, amounts: &[Vec<Real>; 4], map: &Remap) {
        let taken = |list: &Vec<Real>| -> Vec<Real> {
            if list.is_empty() {
                return Vec::new();
            }
            map.origins().iter().map(|origin| list[origin.particles[0] as usize]).collect()
        };
        let [masses, inverse_masses, drag, wind] = amounts;
        (self.masses, self.inverse_masses) = (taken(masses), taken(inverse_masses));
        self.forces.drag = taken(drag);
        if let Some(coefficients) = self.forces.wind.as_mut().map(|wind| &mut wind.coefficients) {
            *coefficients = taken(wind);
        }
    }

    /// What names one particle twice now.
    pub(super) fn tidy_after_join(&mut self) {
        let mut is_moved = vec![false; self.len()];
        for group in &mut self.script.moves {
            let mut k = 0;
            while k < group.particles.len() {
                // Of two motions the first one holds.
                if std::mem::replace(&mut is_moved[group.particles[k] as usize], true) {
                    group.particles.remove(k);
                    group.start.remove(k);
                } else {
                    k += 1;
                }
            }
        }
        self.elements.springs.retain(|spring| spring.ends[0] != spring.ends[1]);
        self.elements.rods.retain(|rod| rod.ends[0] != rod.ends[1]);
        self.edges.retain(|edge| edge.ends[0] != edge.ends[1]);
        for cut in &mut self.cuts {
            cut.path.dedup();
        }
        let Self { cloths, faces, .. } = self;
        let all = edges(faces);
        let inner: Vec<[u32; 2]> =
            all.iter().filter(|edge| edge.faces.len() > 1).map(|edge| edge.ends).collect();
        for cloth in cloths {
            cloth.lips.retain(|&[face, side]| {
                let ends = faces[face as usize].sides().nth(side as usize).map(|[a, b]| [a.min(b), a.max(b)]);
                ends.is_some_and(|ends| inner.binary_search(&ends).is_err())
            });
        }
    }

    /// Refuses what would no longer be an oriented surface with a border, but for edges that were branching before.
    fn check_joined(&self, pairs: &[[u32; 2]], map: &Remap, branching: &[[u32; 2]]) -> Result<(), EditError> {
        let pair_of = |vertex: u32| pairs.iter().copied().find(|pair| map.place(pair[0]) == vertex);
        let no_join = |vertex: u32, why| {
            let pair = pair_of(vertex).unwrap_or([vertex; 2]);
            EditError::NoJoin { pair, why }
        };
        let mut is_joined = vec![false; self.len()];
        for pair in pairs {
            is_joined[map.place(pair[0]) as usize] = true;
        }
        for face in &self.faces {
            let corners = face.corners();
            let twice = (0..corners.len()).find(|&k| corners[k + 1..].contains(&corners[k]));
            if let Some(k) = twice {
                return Err(no_join(corners[k], "a face would have one corner twice"));
            }
        }
        let at_vertices = VertexFaces::of(&self.faces, self.len());
        for &[stays, _] in pairs {
            let vertex = map.place(stays);
            if !crate::mesh::is_one_fan(&self.faces, at_vertices.at(vertex), vertex) {
                return Err(no_join(vertex, "their faces would hang together at this point only"));
            }
        }
        for edge in edges(&self.faces) {
            let Some(&vertex) = edge.ends.iter().find(|&&end| is_joined[end as usize]) else { continue };
            if branching.iter().any(|&[a, b]| edge.ends == [a.min(b), a.max(b)]) {
                continue;
            }
            if edge.faces.len() > 2 {
                return Err(no_join(vertex, "more than two faces would meet at an edge"));
            }
            if let [first, second] = edge.faces[..] {
                let [a, b] = edge.ends;
                let runs = |face: u32| self.faces[face as usize].sides().any(|side| side == [a, b]);
                if runs(first) == runs(second) {
                    return Err(no_join(vertex, "one of the pieces would have to be turned over"));
                }
            }
        }
        Ok(())
    }
}
