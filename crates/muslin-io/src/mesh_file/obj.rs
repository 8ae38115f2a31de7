//! Wavefront OBJ.
//!
//! Read by hand: the `tobj` crate gives errors without line or value and splits a file into objects with
//! vertices of their own.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use muslin::mesh::Mesh;

use super::error::{Fault, Place, Problem};
use super::text::{decode, numbered_lines, position, quote};

/// Vertices and faces; all other lines (normals, groups, materials, curves) are passed over.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    let text = decode(bytes)?;
    // A face may name vertices that stand below it, so they are counted first.
    let total = logical_lines(text).filter(|(_, line)| line.split_whitespace().next() == Some("v")).count();

    let mut mesh = Mesh::default();
    let mut faces_read = 0;
    let mut corners = Vec::new();
    for (place, line) in logical_lines(text) {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => mesh.positions.push(position(words, place)?),
            Some("f") => {
                faces_read += 1;
                let face = FaceLine { place, number: faces_read, above: mesh.positions.len(), total };
                corners.clear();
                for word in words.take_while(|word| !word.starts_with('#')) {
                    corners.push(face.corner(word)?);
                }
                if corners.len() < 3 {
                    let found = corners.len();
                    let problem = Problem::Corners { face: face.number, found, allowed: "at least 3" };
                    return Err(place.fault(problem));
                }
                super::push_polygon(&corners, &mut mesh.faces);
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// Writes a mesh so that reading it gives the very same numbers. Refuses coordinates that are not finite.
pub fn write_obj(path: &Path, mesh: &Mesh) -> io::Result<()> {
    if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
        let message =
            format!("vertex {vertex} is {}, but coordinates must be finite", mesh.positions[vertex]);
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let mut file = BufWriter::new(File::create(path)?);
    for p in &mesh.positions {
        // `{:?}` is the shortest decimal that reads back as the same number.
        writeln!(file, "v {:?} {:?} {:?}", p.x, p.y, p.z)?;
    }
    for face in &mesh.faces {
        write!(file, "f")?;
        for &corner in face.corners() {
            write!(file, " {}", u64::from(corner) + 1)?;
        }
        writeln!(file)?;
    }
    file.flush()
}

/// What the corners of a face line may refer to.
struct FaceLine {
    place: Place,
    number: usize,
    /// Vertices above this line: -1 names the last of them.
    above: usize,
    /// Vertices of the file: 1 names the first of them.
    total: usize,
}

impl FaceLine {
    /// The vertex of a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    fn corner(&self, word: &str) -> Result<u32, Fault> {
        let name = word.split('/').next().unwrap_or(word);
        let Ok(found) = name.parse::<i64>() else {
            let problem = Problem::NotAnIndex { face: self.number, found: quote(word) };
            return Err(self.place.fault(problem));
        };
        let distance = usize::try_from(found.unsigned_abs()).unwrap_or(usize::MAX);
        let index = match found.signum() {
            1 => Some(distance - 1).filter(|&index| index < self.total),
            -1 => self.above.checked_sub(distance),
            _ => None,
        };
        index.and_then(|index| u32::try_from(index).ok()).filter(|&index| index != u32::MAX).ok_or_else(
            || {
                let allowed = self.allowed(found);
                self.place.fault(Problem::IndexOutOfRange { face: self.number, found, allowed })
            },
        )
    }

    fn allowed(&self, found: i64) -> String {
        match *self {
            Self { total: 0, .. } => "the file has no vertices".into(),
            Self { above: 0, .. } if found < 0 => "no vertex stands above it to count back to".into(),
            Self { above, .. } if found < 0 => format!("the vertices above it are -{above} to -1"),
            Self { total, .. } => format!("the file has vertices 1 to {total}"),
        }
    }
}

/// The lines, those that end in a backslash joined with the next, each with the place where it begins.
fn logical_lines(text: &str) -> impl Iterator<Item = (Place, Cow<'_, str>)> {
    let mut lines = numbered_lines(text);
    std::iter::from_fn(move || {
        let (place, line) = lines.next()?;
        let Some(start) = line.strip_suffix('\\') else { return Some((place, Cow::Borrowed(line))) };
        let mut joined = start.to_owned();
        for (_, line) in lines.by_ref() {
            joined.push(' ');
            joined.push_str(line.trim_end_matches('\\'));
            if !line.ends_with('\\') {
                break;
            }
        }
        Some((place, Cow::Owned(joined)))
    })
}

#[cfg(test)]
mod tests {
    use muslin::math::Vec3;
    use muslin::mesh::Face;

    use super::super::tests::{in_folder, refusal};
    use super::*;

    const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

    fn faces(lines: &str) -> Vec<Face> {
        read(format!("{SQUARE}{lines}").as_bytes()).unwrap().faces
    }

    fn square_refusal(lines: &str) -> String {
        refusal("a.obj", format!("{SQUARE}{lines}").as_bytes())
    }

    #[test]
    fn a_written_mesh_reads_back_as_the_same_numbers() {
        let third = 1.0 / 3.0;
        let mesh = Mesh {
            positions: vec![
                Vec3::new(0.1, -0.0, 1e-300),
                Vec3::new(third, 1e22, f64::MIN_POSITIVE),
                Vec3::new(f64::MAX, 2.0_f64.powi(-1074), 3.0),
                Vec3::new(-third, 0.1 + 0.2, 7.0),
                Vec3::new(1.0, 2.0, 1e17),
            ],
            faces: vec![Face::quad(0, 1, 2, 3), Face::triangle(4, 2, 1)],
        };
        let (folder, path) = in_folder("mesh.obj", b"");
        write_obj(&path, &mesh).unwrap();
        let again = super::super::read_mesh_unchecked(&path).unwrap();
        assert_eq!(again, mesh);
        assert!(again.positions[0].y.is_sign_negative());
        drop(folder);
    }

    #[test]
    fn coordinates_that_are_not_finite_are_not_written() {
        let (_folder, path) = in_folder("mesh.obj", b"before");
        let mesh = Mesh { positions: vec![Vec3::ZERO, Vec3::NAN], faces: vec![] };
        let error = write_obj(&path, &mesh).unwrap_err();
        assert_eq!(error.to_string(), "vertex 1 is [NaN, NaN, NaN], but coordinates must be finite");
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
    }

    #[test]
    fn every_way_to_name_a_corner() {
        let expected = [Face::triangle(0, 1, 2)];
        for line in ["f 1 2 3", "f 1/7 2/8 3/9", "f 1//7 2//8 3//9", "f 1/1/1 2/2/2 3/3/3", "f -4 -3 -2"] {
            assert_eq!(faces(line), expected, "{line}");
        }
        assert_eq!(faces("  f  1 \t2 3 # comment\r\n"), expected);
        assert_eq!(faces("f 1 \\\n 2 \\\n3\n"), expected);
    }

    #[test]
    fn quads_stay_and_larger_polygons_become_fans() {
        assert_eq!(faces("f 1 2 3 4"), [Face::quad(0, 1, 2, 3)]);
        let fan = [Face::triangle(0, 1, 2), Face::triangle(0, 2, 3), Face::triangle(0, 3, 4)];
        assert_eq!(faces("v 0 2 0\nf 1 2 3 4 5"), fan);
    }

    #[test]
    fn groups_are_merged_and_other_lines_passed_over() {
        let text = "\u{feff}# head\nmtllib a.mtl\no one\nv 0 0 0 1 0.5 0.5\nv 1 0 0\nvn 0 0 1\nvt 0 0\n\
                    g left\nusemtl red\ns off\nf 1 2 3\no two\nv 0 1 0\nl 1 2\nf -3 -1 4\nv 0 0 1";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]);
        assert_eq!(mesh.faces, [Face::triangle(0, 1, 2), Face::triangle(0, 2, 3)]);
    }

    #[test]
    fn every_fault_has_its_message() {
        let cases = [
            ("f 1 2 3\nf 1 2 9\n", "a.obj:6: face 2 names vertex 9, but the file has vertices 1 to 4"),
            ("f 0 1 2\n", "a.obj:5: face 1 names vertex 0, but the file has vertices 1 to 4"),
            ("f -5 1 2\n", "a.obj:5: face 1 names vertex -5, but the vertices above it are -4 to -1"),
            ("f 1 2\n", "a.obj:5: face 1 has 2 corners, but must have at least 3"),
            ("f 1 2 x/1\n", "a.obj:5: face 1 names vertex `x/1`, but a vertex is named by a whole number"),
            ("v 1 2\n", "a.obj:5: the vertex has 2 coordinates, but needs 3"),
            ("v 1 two 3\n", "a.obj:5: the y coordinate is `two`, but must be a finite number"),
            ("v 1 2 NaN\n", "a.obj:5: the z coordinate is `NaN`, but must be a finite number"),
            ("v -inf 2 3\n", "a.obj:5: the x coordinate is `-inf`, but must be a finite number"),
            ("v 1e999 2 3\n", "a.obj:5: the x coordinate is `1e999`, but must be a finite number"),
        ];
        for (lines, expected) in cases {
            assert_eq!(square_refusal(lines), expected);
        }
        assert_eq!(
            refusal("a.obj", b"f -1 2 3\nv 0 0 0\n"),
            "a.obj:1: face 1 names vertex -1, but no vertex stands above it to count back to"
        );
        assert_eq!(
            refusal("a.obj", b"f 1 2 3\n"),
            "a.obj:1: face 1 names vertex 1, but the file has no vertices"
        );
        let far = format!("f 1 2 {}\n", i64::MIN);
        assert!(square_refusal(&far).contains("-9223372036854775808, but the vertices above it"));
    }

    #[test]
    fn a_cut_file_is_recognised_where_a_line_is_broken() {
        assert_eq!(
            square_refusal("f 1 2"),
            "a.obj:5: face 1 has 2 corners, but must have at least 3 \
             (the file ends within this line; it may be cut off)"
        );
    }

    #[test]
    fn text_of_another_encoding_is_refused_with_its_line() {
        assert_eq!(
            refusal("a.obj", b"v 0 0 0\n# Jos\xe9\nv 1 0 0\n"),
            "a.obj:2: found the byte 0xe9, which is not UTF-8 text; save the file as UTF-8"
        );
    }
}
