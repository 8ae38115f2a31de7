//! STL, as text and binary.
//!
//! Read by hand: the `stl_io` crate takes a binary file that begins with `solid` for text, rounds text to
//! single precision and gives errors without a line.

use std::collections::HashMap;

use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Mesh};

use super::error::{Fault, Place, Problem};
use super::text::{decode, numbered_lines, position, quote};

/// Bytes before the count of triangles, which has four.
const COMMENT_SIZE: usize = 80;
/// Bytes of a triangle: normal, three corners, and two of no fixed meaning.
const TRIANGLE_SIZE: usize = 50;

/// The triangles, with equal corners made one vertex.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    if is_binary(bytes) { read_binary(bytes) } else { read_text(bytes) }
}

/// The length decides where it fits exactly: some programs begin binary files with `solid` too. Otherwise (a
/// cut file, say) bytes that no text has: the count, and the zeros in the numbers, stand near the beginning.
fn is_binary(bytes: &[u8]) -> bool {
    const BEGINNING: usize = COMMENT_SIZE + 4 + 4 * TRIANGLE_SIZE;
    let fits = claimed_triangles(bytes).is_some_and(|(count, body)| size_of(count) == body.len() as u64);
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    fits || beginning.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// The number of triangles that a binary file claims, and the bytes that should hold them.
fn claimed_triangles(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (count, body) = bytes.get(COMMENT_SIZE..)?.split_first_chunk()?;
    Some((u32::from_le_bytes(*count), body))
}

fn size_of(triangles: u32) -> u64 {
    u64::from(triangles) * TRIANGLE_SIZE as u64
}

fn read_binary(bytes: &[u8]) -> Result<Mesh, Fault> {
    let Some((count, body)) = claimed_triangles(bytes) else {
        let expected = "the 84 bytes that begin a binary STL file (a text file would begin with `solid`)";
        return Err(Place::Byte(bytes.len()).fault(Problem::CutOff { expected: expected.into() }));
    };
    if size_of(count) > body.len() as u64 {
        let claim = format!("{count} triangles");
        let problem = Problem::FalseClaim { claim, needed: size_of(count).into(), present: body.len() };
        return Err(Place::Byte(COMMENT_SIZE).fault(problem));
    }
    let mut soup = Soup::default();
    for (number, triangle) in body.chunks_exact(TRIANGLE_SIZE).take(count as usize).enumerate() {
        let start = bytes.len() - body.len() + number * TRIANGLE_SIZE;
        let mut points = [Vec3::ZERO; 3];
        let (numbers, _) = triangle[12..48].as_chunks::<4>();
        for (k, number) in numbers.iter().enumerate() {
            let value = Real::from(f32::from_le_bytes(*number));
            if !value.is_finite() {
                let problem = Problem::Coordinate { axis: ['x', 'y', 'z'][k % 3], found: value.to_string() };
                return Err(Place::Byte(start + 12 + 4 * k).fault(problem));
            }
            points[k / 3][k % 3] = value;
        }
        soup.push(points);
    }
    Ok(soup.mesh)
}

fn read_text(bytes: &[u8]) -> Result<Mesh, Fault> {
    let mut soup = Soup::default();
    let mut state = State::Outside;
    let mut corners = Vec::new();
    let mut end = Place::Line(1);
    for (place, line) in numbered_lines(decode(bytes)?) {
        end = place;
        let mut words = line.split_whitespace();
        let Some(keyword) = words.next() else { continue };
        state = match (state, keyword.to_ascii_lowercase().as_str()) {
            (State::Outside, "solid") => State::Solid,
            (State::Solid, "facet") => State::Facet,
            (State::Solid, "endsolid") => State::Outside,
            (State::Facet, "outer") => State::Loop,
            (State::Loop, "vertex") => {
                corners.push(position(words, place)?);
                State::Loop
            }
            (State::Loop, "endloop") => State::LoopEnd,
            (State::LoopEnd, "endfacet") => {
                let Ok(points) = <[Vec3; 3]>::try_from(corners.as_slice()) else {
                    let face = soup.mesh.faces.len() + 1;
                    let problem = Problem::Corners { face, found: corners.len(), allowed: "3" };
                    return Err(place.fault(problem));
                };
                soup.push(points);
                corners.clear();
                State::Solid
            }
            _ => return Err(place.unexpected(quote(keyword), state.expected())),
        };
    }
    match state {
        State::Outside => Ok(soup.mesh),
        _ => Err(end.fault(Problem::CutOff { expected: state.expected().into() })),
    }
}

/// Between which keywords of a text file we are.
#[derive(Clone, Copy)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop,
    LoopEnd,
}

impl State {
    fn expected(self) -> &'static str {
        match self {
            Self::Outside => "`solid`",
            Self::Solid => "`facet` or `endsolid`",
            Self::Facet => "`outer loop`",
            Self::Loop => "`vertex` or `endloop`",
            Self::LoopEnd => "`endfacet`",
        }
    }
}

/// Triangles without numbered vertices, joined as they come.
#[derive(Default)]
struct Soup {
    mesh: Mesh,
    vertices: HashMap<[u64; 3], u32>,
}

impl Soup {
    fn push(&mut self, points: [Vec3; 3]) {
        let [a, b, c] = points.map(|point| self.vertex(point));
        self.mesh.faces.push(Face::triangle(a, b, c));
    }

    fn vertex(&mut self, point: Vec3) -> u32 {
        // Adding 0 turns -0 into 0: a seam along a coordinate plane is no gap.
        let key = point.to_array().map(|coordinate| (coordinate + 0.0).to_bits());
        *self.vertices.entry(key).or_insert_with(|| {
            self.mesh.positions.push(point);
            self.mesh.positions.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{binary_stl, refusal, text_stl};
    use super::*;

    const TRIANGLES: [[[f32; 3]; 3]; 2] = [
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.5, 0.0]],
        [[1.0, -0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.5, 0.0]],
    ];

    #[test]
    fn both_kinds_give_the_same_welded_mesh() {
        let from_binary = read(&binary_stl("made by a test", &TRIANGLES)).unwrap();
        assert_eq!(from_binary.faces, [Face::triangle(0, 1, 2), Face::triangle(1, 3, 2)]);
        assert_eq!(from_binary.positions[3].y, f64::from(0.1_f32));
        let from_text = read(text_stl(&TRIANGLES).as_bytes()).unwrap();
        assert_eq!(from_text.faces, from_binary.faces);
        assert_eq!(from_text.positions[3].y, 0.1);
        let shouted = read(text_stl(&TRIANGLES).to_uppercase().as_bytes()).unwrap();
        assert_eq!(shouted, from_text);
    }

    #[test]
    fn a_binary_file_may_begin_with_solid() {
        let comment = "solid but not text\nfacet normal 0 0 1";
        let whole = binary_stl(comment, &TRIANGLES);
        assert_eq!(read(&whole).unwrap().faces.len(), 2);
        assert!(refusal("a.stl", &whole[..120]).contains("2 triangles"));
        let mut longer = whole;
        longer.extend(b"trailer");
        assert_eq!(read(&longer).unwrap().faces.len(), 2);
    }

    #[test]
    fn several_solids_are_merged() {
        let text = text_stl(&TRIANGLES[..1]) + &text_stl(&TRIANGLES[1..]);
        assert_eq!(read(text.as_bytes()).unwrap().faces.len(), 2);
    }

    #[test]
    fn a_false_claim_is_refused_by_its_numbers() {
        let mut file = binary_stl("", &TRIANGLES);
        file.resize(200, 0);
        file[80..84].copy_from_slice(&20_000_000_u32.to_le_bytes());
        assert_eq!(
            refusal("a.stl", &file),
            "a.stl: byte 80: the header claims 20000000 triangles, which take at least 1000000000 bytes, \
             but 116 bytes follow it; the file is cut off or its header is wrong"
        );
        file[80..84].fill(255);
        assert!(refusal("a.stl", &file).contains("4294967295 triangles"));
    }

    #[test]
    fn every_cut_is_noticed() {
        let binary = binary_stl("comment", &TRIANGLES);
        for size in 1..binary.len() {
            assert!(read(&binary[..size]).is_err(), "{size} bytes");
        }
        let text = text_stl(&TRIANGLES);
        for size in 1..text.len() - "endsolid\n".len() {
            assert!(read(&text.as_bytes()[..size]).is_err(), "{size} bytes");
        }
    }

    #[test]
    fn every_fault_has_its_message() {
        let text = |from, to| refusal("a.stl", text_stl(&TRIANGLES).replacen(from, to, 1).as_bytes());
        let cases = [
            (
                text("vertex 1 ", "vertex one "),
                "a.stl:5: the x coordinate is `one`, but must be a finite number",
            ),
            (
                text("vertex 1 ", "vertex inf "),
                "a.stl:5: the x coordinate is `inf`, but must be a finite number",
            ),
            (text("vertex 1 ", "vertex "), "a.stl:5: the vertex has 2 coordinates, but needs 3"),
            (text("vertex 1 0 0\n", ""), "a.stl:7: face 1 has 2 corners, but must have 3"),
            (text("endloop", "vertex 0 0 5\nendloop"), "a.stl:9: face 1 has 4 corners, but must have 3"),
            (text("endloop\n", ""), "a.stl:7: found `endfacet`, but expected `vertex` or `endloop`"),
            (text("solid", "sold"), "a.stl:1: found `sold`, but expected `solid`"),
        ];
        for (found, expected) in cases {
            assert_eq!(found, expected);
        }
        assert_eq!(
            refusal("a.stl", b"solid\nfacet normal 0 0 1\n"),
            "a.stl:2: the file ends here, but `outer loop` should follow; it may be cut off"
        );
        assert_eq!(
            refusal("a.stl", b"\0\0\0"),
            "a.stl: byte 3: the file ends here, but the 84 bytes that begin a binary STL file (a text file \
             would begin with `solid`) should follow; it may be cut off"
        );
        let mut not_a_number = TRIANGLES;
        not_a_number[1][0][2] = f32::NAN;
        assert_eq!(
            refusal("a.stl", &binary_stl("", &not_a_number)),
            "a.stl: byte 154: the z coordinate is NaN, but must be a finite number"
        );
    }
}
