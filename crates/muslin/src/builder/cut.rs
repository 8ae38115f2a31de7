//! Cuts along edges, as descriptions have them.

use super::Body;
use crate::build_error::{BuildError, at, refuse};
use crate::math::Real;
use crate::mesh::Face;
use crate::torn::TimedCut;

/// A cut along edges of the cloth: open from the start, or from some time on.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct Cut {
    /// Where it runs.
    pub along: CutLine,
    /// When it is made [s].
    #[cfg_attr(feature = "serde", serde(default))]
    pub time: Real,
}

/// Where a cut runs.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum CutLine {
    /// From place (i, j) of a sheet to place, along its rows and columns.
    Grid(Vec<[usize; 2]>),
    /// From particle to particle, along edges; numbers counted from 0 in this body.
    Particles(Vec<u32>),
}

impl Cut {
    /// The cut by numbers of the whole model, through a body with these faces.
    pub(super) fn build(&self, body: &Body, faces: &[Face]) -> Result<TimedCut, BuildError> {
        if !self.time.is_finite() {
            return refuse("time", self.time, "a finite time in s");
        }
        let path = match &self.along {
            CutLine::Grid(corners) => along_grid(body, corners)?,
            CutLine::Particles(path) => {
                if let Some(k) = path.iter().position(|&p| p as usize >= body.count) {
                    let allowed = format!("at most {}", body.count - 1);
                    return refuse(&format!("along.particles[{k}]"), path[k], allowed);
                }
                path.clone()
            }
        };
        if path.len() < 2 {
            return refuse("along", "a single place", "at least two places");
        }
        let path: Vec<u32> = path.into_iter().map(|p| p + body.first as u32).collect();
        for pair in path.windows(2) {
            if !faces.iter().any(|face| face.sides().any(|[a, b]| pair == [a, b] || pair == [b, a])) {
                let [a, b] = [pair[0], pair[1]].map(|p| p - body.first as u32);
                return Err(at("along", format!("goes from particle {a} to {b}, which no edge joins")));
            }
        }
        Ok(TimedCut { time: self.time, path })
    }
}

/// The particles from place to place of a sheet, each on the row or the column of the one before.
fn along_grid(body: &Body, corners: &[[usize; 2]]) -> Result<Vec<u32>, BuildError> {
    let grid = body.grid("grid places")?;
    for (k, &[i, j]) in corners.iter().enumerate() {
        if i >= grid.rows || j >= grid.columns {
            let allowed = format!("within [0, 0] and [{}, {}]", grid.rows - 1, grid.columns - 1);
            return refuse(&format!("along.grid[{k}]"), format!("[{i}, {j}]"), allowed);
        }
    }
    let mut path: Vec<u32> = corners.first().map(|&[i, j]| grid.index(i, j)).into_iter().collect();
    for (k, pair) in corners.windows(2).enumerate() {
        let ([mut i, mut j], [to_i, to_j]) = (pair[0], pair[1]);
        if i != to_i && j != to_j {
            let allowed = "on the row or the column of the place before";
            return refuse(&format!("along.grid[{}]", k + 1), format!("[{to_i}, {to_j}]"), allowed);
        }
        let toward =
            |from: usize, to: usize| if from < to { from + 1 } else { from - usize::from(from > to) };
        while [i, j] != [to_i, to_j] {
            (i, j) = (toward(i, to_i), toward(j, to_j));
            path.push(grid.index(i, j));
        }
    }
    Ok(path)
}
