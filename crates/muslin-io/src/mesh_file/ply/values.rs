//! The body of a PLY file as a stream of values, the same for text and binary.

use std::iter::Enumerate;
use std::str::{Lines, SplitWhitespace};

use muslin::math::Real;

use super::super::error::{Fault, Place, Problem};
use super::super::text::{coordinate, quote};
use super::header::{Element, Scalar};

/// Where the values of the rows come from.
pub trait Values {
    /// Goes to the next row of an element and says where it stands.
    fn start_row(&mut self, element: &Element) -> Result<Place, Fault>;
    /// A finite number.
    fn coordinate(&mut self, scalar: Scalar, axis: char) -> Result<Real, Fault>;
    /// A whole number.
    fn integer(&mut self, scalar: Scalar) -> Result<i64, Fault>;
    /// Passes over values.
    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), Fault>;
    /// Makes sure that the row holds no more.
    fn end_row(&mut self) -> Result<(), Fault>;
    /// Where the last value stands.
    fn place(&self) -> Place;
}

/// One row a line, values parted by blanks.
pub struct TextValues<'a> {
    lines: Enumerate<Lines<'a>>,
    words: SplitWhitespace<'a>,
    place: Place,
}

impl<'a> TextValues<'a> {
    /// The rows of a file below its header of so many lines.
    pub fn new(file: &'a str, header_lines: usize) -> Self {
        let mut lines = file.lines().enumerate();
        lines.by_ref().take(header_lines).for_each(drop);
        Self { lines, words: "".split_whitespace(), place: Place::Line(header_lines) }
    }

    fn word(&mut self) -> Result<&'a str, Fault> {
        let expected = "as many values as the header has properties";
        self.words.next().ok_or_else(|| self.place.unexpected("too few values in this line", expected))
    }
}

impl Values for TextValues<'_> {
    fn start_row(&mut self, element: &Element) -> Result<Place, Fault> {
        let Some((number, line)) = self.lines.find(|(_, line)| !line.trim().is_empty()) else {
            let expected = format!("another of {} rows of {}", element.count, quote(&element.name));
            return Err(self.place.fault(Problem::CutOff { expected }));
        };
        self.words = line.split_whitespace();
        self.place = Place::Line(number + 1);
        Ok(self.place)
    }

    fn coordinate(&mut self, _: Scalar, axis: char) -> Result<Real, Fault> {
        coordinate(self.word()?, axis, self.place)
    }

    fn integer(&mut self, _: Scalar) -> Result<i64, Fault> {
        let word = self.word()?;
        word.parse().map_err(|_| self.place.unexpected(quote(word), "a whole number"))
    }

    fn skip(&mut self, _: Scalar, count: u64) -> Result<(), Fault> {
        (0..count).try_for_each(|_| self.word().map(drop))
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => {
                let expected = "the end of the line: the header has no property for it";
                Err(self.place.unexpected(quote(word), expected))
            }
        }
    }

    fn place(&self) -> Place {
        self.place
    }
}

/// Values without gaps, of a fixed byte order.
pub struct BinaryValues<'a> {
    /// What is left.
    bytes: &'a [u8],
    file_size: usize,
    big_endian: bool,
    place: Place,
}

impl<'a> BinaryValues<'a> {
    /// The body of a file, lowest byte of a value first.
    pub fn little(file: &'a [u8], body: &'a [u8]) -> Self {
        let place = Place::Byte(file.len() - body.len());
        Self { bytes: body, file_size: file.len(), big_endian: false, place }
    }

    /// The body of a file, highest byte of a value first.
    pub fn big(file: &'a [u8], body: &'a [u8]) -> Self {
        Self { big_endian: true, ..Self::little(file, body) }
    }

    fn take(&mut self, size: u64) -> Result<&'a [u8], Fault> {
        let left = self.bytes.len();
        self.place = Place::Byte(self.file_size - left);
        let parts = usize::try_from(size).ok().and_then(|size| self.bytes.split_at_checked(size));
        let Some((taken, rest)) = parts else {
            let expected = format!("{size} bytes (there are {left})");
            return Err(self.place.fault(Problem::CutOff { expected }));
        };
        self.bytes = rest;
        Ok(taken)
    }

    /// A value in the lowest bytes, lowest first.
    fn value(&mut self, scalar: Scalar) -> Result<[u8; 8], Fault> {
        let taken = self.take(scalar.size() as u64)?;
        let mut value = [0; 8];
        value[..taken.len()].copy_from_slice(taken);
        if self.big_endian {
            value[..taken.len()].reverse();
        }
        Ok(value)
    }
}

impl Values for BinaryValues<'_> {
    fn start_row(&mut self, _: &Element) -> Result<Place, Fault> {
        self.place = Place::Byte(self.file_size - self.bytes.len());
        Ok(self.place)
    }

    fn coordinate(&mut self, scalar: Scalar, axis: char) -> Result<Real, Fault> {
        if scalar.is_integer() {
            return Ok(self.integer(scalar)? as Real);
        }
        let bits = u64::from_le_bytes(self.value(scalar)?);
        let value = match scalar {
            Scalar::F32 => Real::from(f32::from_bits(bits as u32)),
            _ => Real::from_bits(bits),
        };
        if value.is_finite() {
            return Ok(value);
        }
        Err(self.place.fault(Problem::Coordinate { axis, found: value.to_string() }))
    }

    fn integer(&mut self, scalar: Scalar) -> Result<i64, Fault> {
        let bits = u64::from_le_bytes(self.value(scalar)?);
        Ok(match scalar {
            Scalar::I8 => i64::from(bits as i8),
            Scalar::I16 => i64::from(bits as i16),
            Scalar::I32 => i64::from(bits as i32),
            // Unsigned; the header allows no floating point where a whole number is read.
            _ => bits.cast_signed(),
        })
    }

    fn skip(&mut self, scalar: Scalar, count: u64) -> Result<(), Fault> {
        self.take(count.saturating_mul(scalar.size() as u64)).map(drop)
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn place(&self) -> Place {
        self.place
    }
}
