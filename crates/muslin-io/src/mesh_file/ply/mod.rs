//! PLY, as text and binary of either byte order.
//!
//! Read by hand: the `ply-rs` crate panics on a count beyond 64 bits, rounds `float` columns of text to single
//! precision, and has no offsets for faults in binary files.

mod header;
mod values;

#[cfg(test)]
mod tests;

use muslin::math::{Real, Vec3};
use muslin::mesh::Mesh;

use super::error::{Fault, Place, Problem};
use super::text::decode;
use header::{Element, Encoding, Header, Kind, Property, Scalar};
use values::{BinaryValues, TextValues, Values};

/// The elements `vertex` and `face`; all others are passed over.
pub(super) fn read(bytes: &[u8]) -> Result<Mesh, Fault> {
    let (header, body) = header::read(bytes)?;
    let layout = Layout::of(&header)?;
    check_claim(&header, body)?;
    match header.encoding {
        Encoding::Text => {
            // The whole file, so that a fault in the body has the line number of the file.
            let lines = decode(bytes)?;
            read_body(&header, &layout, &mut TextValues::new(lines, header.end_line))
        }
        Encoding::LittleEndian => read_body(&header, &layout, &mut BinaryValues::little(bytes, body)),
        Encoding::BigEndian => read_body(&header, &layout, &mut BinaryValues::big(bytes, body)),
    }
}

/// Which properties hold what a mesh needs.
struct Layout {
    vertices: u64,
    /// Columns of x, y and z among the properties of a vertex.
    axes: [usize; 3],
    /// Column of the list of corners among the properties of a face.
    corners: usize,
}

impl Layout {
    fn of(header: &Header) -> Result<Self, Fault> {
        let end = Place::Line(header.end_line);
        let Some(vertex) = header.elements.iter().find(|element| element.name == "vertex") else {
            return Err(end.unexpected("a header without vertices", "`element vertex <count>` above"));
        };
        let column = |name: &str| {
            let found =
                vertex.properties.iter().position(|p| p.name == name && matches!(p.kind, Kind::One(_)));
            let expected = format!("`property float {name}`");
            found.ok_or_else(|| vertex.place.unexpected(format!("vertices without {name}"), expected))
        };
        let axes = [column("x")?, column("y")?, column("z")?];
        let corners = match header.elements.iter().find(|element| element.name == "face") {
            Some(face) => face.properties.iter().position(is_corner_list).ok_or_else(|| {
                let expected = "`property list uchar int vertex_indices` (whole numbers)";
                face.place.unexpected("faces without a list of corners", expected)
            })?,
            None => 0,
        };
        Ok(Self { vertices: vertex.count, axes, corners })
    }
}

fn is_corner_list(property: &Property) -> bool {
    matches!(property.name.as_str(), "vertex_indices" | "vertex_index")
        && matches!(property.kind, Kind::List { item, .. } if item.is_integer())
}

/// Compares the least bytes that the elements can take with the bytes that are there. Each row takes one
/// byte or more, so what passes bounds all loops and memory by the size of the file.
fn check_claim(header: &Header, body: &[u8]) -> Result<(), Fault> {
    let text = header.encoding == Encoding::Text;
    let needed: u128 = header.elements.iter().map(|element| element.least_size(text)).sum();
    // The last line may have no end.
    if needed <= body.len() as u128 + u128::from(text) {
        return Ok(());
    }
    let counts: Vec<_> = header.elements.iter().map(|e| format!("{} × `{}`", e.count, e.name)).collect();
    let claim = counts.join(", ");
    Err(Place::Line(header.end_line).fault(Problem::FalseClaim { claim, needed, present: body.len() }))
}

fn read_body(header: &Header, layout: &Layout, values: &mut impl Values) -> Result<Mesh, Fault> {
    let mut mesh = Mesh::default();
    // A row without properties takes no bytes: nothing to pass over, however many are claimed.
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        match element.name.as_str() {
            "vertex" => read_vertices(element, layout, values, &mut mesh)?,
            "face" => read_faces(element, layout, values, &mut mesh)?,
            _ => {
                for _ in 0..element.count {
                    values.start_row(element)?;
                    for property in &element.properties {
                        skip(property, values)?;
                    }
                    values.end_row()?;
                }
            }
        }
    }
    Ok(mesh)
}

fn read_vertices(
    element: &Element,
    layout: &Layout,
    values: &mut impl Values,
    mesh: &mut Mesh,
) -> Result<(), Fault> {
    for _ in 0..element.count {
        values.start_row(element)?;
        let mut point: [Real; 3] = [0.0; 3];
        for (column, property) in element.properties.iter().enumerate() {
            match (layout.axes.iter().position(|&axis| axis == column), property.kind) {
                (Some(axis), Kind::One(scalar)) => {
                    point[axis] = values.coordinate(scalar, ['x', 'y', 'z'][axis])?;
                }
                _ => skip(property, values)?,
            }
        }
        values.end_row()?;
        mesh.positions.push(Vec3::from_array(point));
    }
    Ok(())
}

fn read_faces(
    element: &Element,
    layout: &Layout,
    values: &mut impl Values,
    mesh: &mut Mesh,
) -> Result<(), Fault> {
    let mut corners = Vec::new();
    for face in 0..element.count as usize {
        let place = values.start_row(element)?;
        for (column, property) in element.properties.iter().enumerate() {
            match property.kind {
                Kind::List { count, item } if column == layout.corners => {
                    corners.clear();
                    for _ in 0..list_length(count, values)? {
                        let found = values.integer(item)?;
                        corners.push(corner(found, face, layout.vertices, place)?);
                    }
                }
                _ => skip(property, values)?,
            }
        }
        values.end_row()?;
        if corners.len() < 3 {
            let problem = Problem::Corners { face, found: corners.len(), allowed: "at least 3" };
            return Err(place.fault(problem));
        }
        super::push_polygon(&corners, &mut mesh.faces);
    }
    Ok(())
}

fn corner(found: i64, face: usize, vertices: u64, place: Place) -> Result<u32, Fault> {
    match u32::try_from(found) {
        Ok(index) if u64::from(index) < vertices && index != u32::MAX => Ok(index),
        _ => {
            let allowed = match vertices.checked_sub(1) {
                Some(last) => format!("the file has vertices 0 to {last}"),
                None => "the file has no vertices".into(),
            };
            Err(place.fault(Problem::IndexOutOfRange { face, found, allowed }))
        }
    }
}

fn skip(property: &Property, values: &mut impl Values) -> Result<(), Fault> {
    match property.kind {
        Kind::One(scalar) => values.skip(scalar, 1),
        Kind::List { count, item } => {
            let length = list_length(count, values)?;
            values.skip(item, length)
        }
    }
}

fn list_length(scalar: Scalar, values: &mut impl Values) -> Result<u64, Fault> {
    let found = values.integer(scalar)?;
    u64::try_from(found).map_err(|_| {
        let expected = "a length of 0 or more";
        values.place().unexpected(format!("a list of length {found}"), expected)
    })
}
