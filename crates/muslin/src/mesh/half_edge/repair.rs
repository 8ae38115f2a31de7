//! What was repaired of a mesh that is no manifold.

use std::fmt;

/// An edge of three or more faces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchingEdge {
    /// Its particles, the smaller number first.
    pub ends: [u32; 2],
    /// The two faces that are still joined there, those nearest to a plane.
    pub joined: [u32; 2],
    /// The others, which have a border there.
    pub parted: Vec<u32>,
}

/// What was repaired of a mesh: faces, by their numbers in it, and edges and vertices, by their particles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repair {
    /// Faces that were dropped: without area, or with a vertex twice.
    pub degenerate: Vec<u32>,
    /// Faces that were dropped, each behind the one with the same vertices that was kept.
    pub doubled: Vec<[u32; 2]>,
    /// Edges of three or more faces.
    pub branching: Vec<BranchingEdge>,
    /// Faces that were turned over, to turn the way their neighbours do.
    pub turned: Vec<u32>,
    /// Edges that were opened, since no turning of faces makes the surface there turn one way (a Möbius strip).
    pub one_sided: Vec<[u32; 2]>,
    /// Edges that were opened, so that no two edges of the surface join the same vertices.
    pub opened: Vec<[u32; 2]>,
    /// Vertices of several fans of faces, and how many: each fan has its copy.
    pub fans: Vec<[u32; 2]>,
    /// The faces that were kept, in order.
    pub kept: Vec<u32>,
}

impl Repair {
    /// Whether there was nothing to repair.
    pub fn is_empty(&self) -> bool {
        self.keeps_faces() && self.turned.is_empty() && self.parts_nothing()
    }

    /// Whether all faces were kept.
    pub fn keeps_faces(&self) -> bool {
        self.degenerate.is_empty() && self.doubled.is_empty()
    }

    /// Whether the surface is parted nowhere: one vertex per particle, no edge opened.
    fn parts_nothing(&self) -> bool {
        self.branching.is_empty()
            && self.one_sided.is_empty()
            && self.opened.is_empty()
            && self.fans.is_empty()
    }

    /// One line for every kind of repair, with the numbers of the first few, counted from 0.
    pub fn lines(&self) -> Vec<String> {
        let edge = |[a, b]: &[u32; 2]| format!("{a}-{b}");
        let mut lines = Vec::new();
        let mut say = |count: usize, one: &str, many: &str, names: Vec<String>| {
            if count > 0 {
                let what = if count == 1 { one } else { many };
                let more = if count > names.len() { ", …" } else { "" };
                lines.push(format!("{count} {what} ({}{more})", names.join(", ")));
            }
        };
        let numbers = |list: &[u32]| list.iter().take(SHOWN).map(u32::to_string).collect();
        let edges = |list: &[[u32; 2]]| list.iter().take(SHOWN).map(edge).collect();
        say(
            self.degenerate.len(),
            "degenerate face dropped",
            "degenerate faces dropped",
            numbers(&self.degenerate),
        );
        let doubled =
            self.doubled.iter().take(SHOWN).map(|[kept, face]| format!("{face} as {kept}")).collect();
        say(self.doubled.len(), "doubled face dropped", "doubled faces dropped", doubled);
        let branching = self.branching.iter().take(SHOWN).map(|branch| edge(&branch.ends)).collect();
        say(
            self.branching.len(),
            "edge of three faces or more parted in topology, the two nearest to a plane stay joined",
            "edges of three faces or more parted in topology, the two nearest to a plane stay joined",
            branching,
        );
        say(self.turned.len(), "face turned over", "faces turned over", numbers(&self.turned));
        say(
            self.one_sided.len(),
            "edge opened in topology, where the surface has but one side",
            "edges opened in topology, where the surface has but one side",
            edges(&self.one_sided),
        );
        say(
            self.opened.len(),
            "edge opened in topology beside those",
            "edges opened in topology beside those",
            edges(&self.opened),
        );
        let fans = self.fans.iter().take(SHOWN).map(|[particle, _]| particle.to_string()).collect();
        say(
            self.fans.len(),
            "vertex of several fans of faces parted in topology",
            "vertices of several fans of faces parted in topology",
            fans,
        );
        lines
    }
}

/// How many numbers stand in a line.
const SHOWN: usize = 5;

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines();
        if lines.is_empty() { f.write_str("nothing to repair") } else { f.write_str(&lines.join("; ")) }
    }
}
