//! A pair of features of a surface that may touch: THE pair of contact.

use crate::math::Vec3;

/// A pair of features of a surface: a vertex and a triangle, two edges, or a vertex and a wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Stencil {
    /// Four vertices: those of the first feature, then those of the second; with a wall, the same vertex four times.
    pub vertices: [u32; 4],
    /// What the features are.
    pub kind: Kind,
}

/// The features of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Kind {
    /// A vertex and the half-space of a solid.
    VertexWall {
        /// Number of the wall.
        wall: u32,
    },
    /// A vertex and a triangle.
    VertexTriangle {
        /// Number of the triangle.
        triangle: u32,
    },
    /// Two edges.
    EdgeEdge {
        /// Whether one of them lies within a flat face of a solid.
        is_flat: bool,
    },
}

impl Kind {
    /// How many of the four vertices are the first feature's; 0 with a wall.
    #[inline]
    pub fn first(self) -> usize {
        match self {
            Self::VertexWall { .. } => 0,
            Self::VertexTriangle { .. } => 1,
            Self::EdgeEdge { .. } => 2,
        }
    }
}

impl Stencil {
    /// A vertex and a triangle with a number and corners.
    #[inline]
    pub fn vertex_triangle(vertex: u32, triangle: u32, [a, b, c]: [u32; 3]) -> Self {
        Self { vertices: [vertex, a, b, c], kind: Kind::VertexTriangle { triangle } }
    }

    /// Two edges.
    #[inline]
    pub fn edge_edge([a, b]: [u32; 2], [c, d]: [u32; 2], is_flat: bool) -> Self {
        Self { vertices: [a, b, c, d], kind: Kind::EdgeEdge { is_flat } }
    }

    /// A vertex and a triangle if the first feature has one of the vertices, two edges if it has two.
    #[cfg(test)]
    pub fn of_first(vertices: [u32; 4], first: usize) -> Self {
        let [a, b, c, d] = vertices;
        if first == 1 {
            Self::vertex_triangle(a, 0, [b, c, d])
        } else {
            Self::edge_edge([a, b], [c, d], false)
        }
    }

    /// How many of the vertices are the first feature's; 0 with a wall.
    #[inline]
    pub fn first(&self) -> usize {
        self.kind.first()
    }

    /// Whether the second feature is a wall.
    #[inline]
    pub fn is_at_wall(&self) -> bool {
        matches!(self.kind, Kind::VertexWall { .. })
    }

    /// Where the vertices are [m].
    #[inline]
    pub fn points(&self, x: &[Vec3]) -> [Vec3; 4] {
        self.vertices.map(|v| x[v as usize])
    }
}
