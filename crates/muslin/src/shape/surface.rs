//! Meshes as solids: equal vertices become one, faces are turned the same way round, and what is odd is counted.

use crate::math::{Real, Vec3};
use crate::mesh::{Face, Mesh, bounds};

/// What is odd about a mesh that is to be a solid. Nothing of it keeps the mesh from being used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SurfaceReport {
    /// Triangles that are used.
    pub triangles: usize,
    /// Edges without a face on their other side: there are holes, the surface is a shell of two sides.
    pub open_edges: usize,
    /// Triangles that turned against their neighbours, or inward, and were turned round.
    pub turned: usize,
    /// Edges whose faces cannot be turned the same way round, as on a Möbius strip.
    pub twisted_edges: usize,
    /// Triangles without area, left out.
    pub left_out: usize,
}

impl SurfaceReport {
    /// Whether the surface has an inside.
    pub fn is_closed(&self) -> bool {
        self.triangles > 0 && self.open_edges == 0 && self.twisted_edges == 0
    }
}

/// Triangles of a mesh, turned the same way round as far as that goes, outward where there is an inside.
#[derive(Clone, Debug)]
pub struct Oriented {
    /// Vertex positions, each once [m].
    pub positions: Vec<Vec3>,
    /// Triangles over the vertices.
    pub triangles: Vec<[u32; 3]>,
    /// What had to be done.
    pub report: SurfaceReport,
}

impl Oriented {
    /// Turns a mesh's triangles.
    pub fn of(mesh: &Mesh) -> Self {
        let (positions, numbers) = weld(&mesh.positions);
        let count = numbers.len();
        let all = mesh.faces.iter().flat_map(Face::triangles);
        let known = all.filter(|triangle| triangle.iter().all(|&corner| (corner as usize) < count));
        let welded: Vec<[u32; 3]> = known.map(|t| t.map(|corner| numbers[corner as usize])).collect();
        let mut triangles = welded.clone();
        triangles.retain(|triangle| has_area(triangle.map(|corner| positions[corner as usize])));
        let mut report = SurfaceReport {
            triangles: triangles.len(),
            left_out: welded.len() - triangles.len(),
            ..SurfaceReport::default()
        };
        let Neighbours { links, open } = Neighbours::of(&triangles);
        report.open_edges = open.iter().map(|&edges| edges as usize).sum();
        let mut pieces = pieces(&links, &mut report.twisted_edges);
        for piece in &mut pieces {
            piece.measure(&positions, &triangles, &open);
        }
        for k in 0..pieces.len() {
            if pieces[k].is_inside_out(&pieces) {
                pieces[k].members.iter_mut().for_each(|(_, turned)| *turned = !*turned);
            }
        }
        for (triangle, _) in pieces.iter().flat_map(|piece| &piece.members).filter(|(_, turned)| *turned) {
            triangles[*triangle].swap(1, 2);
            report.turned += 1;
        }
        Self { positions, triangles, report }
    }
}

/// Vertices without repetition, and the new number of each old one.
fn weld(vertices: &[Vec3]) -> (Vec<Vec3>, Vec<u32>) {
    let key = |k: &usize| (vertices[*k] + Vec3::ZERO).to_array(); // −0 + 0 is 0
    let compare = |a: &usize, b: &usize| {
        let (a, b) = (key(a), key(b));
        a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])).then(a[2].total_cmp(&b[2]))
    };
    let mut order: Vec<usize> = (0..vertices.len()).collect();
    order.sort_by(compare);
    let mut first = vec![0; vertices.len()];
    for run in order.chunk_by(|a, b| compare(a, b).is_eq()) {
        for &k in run {
            first[k] = run[0]; // the lowest number, since the order is stable
        }
    }
    let (mut positions, mut numbers) = (Vec::new(), vec![0; vertices.len()]);
    for k in 0..vertices.len() {
        if first[k] == k {
            numbers[k] = positions.len() as u32;
            positions.push(vertices[k]);
        } else {
            numbers[k] = numbers[first[k]];
        }
    }
    (positions, numbers)
}

/// Relative to the longest side, as meshes of cloth are checked.
fn has_area([a, b, c]: [Vec3; 3]) -> bool {
    let longest = a.distance_squared(b).max(b.distance_squared(c)).max(c.distance_squared(a));
    0.5 * (b - a).cross(c - a).length() > 1e-9 * longest
}

/// Which triangles lie beside each other.
struct Neighbours {
    /// For each triangle, those over an edge of two, and whether the two turn against each other there.
    links: Vec<Vec<(usize, bool)>>,
    /// For each triangle, its edges without a partner.
    open: Vec<u8>,
}

impl Neighbours {
    fn of(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<([u32; 2], usize, bool)> = Vec::with_capacity(3 * triangles.len());
        for (number, &[a, b, c]) in triangles.iter().enumerate() {
            sides.extend([[a, b], [b, c], [c, a]].map(|[p, q]| ([p.min(q), p.max(q)], number, p < q)));
        }
        sides.sort_unstable();
        let (mut links, mut open) = (vec![Vec::new(); triangles.len()], vec![0; triangles.len()]);
        for run in sides.chunk_by(|left, right| left.0 == right.0) {
            match *run {
                [(_, one, forward), (_, other, also_forward)] => {
                    let against = forward == also_forward;
                    links[one].push((other, against));
                    links[other].push((one, against));
                }
                // Where four or six faces meet, solids touch along an edge: nothing is open, nothing follows.
                _ if run.len() % 2 == 0 => {}
                _ => open[run[0].1] += 1,
            }
        }
        Self { links, open }
    }
}

/// Triangles that hang together.
struct Piece {
    /// The triangles, and whether each is to be turned round.
    members: Vec<(usize, bool)>,
    twisted: bool,
    closed: bool,
    /// Signed, after turning [m³].
    volume: Real,
    bounds: [Vec3; 2],
}

/// The pieces of a surface, each turned like its first triangle; counts the edges where that is impossible.
fn pieces(links: &[Vec<(usize, bool)>], twisted_edges: &mut usize) -> Vec<Piece> {
    let mut turns: Vec<Option<bool>> = vec![None; links.len()];
    let mut pieces = Vec::new();
    for seed in 0..links.len() {
        if turns[seed].is_some() {
            continue;
        }
        turns[seed] = Some(false);
        let mut members = vec![(seed, false)];
        let (mut done, mut twisted_twice) = (0, 0);
        while let Some(&(triangle, turned)) = members.get(done) {
            done += 1;
            for &(other, against) in &links[triangle] {
                match turns[other] {
                    None => {
                        turns[other] = Some(turned != against);
                        members.push((other, turned != against));
                    }
                    Some(turn) => twisted_twice += usize::from(turn != (turned != against)),
                }
            }
        }
        *twisted_edges += twisted_twice / 2; // seen from both sides
        let twisted = twisted_twice > 0;
        pieces.push(Piece { members, twisted, closed: false, volume: 0.0, bounds: [Vec3::ZERO; 2] });
    }
    pieces
}

impl Piece {
    fn measure(&mut self, positions: &[Vec3], triangles: &[[u32; 3]], open: &[u8]) {
        self.closed = !self.twisted && self.members.iter().all(|&(triangle, _)| open[triangle] == 0);
        let corners = |triangle: usize| triangles[triangle].map(|corner| positions[corner as usize]);
        let points: Vec<Vec3> = self.members.iter().flat_map(|&(triangle, _)| corners(triangle)).collect();
        self.bounds = bounds(&points);
        let origin = points[0];
        let part = |&(triangle, turned): &(usize, bool)| {
            let [a, b, c] = corners(triangle).map(|corner| corner - origin);
            let part = a.dot(b.cross(c)) / 6.0;
            if turned { -part } else { part }
        };
        self.volume = self.members.iter().map(part).sum();
    }

    /// Whether the piece is to be turned as a whole: its inside is out, or most of its triangles were the other way round.
    fn is_inside_out(&self, all: &[Self]) -> bool {
        let turned = self.members.iter().filter(|(_, turned)| *turned).count();
        // Around a hollow inside another solid, a file's own direction is believed.
        let hollow = turned == 0 && all.iter().any(|other| other.closed && other.surrounds(self));
        if self.closed { self.volume < 0.0 && !hollow } else { 2 * turned > self.members.len() }
    }

    fn surrounds(&self, other: &Self) -> bool {
        let ([low, high], [other_low, other_high]) = (self.bounds, other.bounds);
        low.cmplt(other_low).all() && high.cmpgt(other_high).all()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reversed(face: Face) -> Face {
        match *face.corners() {
            [a, b, c] => Face::triangle(a, c, b),
            [a, b, c, d] => Face::quad(a, d, c, b),
            _ => face,
        }
    }

    fn volume(found: &Oriented) -> Real {
        let corners = |t: &[u32; 3]| t.map(|corner| found.positions[corner as usize]);
        found.triangles.iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
    }

    #[test]
    fn a_sound_ball_stays_as_it_is() {
        let ball = Mesh::ball(1.0, 1);
        let found = Oriented::of(&ball);
        assert_eq!(found.report, SurfaceReport { triangles: 80, ..SurfaceReport::default() });
        assert!(found.report.is_closed());
        assert_eq!(found.positions, ball.positions);
    }

    #[test]
    fn flipped_faces_are_turned_back_and_counted() {
        let ball = Mesh::ball(1.0, 1);
        let right = volume(&Oriented::of(&ball));
        let mut some = ball.clone();
        for k in [3, 17, 18] {
            some.faces[k] = reversed(some.faces[k]);
        }
        let found = Oriented::of(&some);
        assert_eq!((found.report.turned, found.report.is_closed()), (3, true));
        assert!((volume(&found) - right).abs() < 1e-14);
        let mut all = ball;
        all.faces.iter_mut().for_each(|face| *face = reversed(*face));
        let found = Oriented::of(&all);
        assert_eq!(found.report.turned, 80);
        assert!((volume(&found) - right).abs() < 1e-14);
    }

    #[test]
    fn a_hollow_ball_keeps_its_hollow() {
        let (mut outer, inner) = (Mesh::ball(1.0, 1), Mesh::ball(0.5, 1));
        let first = outer.positions.len() as u32;
        outer.positions.extend(inner.positions);
        outer.faces.extend(inner.faces.iter().map(|face| reversed(face.shifted(first))));
        let found = Oriented::of(&outer);
        assert_eq!(found.report.turned, 0);
        assert!((volume(&found) - 0.875 * volume(&Oriented::of(&Mesh::ball(1.0, 1)))).abs() < 1e-13);
    }

    #[test]
    fn holes_are_counted_and_equal_vertices_are_one() {
        let mut ball = Mesh::ball(1.0, 1);
        ball.faces.pop();
        let found = Oriented::of(&ball);
        assert_eq!((found.report.open_edges, found.report.is_closed()), (3, false));
        // A soup of triangles, each with vertices of its own.
        let ball = Mesh::ball(1.0, 1);
        let corners = ball.faces.iter().flat_map(|face| face.corners().to_vec());
        let positions: Vec<Vec3> = corners.map(|corner| ball.positions[corner as usize]).collect();
        let faces = (0..80).map(|k| Face::triangle(3 * k, 3 * k + 1, 3 * k + 2)).collect();
        let found = Oriented::of(&Mesh { positions, faces });
        assert!(found.report.is_closed() && found.positions.len() == 42);
    }

    /// Five quads in a ring with a half turn.
    #[test]
    fn a_strip_with_a_half_turn_is_twisted() {
        let mut mesh = Mesh::default();
        for k in 0..5u32 {
            let angle = std::f64::consts::TAU * Real::from(k) / 5.0;
            let (sin, cos) = angle.sin_cos();
            let (rise, reach) = (0.5 * angle).sin_cos();
            let arm = Vec3::new(cos, sin, 0.0);
            let side = (arm * reach + Vec3::Z * rise) * 0.3;
            mesh.positions.extend([arm - side, arm + side]);
            let next = if k == 4 { [1, 0] } else { [2 * k + 2, 2 * k + 3] };
            mesh.faces.push(Face::quad(2 * k, next[0], next[1], 2 * k + 1));
        }
        let report = Oriented::of(&mesh).report;
        assert_eq!((report.twisted_edges, report.open_edges), (1, 10));
        assert!(!report.is_closed());
    }

    #[test]
    fn what_has_no_area_or_no_vertex_is_left_out() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::X * 2.0];
        let faces = vec![Face::triangle(0, 1, 2), Face::triangle(0, 1, 3), Face::triangle(0, 1, 9)];
        let report = Oriented::of(&Mesh { positions, faces }).report;
        assert_eq!((report.triangles, report.left_out), (1, 1));
        assert!(!Oriented::of(&Mesh::default()).report.is_closed());
    }
}
