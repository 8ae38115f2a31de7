//! The engines, one a file.

mod muslin;
mod rapier;

pub use self::muslin::Muslin;
pub use self::rapier::Rapier;

use crate::Engine;
use crate::drape::DrapeSetting;

/// Every engine; the first is what all are compared with.
pub fn all() -> Vec<Box<dyn Engine>> {
    let mut engines: Vec<Box<dyn Engine>> = vec![Box::new(Rapier)];
    engines.extend(Muslin::all().map(|solver| Box::new(solver) as Box<dyn Engine>));
    engines
}

/// Every setting for a drape; the first is what all are compared with.
pub fn drapes() -> Vec<DrapeSetting> {
    let mut all = rapier::drapes();
    all.extend(muslin::drapes());
    all
}
