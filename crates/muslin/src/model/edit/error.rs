//! Why the topology of a model was not edited.

use crate::build_error::BuildError;
use crate::seam::SeamError;
use crate::torn::BladeError;

/// Why the topology was not edited; nothing has changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EditError {
    /// There is no such particle.
    #[error("there is no particle {0}")]
    Missing(u32),
    /// It belongs to no cloth: a rope, a net or a soft solid.
    #[error("particle {0} belongs to no cloth with faces")]
    NoCloth(u32),
    /// A face that is not one of the vertex.
    #[error("face {face} is not one of the cloth's faces at particle {particle}, or is given twice")]
    OtherFace {
        /// The face.
        face: u32,
        /// The particle.
        particle: u32,
    },
    /// One side of the split would have no faces.
    #[error("a split needs faces on both sides, and particle {0} has none on one")]
    OneSided(u32),
    /// Sheets with flexion springs along diagonals know no faces.
    #[error("particle {0} belongs to a sheet with `flexion_diagonals`, which cannot be split")]
    Diagonals(u32),
    /// The elements cannot be made again.
    #[error(transparent)]
    Elements(#[from] BuildError),
    /// No edge joins two particles.
    #[error("no edge of cloth joins particles {} and {}", .0[0], .0[1])]
    NoEdge([u32; 2]),
    /// Nothing would be open that is not open already.
    #[error(
        "the cut opens nothing: a cut within cloth needs two edges at least, and one that is open stays so"
    )]
    OpensNothing,
    /// There is no room to separate the twins, or to join them; there may be later.
    #[error("there is no room around particle {0}")]
    NoRoom(u32),
    /// Rods cannot be divided.
    #[error("particle {0} belongs to cloth of rigid threads, which cannot be divided")]
    Rigid(u32),
    /// A place that is not inside of an edge or a face.
    #[error("a new vertex must lie between the ends of its edge, or the corners of its face")]
    Outside,
    /// The blade cuts nothing.
    #[error(transparent)]
    Blade(#[from] BladeError),
    /// Borders that cannot be sewn.
    #[error(transparent)]
    Seam(#[from] SeamError),
    /// Faces that cannot be replaced together.
    #[error("faces {0:?} cannot be replaced together")]
    OtherFaces(Vec<u32>),
    /// A triangle without area.
    #[error("the division at particle {0} would make a triangle without area")]
    Flat(u32),
    /// Two particles that cannot become one.
    #[error("particles {} and {} cannot be joined: {why}", .pair[0], .pair[1])]
    NoJoin {
        /// The particles.
        pair: [u32; 2],
        /// Why not.
        why: &'static str,
    },
}

impl EditError {
    /// The same about a particle by its number before the edit.
    pub(super) fn about(self, vertex: u32) -> Self {
        match self {
            Self::OtherFace { face, .. } => Self::OtherFace { face, particle: vertex },
            Self::OneSided(_) => Self::OneSided(vertex),
            other => other,
        }
    }
}
