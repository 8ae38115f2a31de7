//! Finding the particles of a place.

use super::description::{Place, Side};
use super::{Body, BuildError};
use crate::build_error::{at, refuse};
use crate::math::Vec3;
use crate::mesh::Grid;

impl Body {
    /// The particles of a place, in rising order, as numbers of the whole model.
    pub(super) fn find(&self, place: &Place, positions: &[Vec3]) -> Result<Vec<u32>, BuildError> {
        let mut found = match place {
            Place::Corners => self.grid("corners")?.corners(),
            Place::Side(side) => side.particles(self.grid("sides")?),
            Place::Border => self.border.clone(),
            Place::Grid(cells) => self.grid_particles(cells)?,
            Place::Particles(numbers) => self.listed(numbers)?,
            Place::Region { min, max } => (0..self.count as u32)
                .filter(|&p| {
                    let x = positions[self.first + p as usize];
                    x.cmpge(*min).all() && x.cmple(*max).all()
                })
                .collect(),
        };
        if found.is_empty() {
            return Err(at("", "names no particle of this body".to_owned()));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found.into_iter().map(|p| p + self.first as u32).collect())
    }

    pub(super) fn grid(&self, what: &str) -> Result<Grid, BuildError> {
        self.grid.ok_or_else(|| {
            at(
                "",
                format!(
                    "asks for {what}, which only sheets and ropes have; use `border`, `particles` or `region`"
                ),
            )
        })
    }

    fn grid_particles(&self, cells: &[[usize; 2]]) -> Result<Vec<u32>, BuildError> {
        let grid = self.grid("grid places")?;
        let mut found = Vec::new();
        for (k, &[i, j]) in cells.iter().enumerate() {
            if i >= grid.rows || j >= grid.columns {
                let allowed = format!("within [0, 0] and [{}, {}]", grid.rows - 1, grid.columns - 1);
                return refuse(&format!("grid[{k}]"), format!("[{i}, {j}]"), allowed);
            }
            found.push(grid.index(i, j));
        }
        Ok(found)
    }

    fn listed(&self, numbers: &[u32]) -> Result<Vec<u32>, BuildError> {
        match numbers.iter().position(|&p| p as usize >= self.count) {
            Some(k) => refuse(&format!("particles[{k}]"), numbers[k], format!("at most {}", self.count - 1)),
            None => Ok(numbers.to_vec()),
        }
    }
}

impl Side {
    fn particles(self, grid: Grid) -> Vec<u32> {
        let on_side = |&(i, j): &(usize, usize)| match self {
            Self::IMin => i == 0,
            Self::IMax => i + 1 == grid.rows,
            Self::JMin => j == 0,
            Self::JMax => j + 1 == grid.columns,
        };
        grid.vertices().filter(on_side).map(|(i, j)| grid.index(i, j)).collect()
    }
}
