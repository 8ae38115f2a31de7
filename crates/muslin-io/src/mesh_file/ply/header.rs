//! The header of a PLY file: which elements follow, and what each row of them holds.

use super::super::error::{Fault, Place, Problem};
use super::super::text::{decode, quote};

/// What a PLY file says about itself.
pub struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
    /// The line of `end_header`, counted from 1.
    pub end_line: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// Rows of one kind.
pub struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
    /// Where the header names it.
    pub place: Place,
}

/// A column of an element.
pub struct Property {
    pub name: String,
    pub kind: Kind,
}

#[derive(Clone, Copy)]
pub enum Kind {
    One(Scalar),
    List { count: Scalar, item: Scalar },
}

#[derive(Clone, Copy)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// Reads the header; returns with it the bytes that follow.
pub fn read(bytes: &[u8]) -> Result<(Header, &[u8]), Fault> {
    let mut encoding = None;
    let mut elements = Vec::new();
    let mut offset = 0;
    let mut place = Place::Line(1);
    for (number, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        place = Place::Line(number + 1);
        offset += line.len();
        let line = decode(line).map_err(|fault| Fault { place, ..fault })?.trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        if number == 0 && words != ["ply"] {
            return Err(place.unexpected(quote(line), "`ply`"));
        }
        match words[..] {
            ["end_header"] => {
                let Some(encoding) = encoding else {
                    return Err(place.unexpected("a header without format", "`format ascii 1.0` above"));
                };
                return Ok((Header { encoding, elements, end_line: number + 1 }, &bytes[offset..]));
            }
            ["format", name, ..] => encoding = Some(Encoding::named(name, place)?),
            ["element", name, count] => elements.push(new_element(name, count, &elements, place)?),
            ["property", ref words @ ..] => match elements.last_mut() {
                Some(element) => element.properties.push(Property::parse(words, line, place)?),
                None => return Err(place.unexpected("a property", "`element <name> <count>` before it")),
            },
            ["ply"] if number == 0 => {}
            ["comment" | "obj_info", ..] | [] => {}
            _ => {
                let expected = "`format`, `element`, `property`, `comment` or `end_header`";
                return Err(place.unexpected(quote(line), expected));
            }
        }
    }
    Err(place.fault(Problem::CutOff { expected: "the rest of the header up to `end_header`".into() }))
}

fn new_element(name: &str, count: &str, others: &[Element], place: Place) -> Result<Element, Fault> {
    if others.iter().any(|other| other.name == name) {
        return Err(place.unexpected(format!("a second element {}", quote(name)), "each element once"));
    }
    let Ok(count) = count.parse() else {
        return Err(place.unexpected(quote(count), "a count, a whole number of 0 or more"));
    };
    Ok(Element { name: name.into(), count, properties: Vec::new(), place })
}

impl Element {
    /// The least bytes that all rows can take: in text a digit and a blank a value, with empty lists.
    pub fn least_size(&self, text: bool) -> u128 {
        let value = |property: &Property| match property.kind {
            _ if text => 2,
            Kind::One(scalar) | Kind::List { count: scalar, .. } => scalar.size() as u128,
        };
        let row: u128 = self.properties.iter().map(value).sum();
        row * u128::from(self.count)
    }
}

impl Encoding {
    fn named(name: &str, place: Place) -> Result<Self, Fault> {
        match name {
            "ascii" => Ok(Self::Text),
            "binary_little_endian" => Ok(Self::LittleEndian),
            "binary_big_endian" => Ok(Self::BigEndian),
            _ => {
                let expected = "`ascii`, `binary_little_endian` or `binary_big_endian`";
                Err(place.unexpected(format!("the format {}", quote(name)), expected))
            }
        }
    }
}

impl Property {
    fn parse(words: &[&str], line: &str, place: Place) -> Result<Self, Fault> {
        match *words {
            ["list", count, item, name] => {
                let (count, item) = (Scalar::named(count, place)?, Scalar::named(item, place)?);
                if !count.is_integer() {
                    let expected = "a type of whole numbers for the length of a list, like `uchar`";
                    return Err(place.unexpected(quote(words[1]), expected));
                }
                Ok(Self { name: name.into(), kind: Kind::List { count, item } })
            }
            [scalar, name] => Ok(Self { name: name.into(), kind: Kind::One(Scalar::named(scalar, place)?) }),
            _ => {
                let expected = "`property <type> <name>` or `property list <type> <type> <name>`";
                Err(place.unexpected(quote(line), expected))
            }
        }
    }
}

impl Scalar {
    fn named(name: &str, place: Place) -> Result<Self, Fault> {
        Ok(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => {
                let expected = "char, uchar, short, ushort, int, uint, float or double";
                return Err(place.unexpected(format!("the type {}", quote(name)), expected));
            }
        })
    }

    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Bytes of a binary value.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }
}
