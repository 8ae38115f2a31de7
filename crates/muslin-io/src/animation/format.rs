//! The names of the formats.

use std::fmt;
use std::str::FromStr;

/// A format of animated meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AnimationFormat {
    /// One Wavefront OBJ file per frame.
    Obj,
    /// A point cache, and the OBJ file of its mesh.
    Pc2,
    /// Binary glTF 2.0 with one morph target per frame.
    Glb,
}

impl AnimationFormat {
    /// Every format.
    pub const ALL: [Self; 3] = [Self::Obj, Self::Pc2, Self::Glb];

    /// As it is written on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Pc2 => "pc2",
            Self::Glb => "glb",
        }
    }
}

impl fmt::Display for AnimationFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no format has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no animation format `{0}`; there are {names}", names = AnimationFormat::ALL.map(AnimationFormat::name).join(", "))]
pub struct UnknownFormat(pub String);

impl FromStr for AnimationFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let named = Self::ALL.into_iter().find(|format| format.name() == name);
        named.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for format in AnimationFormat::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "abc".parse::<AnimationFormat>().unwrap_err();
        assert_eq!(error.to_string(), "there is no animation format `abc`; there are obj, pc2, glb");
    }
}
