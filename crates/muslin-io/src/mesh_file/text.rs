//! What the text formats share: lines, coordinates, and how to quote a file in a message.

use muslin::math::{Real, Vec3};

use super::error::{Fault, Place, Problem};

/// The bytes as text, without a byte order mark.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
        Err(error) => {
            let (before, after) = bytes.split_at(error.valid_up_to());
            let byte = after.first().copied().unwrap_or_default();
            Err(Place::Line(1 + count_line_ends(before)).fault(Problem::NotUtf8 { byte }))
        }
    }
}

/// The lines with their numbers, counted from 1.
pub(super) fn numbered_lines(text: &str) -> impl Iterator<Item = (Place, &str)> {
    text.lines().enumerate().map(|(number, line)| (Place::Line(number + 1), line))
}

/// Whether the place is the last line of the file and has no line end.
pub(super) fn is_unfinished_line(bytes: &[u8], place: Place) -> bool {
    match place {
        Place::Line(line) => !bytes.ends_with(b"\n") && line == 1 + count_line_ends(bytes),
        Place::Byte(_) => false,
    }
}

/// The position that the first three words of a line give.
pub(super) fn position<'a>(words: impl Iterator<Item = &'a str>, place: Place) -> Result<Vec3, Fault> {
    let mut point = [0.0; 3];
    let mut found = 0;
    for (word, axis) in words.zip('x'..='z') {
        point[found] = coordinate(word, axis, place)?;
        found += 1;
    }
    match found {
        3 => Ok(Vec3::from_array(point)),
        _ => Err(place.fault(Problem::FewCoordinates { found })),
    }
}

/// A finite number.
pub(super) fn coordinate(word: &str, axis: char, place: Place) -> Result<Real, Fault> {
    let value = word.parse().ok().filter(|value: &Real| value.is_finite());
    value.ok_or_else(|| place.fault(Problem::Coordinate { axis, found: quote(word) }))
}

/// A piece of the file for a message: in quotes, of bearable length, without control characters.
pub(super) fn quote(piece: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = piece.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let dots = if piece.chars().nth(LONGEST).is_some() { "…" } else { "" };
    format!("`{shown}{dots}`")
}

fn count_line_ends(bytes: &[u8]) -> usize {
    bytes.split(|&byte| byte == b'\n').count() - 1
}
