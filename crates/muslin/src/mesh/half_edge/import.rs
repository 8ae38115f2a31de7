//! Surfaces from lists of faces, non-manifold ones repaired by parting them in topology alone.
//!
//! ```text
//! faces      degenerate and doubled ones are dropped
//! edges      of two faces join them; of three or more, the two nearest to a plane; the others get borders
//! direction  by flood over joined faces, the turn of most of a piece kept; where it contradicts itself, borders
//! vertices   one per fan of joined faces; all stand for their particle, so that nothing falls apart
//! ```

use super::repair::{BranchingEdge, Repair};
use super::{Counts, FaceLoop, HalfEdge, HalfEdgeMesh, Kind, NONE, Vertex, twin};
use crate::math::{Real, Vec3};
use crate::mesh::Edge;
use crate::mesh::check::{MeshError, degeneracy};

impl HalfEdgeMesh {
    /// The surface of some faces by particles, which are at these positions [m], and what was repaired of them. Particles of no face have
    /// no vertex. Faces keep their order, corners the first one.
    pub fn import(faces: &[impl AsRef<[u32]>], positions: &[Vec3]) -> Result<(Self, Repair), MeshError> {
        let mut repair = Repair::default();
        let mut sides = Sides::of(&sound_faces(faces, positions, &mut repair)?);
        sides.join(positions, &mut repair);
        sides.turn(&mut repair);
        let mut fans = sides.fans();
        while sides.open_double_edges(&fans, &mut repair) {
            fans = sides.fans();
        }
        for list in [&mut repair.one_sided, &mut repair.opened] {
            list.sort_unstable();
        }
        repair.fans = fans.shared();
        Ok((sides.build(&fans), repair))
    }
}

/// The faces that can be part of a surface.
fn sound_faces<'a>(
    faces: &'a [impl AsRef<[u32]>],
    positions: &[Vec3],
    repair: &mut Repair,
) -> Result<Vec<&'a [u32]>, MeshError> {
    if let Some((vertex, p)) = positions.iter().enumerate().find(|(_, p)| !p.is_finite()) {
        return Err(MeshError::NotFinite { vertex, x: p.x, y: p.y, z: p.z });
    }
    let mut sorted: Vec<(Vec<u32>, u32)> = Vec::new();
    for (number, face) in faces.iter().enumerate() {
        let corners = face.as_ref();
        if let Some(&vertex) = corners.iter().find(|&&vertex| vertex as usize >= positions.len()) {
            let last = (positions.len() as u32).saturating_sub(1);
            return Err(MeshError::IndexOutOfRange { face: number, vertex, last });
        }
        if degeneracy(corners, positions).is_some() {
            repair.degenerate.push(number as u32);
        } else {
            let mut key = corners.to_vec();
            key.sort_unstable();
            sorted.push((key, number as u32));
        }
    }
    sorted.sort_unstable();
    for run in sorted.chunk_by(|a, b| a.0 == b.0) {
        repair.kept.push(run[0].1);
        repair.doubled.extend(run[1..].iter().map(|double| [run[0].1, double.1]));
    }
    repair.kept.sort_unstable();
    repair.doubled.sort_unstable();
    Ok(repair.kept.iter().map(|&face| faces[face as usize].as_ref()).collect())
}

/// The two faces that are joined at an edge: the only two, or of more the two nearest to a plane. Of a face is asked which corners it
/// has, and where these are [m].
pub(crate) fn joined_faces<'a>(
    edge: &Edge,
    face: impl Fn(u32) -> (&'a [u32], &'a [Vec3]),
) -> Option<[u32; 2]> {
    match *edge.faces.as_slice() {
        [] | [_] => None,
        [a, b] => Some([a, b]),
        ref all => {
            let middle_of = |&number: &u32| {
                let (corners, places) = face(number);
                places[..corners.len()].iter().sum::<Vec3>() / corners.len() as Real
            };
            let middles: Vec<Vec3> = all.iter().map(middle_of).collect();
            let (corners, places) = face(all[0]);
            let place = |end: u32| corners.iter().zip(places).find(|(corner, _)| **corner == end);
            let [a, b] = edge.ends.map(place);
            Some(flattest_pair([*a?.1, *b?.1], &middles).map(|k| all[k]))
        }
    }
}

fn middle(corners: &[u32], positions: &[Vec3]) -> Vec3 {
    corners.iter().map(|&p| positions[p as usize]).sum::<Vec3>() / corners.len() as Real
}

/// Of faces at an edge, by their middles, the two that lie nearest to a plane on both sides of it; of several such pairs the first.
fn flattest_pair(ends: [Vec3; 2], middles: &[Vec3]) -> [usize; 2] {
    let along = (ends[1] - ends[0]).normalize_or_zero();
    let across = |middle: &Vec3| {
        let way = *middle - ends[0];
        (way - along * way.dot(along)).normalize_or_zero()
    };
    let ways: Vec<Vec3> = middles.iter().map(across).collect();
    let (mut best, mut least) = ([0, 1], Real::INFINITY);
    for i in 0..ways.len() {
        for j in i + 1..ways.len() {
            // Pairs as flat as each other but for rounding: the first one, however the mesh is turned.
            if ways[i].dot(ways[j]) < least - 1e-9 {
                (best, least) = ([i, j], ways[i].dot(ways[j]));
            }
        }
    }
    best
}

/// The sides of faces, which become half-edges.
struct Sides {
    /// Where the sides of each face start; the number of all at the end.
    starts: Vec<usize>,
    /// The particle where each side starts; where the next one starts it ends.
    origins: Vec<u32>,
    /// The side of another face that each is joined with, or none.
    mates: Vec<u32>,
}

/// Vertices of sides: one per fan.
struct Fans {
    vertices: Vec<u32>,
    /// Of each vertex: its first side, clockwise, and its particle.
    firsts: Vec<u32>,
    particles: Vec<u32>,
}

impl Fans {
    /// Particles of several fans, and how many.
    fn shared(&self) -> Vec<[u32; 2]> {
        let mut sorted = self.particles.clone();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|a, b| a == b);
        runs.filter(|run| run.len() > 1).map(|run| [run[0], run.len() as u32]).collect()
    }
}

impl Sides {
    fn of(faces: &[&[u32]]) -> Self {
        let mut starts = vec![0];
        let mut origins = Vec::new();
        for corners in faces {
            origins.extend_from_slice(corners);
            starts.push(origins.len());
        }
        let mates = vec![NONE; origins.len()];
        Self { starts, origins, mates }
    }

    fn face(&self, side: u32) -> usize {
        self.starts.partition_point(|&start| start <= side as usize) - 1
    }

    fn next(&self, side: u32) -> u32 {
        let face = self.face(side);
        if side as usize + 1 == self.starts[face + 1] { self.starts[face] as u32 } else { side + 1 }
    }

    fn prev(&self, side: u32) -> u32 {
        let face = self.face(side);
        if side as usize == self.starts[face] { self.starts[face + 1] as u32 - 1 } else { side - 1 }
    }

    fn mate(&self, side: u32) -> Option<u32> {
        Some(self.mates[side as usize]).filter(|&mate| mate != NONE)
    }

    /// The particles of a side, the smaller number first.
    fn ends(&self, side: u32) -> [u32; 2] {
        let (a, b) = (self.origins[side as usize], self.origins[self.next(side) as usize]);
        [a.min(b), a.max(b)]
    }

    /// Joins faces at their edges.
    fn join(&mut self, positions: &[Vec3], repair: &mut Repair) {
        let mut sorted: Vec<([u32; 2], u32)> =
            (0..self.origins.len() as u32).map(|side| (self.ends(side), side)).collect();
        sorted.sort_unstable();
        for run in sorted.chunk_by(|a, b| a.0 == b.0) {
            let pair = match run {
                [_] => continue,
                [a, b] => [a.1, b.1],
                _ => {
                    let corners = |face: usize| &self.origins[self.starts[face]..self.starts[face + 1]];
                    let middles: Vec<Vec3> =
                        run.iter().map(|(_, side)| middle(corners(self.face(*side)), positions)).collect();
                    let flattest = flattest_pair(run[0].0.map(|p| positions[p as usize]), &middles);
                    let number = |k: usize| repair.kept[self.face(run[k].1)];
                    let parted = (0..run.len()).filter(|k| !flattest.contains(k)).map(number).collect();
                    let joined = flattest.map(number);
                    repair.branching.push(BranchingEdge { ends: run[0].0, joined, parted });
                    flattest.map(|k| run[k].1)
                }
            };
            self.mates[pair[0] as usize] = pair[1];
            self.mates[pair[1] as usize] = pair[0];
        }
    }

    fn part(&mut self, side: u32) {
        if let Some(mate) = self.mate(side) {
            self.mates[mate as usize] = NONE;
            self.mates[side as usize] = NONE;
        }
    }

    /// Turns faces over, so that joined ones run along their edge in opposite directions.
    fn turn(&mut self, repair: &mut Repair) {
        let faces = self.starts.len() - 1;
        let (mut turns, mut contradictions) = (vec![None; faces], Vec::new());
        for start in 0..faces {
            if turns[start].is_some() {
                continue;
            }
            turns[start] = Some(false);
            let (mut piece, mut done) = (vec![start], 0);
            while done < piece.len() {
                let face = piece[done];
                done += 1;
                for side in self.starts[face] as u32..self.starts[face + 1] as u32 {
                    let Some(mate) = self.mate(side) else { continue };
                    let other = self.face(mate);
                    let is_against = self.origins[side as usize] == self.origins[mate as usize];
                    let turn = turns[face].map(|turn| turn ^ is_against);
                    if turns[other].is_none() {
                        turns[other] = turn;
                        piece.push(other);
                    } else if turns[other] != turn && side < mate {
                        contradictions.push(side);
                    }
                }
            }
            let turned = piece.iter().filter(|&&face| turns[face] == Some(true)).count();
            if 2 * turned > piece.len() {
                for &face in &piece {
                    turns[face] = turns[face].map(|turn| !turn);
                }
            }
        }
        for side in contradictions {
            repair.one_sided.push(self.ends(side));
            self.part(side);
        }
        for face in (0..faces).filter(|&face| turns[face] == Some(true)) {
            repair.turned.push(repair.kept[face]);
            self.reverse(face);
        }
    }

    /// Turns a face over; its first corner stays the first.
    fn reverse(&mut self, face: usize) {
        let range = self.starts[face]..self.starts[face + 1];
        self.origins[range.start + 1..range.end].reverse();
        self.mates[range.clone()].reverse();
        for side in range {
            if let Some(mate) = self.mate(side as u32) {
                self.mates[mate as usize] = side as u32;
            }
        }
    }

    /// The side after one, counter-clockwise around its start.
    fn after(&self, side: u32) -> Option<u32> {
        self.mate(self.prev(side))
    }

    /// Gives every fan of joined faces around a particle a vertex.
    fn fans(&self) -> Fans {
        let none = || vec![NONE; self.origins.len()];
        let mut fans = Fans { vertices: none(), firsts: Vec::new(), particles: Vec::new() };
        for side in 0..self.origins.len() as u32 {
            if fans.vertices[side as usize] != NONE {
                continue;
            }
            let mut first = side;
            while let Some(before) = self.mate(first).map(|mate| self.next(mate)).filter(|&s| s != side) {
                first = before;
            }
            let vertex = fans.firsts.len() as u32;
            // Of a closed fan, the lowest side.
            let first = if self.mate(first).is_some() { side } else { first };
            fans.firsts.push(first);
            fans.particles.push(self.origins[side as usize]);
            for s in self.fan(first) {
                fans.vertices[s as usize] = vertex;
            }
        }
        fans
    }

    /// The sides of a fan, counter-clockwise from its first.
    fn fan(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(Some(first), move |&side| self.after(side).filter(|&side| side != first))
    }

    /// Parts fans between edges to the same vertex; whether there were any.
    fn open_double_edges(&mut self, fans: &Fans, repair: &mut Repair) -> bool {
        let ends = |side: u32| {
            let (a, b) = (fans.vertices[side as usize], fans.vertices[self.next(side) as usize]);
            [a.min(b), a.max(b)]
        };
        let is_edge = |side: &u32| self.mate(*side).is_none_or(|mate| *side < mate);
        let mut edges: Vec<([u32; 2], u32)> =
            (0..self.origins.len() as u32).filter(is_edge).map(|side| (ends(side), side)).collect();
        edges.sort_unstable();
        let doubles = edges.windows(2).filter(|pair| pair[0].0 == pair[1].0);
        let mut to_open = Vec::new();
        for pair in doubles {
            let first = fans.firsts[pair[0].0[0] as usize];
            // Every edge of the fan, as the side that starts here, or at its end as the one that ends here.
            let mut around: Vec<u32> = self.fan(first).collect();
            let last = self.prev(around[around.len() - 1]);
            let is_open = self.mate(last).is_none();
            around.extend(is_open.then_some(last));
            let place = |side: u32| {
                let is_it = |&s: &u32| s == side || self.mate(s) == Some(side);
                around.iter().position(is_it)
            };
            let (Some(i), Some(j)) = (place(pair[0].1), place(pair[1].1)) else { continue };
            let (i, j, count) = (i.min(j), i.max(j), around.len());
            to_open.push(around[usize::midpoint(i, j)]);
            if !is_open {
                to_open.push(around[usize::midpoint(j, i + count) % count]);
            }
        }
        for &side in &to_open {
            if self.mate(side).is_some() {
                repair.opened.push(self.ends(side));
                self.part(side);
            }
        }
        !to_open.is_empty()
    }

    /// The half-edges.
    fn build(&self, fans: &Fans) -> HalfEdgeMesh {
        let mut mesh = HalfEdgeMesh::default();
        let mut numbers = vec![NONE; self.origins.len()];
        for side in 0..self.origins.len() as u32 {
            if numbers[side as usize] == NONE {
                let h = mesh.take_edge();
                numbers[side as usize] = h;
                if let Some(mate) = self.mate(side) {
                    numbers[mate as usize] = twin(h);
                }
            }
        }
        for face in 0..self.starts.len() - 1 {
            let first = numbers[self.starts[face]];
            mesh.faces.push(FaceLoop { first, kind: Kind::Face });
            for side in self.starts[face] as u32..self.starts[face + 1] as u32 {
                let [prev, next] = [self.prev(side), self.next(side)].map(|s| numbers[s as usize]);
                let vertex = fans.vertices[side as usize];
                mesh.half_edges[numbers[side as usize] as usize] =
                    HalfEdge { vertex, next, prev, face: face as u32 };
            }
        }
        for (vertex, (&first, &particle)) in fans.firsts.iter().zip(&fans.particles).enumerate() {
            mesh.vertices.push(Vertex { out: numbers[first as usize], particle, id: vertex as u64 });
        }
        mesh.next_id = mesh.vertices.len() as u64;
        mesh.add_borders();
        let (vertices, loops) = (mesh.vertices.len(), mesh.faces.len());
        mesh.counts = Counts { vertices, loops, ..mesh.counts };
        mesh
    }
}

impl HalfEdgeMesh {
    /// Gives half-edges without a face a border.
    fn add_borders(&mut self) {
        let all = 0..self.half_edges.len() as u32;
        for h in all.clone().filter(|&h| self.half_edges[h as usize].face == NONE).collect::<Vec<_>>() {
            let end = self.next(twin(h));
            self.half_edges[h as usize].vertex = self.origin(end);
            // The next border half-edge starts where this one ends: behind the last face around there.
            let mut inner = twin(h);
            while self.half_edges[twin(self.prev(inner)) as usize].face != NONE {
                inner = twin(self.prev(inner));
            }
            self.half_edges[h as usize].next = twin(self.prev(inner));
        }
        for h in all.clone().filter(|&h| self.half_edges[h as usize].face == NONE).collect::<Vec<_>>() {
            let next = self.next(h);
            self.half_edges[next as usize].prev = h;
        }
        for start in all {
            if self.half_edges[start as usize].face != NONE {
                continue;
            }
            let border = self.faces.len() as u32;
            self.faces.push(FaceLoop { first: start, kind: Kind::Border });
            let mut h = start;
            while self.half_edges[h as usize].face == NONE {
                self.half_edges[h as usize].face = border;
                let vertex = self.origin(h);
                self.vertices[vertex as usize].out = h;
                h = self.next(h);
            }
        }
    }
}
