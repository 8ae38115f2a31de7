//! The runs of the study.

use crate::statistics::median;
use crate::timing::timed_step;
use muslin::builder::{Builder, Mass, Pin, Place, Resolution, Sheet, Surroundings};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::measure::{Energy, Stretch, angular_momentum};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::{DesbrunConfig, Filter, PbdConfig};
use muslin::state::State;
use muslin::world::World;
use muslin_scene::{run_steps, watch_steps};
use std::time::Instant;

/// A frame [s].
const FRAME: Real = 1.0 / 30.0;

/// Particles a side of the published sheet: 289 in all.
pub const SIDE: usize = 17;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// 20 iterations, k = 1.
    Pbd,
    /// Desbrun's filter by the inverse matrix, as published.
    Dense,
    /// The same by a sparse factor.
    Sparse,
}

impl Method {
    pub const ALL: [Self; 3] = [Self::Pbd, Self::Dense, Self::Sparse];

    pub fn name(self) -> &'static str {
        match self {
            Self::Pbd => "PBD, 20 iterations",
            Self::Dense => "filter, dense",
            Self::Sparse => "filter, sparse",
        }
    }

    /// How the filter is applied.
    pub fn filter(self) -> &'static str {
        match self {
            Self::Pbd => "none",
            Self::Dense => "by the inverse",
            Self::Sparse => "by a factor",
        }
    }

    fn config(self) -> SolverConfig {
        let desbrun = |filter| SolverConfig::Desbrun(DesbrunConfig { filter, ..DesbrunConfig::default() });
        match self {
            Self::Pbd => SolverConfig::Pbd(PbdConfig::default()),
            Self::Dense => desbrun(Filter::Dense),
            Self::Sparse => desbrun(Filter::Sparse),
        }
    }
}

/// Particles a side of the sheets that are timed.
pub struct Sides {
    large: &'static [usize],
    dense: &'static [usize],
}

impl Sides {
    pub fn of(quick: bool) -> Self {
        if quick {
            Self { large: &[10, 17, 50], dense: &[10, 17] }
        } else {
            Self { large: &[10, 17, 23, 32, 50, 71, 100], dense: &[10, 17, 23, 32, 40] }
        }
    }

    pub fn of_method(&self, method: Method) -> &'static [usize] {
        if method == Method::Dense { self.dense } else { self.large }
    }

    pub fn count(&self) -> usize {
        2 * self.large.len() + self.dense.len()
    }
}

/// A square of 1 m with `side` particles a side of 1 g each, held at two corners or free.
fn sheet(
    side: usize,
    stiffness: Real,
    shear: bool,
    held: bool,
    gravity: Real,
) -> anyhow::Result<(Model, State)> {
    let link = |stiffness| Link { stiffness, ..Link::default() };
    let fabric = Fabric {
        structural: link(stiffness),
        shear: link(if shear { stiffness } else { 0.0 }),
        flexion: Link::default(),
        ..Fabric::default()
    };
    let pins = if held { vec![Pin::at(Place::Grid(vec![[0, 0], [0, side - 1]]))] } else { Vec::new() };
    let sheet = Sheet {
        resolution: Resolution::Particles([side, side]),
        fabric,
        mass: Mass::Each(1e-3),
        pins,
        ..Sheet::default()
    };
    let mut builder = Builder::default();
    builder.add_sheet(&sheet)?;
    Ok(builder.finish(&Surroundings { gravity: Vec3::Z * -gravity, ..Surroundings::default() })?)
}

/// How long a method takes.
pub struct Speed {
    pub method: Method,
    pub vertices: usize,
    /// What the first frame takes beyond the others [s]; may be nothing.
    pub set_up: Real,
    /// Time of a frame [s].
    pub frame: Real,
}

impl Speed {
    /// Whether the set-up can be told from the noise: a tenth of a frame.
    pub fn sets_up(&self) -> bool {
        self.set_up > 0.1 * self.frame
    }

    /// The set-up [ms]; not a number if there is none to speak of.
    pub fn set_up_milliseconds(&self) -> Real {
        if self.sets_up() { 1e3 * self.set_up } else { Real::NAN }
    }

    pub fn of(method: Method, side: usize) -> anyhow::Result<Self> {
        let (model, state) = sheet(side, 100.0, true, true, 9.81)?;
        let (mut first, mut frames) = (Real::INFINITY, Vec::new());
        // Others may use the machine, too: the best of three starts, and the middle one of many frames.
        for _ in 0..3 {
            let mut world = World::new(model.clone(), state.clone(), &method.config(), FRAME);
            first = first.min(timed_step(&mut world)?.0);
            let clock = Instant::now();
            for _ in 0..60 {
                frames.push(timed_step(&mut world)?.0);
                if clock.elapsed().as_secs_f64() > 0.1 {
                    break;
                }
            }
        }
        let frame = median(&frames).unwrap_or(Real::NAN);
        Ok(Self { method, vertices: side * side, set_up: first - frame, frame })
    }
}

/// Mean stretch of the published sheet at rest.
pub fn mean_stretch(stiffness: Real, iterations: u32, as_printed: bool) -> anyhow::Result<Real> {
    let (mut model, state) = sheet(SIDE, 100.0, true, true, 9.81)?;
    model.change_forces(|forces| forces.drag.fill(4e-3));
    let config = SolverConfig::Pbd(PbdConfig { stiffness, iterations, as_printed, damping: 0.0 });
    let mut world = World::new(model, state, &config, 1.0 / 60.0);
    run_steps(&mut world, 480)?;
    Ok(Stretch::of(&world.model, &world.state.positions).mean)
}

/// Largest deviation of a cell's corner from a right angle after 4 s of position-based dynamics [degrees].
pub fn cell_shear(links: bool) -> anyhow::Result<Real> {
    let side = SIDE;
    let (mut model, state) = sheet(side, 100.0, links, true, 9.81)?;
    model.change_forces(|forces| forces.drag.fill(5e-4));
    let mut world = World::new(model, state, &Method::Pbd.config(), 0.5 * FRAME);
    run_steps(&mut world, 240)?;
    let x = &world.state.positions;
    let corner = |i: usize, j: usize| {
        let at = i * side + j;
        let (u, v) = (x[at + side] - x[at], x[at + 1] - x[at]);
        (u.dot(v) / (u.length() * v.length())).clamp(-1.0, 1.0).asin().to_degrees().abs()
    };
    let cells = (0..side - 1).flat_map(|i| (0..side - 1).map(move |j| (i, j)));
    Ok(cells.map(|(i, j)| corner(i, j)).fold(0.0, Real::max))
}

/// What the filter keeps.
pub struct FilterFacts {
    /// Largest energy above that of the start, any stiffness [J].
    pub largest_energy: Real,
    /// Part of the angular momentum that 60 steps take.
    pub spin_loss: Real,
    /// The same as printed; infinite if it diverges.
    pub printed_spin_loss: Real,
}

pub fn filter_facts() -> anyhow::Result<FilterFacts> {
    let mut largest_energy = Real::NEG_INFINITY;
    for stiffness in [1.0, 10.0, 100.0, 1e3, 1e4] {
        let (model, state) = sheet(SIDE, stiffness, true, true, 9.81)?;
        let mut world = World::new(model, state, &Method::Sparse.config(), FRAME);
        watch_steps(&mut world, 150, |world, _| {
            largest_energy = largest_energy.max(Energy::of(&world.model, &world.state).total());
        })?;
    }
    let (model, mut state) = sheet(9, 100.0, true, false, 0.0)?;
    for i in 0..model.len() {
        state.velocities[i] = Vec3::new(0.3, 0.5, 2.0).cross(state.positions[i] - Vec3::new(0.5, 0.5, 0.0));
    }
    let start = angular_momentum(&model, &state);
    let loss = |as_printed_torque| {
        let config = SolverConfig::Desbrun(DesbrunConfig { as_printed_torque, ..DesbrunConfig::default() });
        let mut world = World::new(model.clone(), state.clone(), &config, FRAME);
        let whole = run_steps(&mut world, 60).is_ok();
        let off = angular_momentum(&world.model, &world.state).distance(start) / start.length();
        if whole { off } else { Real::INFINITY }
    };
    Ok(FilterFacts { largest_energy, spin_loss: loss(false), printed_spin_loss: loss(true) })
}
