//! The studies, one a file.

pub mod contact;
pub mod convergence;
pub mod equilibrium;
pub mod integrators;
pub mod projection;
pub mod real_time;
pub mod rods;
pub mod time_to_quality;
pub mod topology;
pub mod verlet_family;

use crate::study::Study;

/// Every study, in the order in which `all` runs them.
pub const STUDIES: &[Study] = &[
    Study::new(
        "integrators",
        "six integrators on three scenes: largest stable step, speed, energy (Carvalho 2012)",
        integrators::run,
    ),
    Study::new(
        "verlet-family",
        "Verlet's relatives in one dimension with random steps (Carvalho 2007, section 6.1)",
        verlet_family::run,
    ),
    Study::new("equilibrium", "a net pulled and let go (Carvalho 2007, section 6.2)", equilibrium::run),
    Study::new(
        "projection",
        "spring projection against Newton's method and local relaxation (Wan et al. 2020)",
        projection::run,
    ),
    Study::new("rods", "a flag of rods: how many sweeps, how fast, how general", rods::run),
    Study::new(
        "real-time",
        "position-based dynamics against Desbrun's filter: frame rates, set-up, shear links, stiffness",
        real_time::run,
    ),
    Study::new(
        "contact",
        "whether anything passes through anything, two published experiments, and what contact costs over N",
        contact::run,
    ),
    Study::new(
        "topology",
        "propagation beside a method that moves all, and what tears do, cost and keep (Carvalho 2007, section 6.2)",
        topology::run,
    ),
    Study::new("convergence", "error over step for every solver: the slope is the order", convergence::run),
    Study::new(
        "time-to-quality",
        "the cheapest setting of each solver for a given stretch and motion, ms a frame",
        time_to_quality::run,
    ),
];
