//! The loop that `projective`, `pncg` and `newton` share: a [`GlobalStep`] is begun, lowered iteration by iteration until it is
//! done or its time is up, and finished. What an iteration does is the method's own ([`Descent`]).

use super::backward_difference::Scheme;
use super::global_step::{FactorUse, GlobalStep};
use crate::budget::Budget;
use crate::history::History;
use crate::math::Real;
use crate::model::Model;
use crate::simd::{Kept, Scalar};
use crate::state::State;
use crate::step::{Solver, StepInput, StepReport};
use std::fmt::Debug;

/// Declares the settings of a method that minimises: its own fields between those that all have, with their defaults.
/// `Scheme` and [`Settings`] must be in scope.
macro_rules! descent_settings {
    (
        $(#[$attribute:meta])*
        pub struct $name:ident {
            iterations = $iterations:expr,
            tolerance = $tolerance:expr,
            $($(#[$about:meta])* pub $field:ident: $type:ty = $default:expr,)*
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(default, deny_unknown_fields)
        )]
        pub struct $name {
            /// Iterations per step at the most.
            pub iterations: u32,
            /// The step is done when the largest move of a particle in an iteration is this part of that in the first one, or of
            /// what constant forces alone would do.
            #[cfg_attr(
                feature = "serde",
                serde(deserialize_with = "crate::parts::global_step::part_of_one")
            )]
            pub tolerance: crate::math::Real,
            $($(#[$about])* pub $field: $type,)*
            /// Time that a step may take [s], if it is limited; what is reached by then counts. Runs with a budget are not
            /// reproducible.
            #[cfg_attr(feature = "serde", serde(with = "crate::budget::as_number"))]
            pub time_budget: Option<crate::math::Real>,
        }

        impl Default for $name {
            fn default() -> Self {
                Self {
                    iterations: $iterations,
                    tolerance: $tolerance,
                    $($field: $default,)*
                    time_budget: None,
                }
            }
        }

        impl $name {
            fn settings(&self, scheme: Scheme) -> Settings {
                Settings {
                    scheme,
                    iterations: self.iterations,
                    tolerance: self.tolerance,
                    time_budget: self.time_budget,
                }
            }
        }
    };
}
pub(crate) use descent_settings;

/// What is minimised, and when a step ends.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Order in time.
    pub scheme: Scheme,
    /// Iterations at the most.
    pub iterations: u32,
    /// Largest move of a particle in the last iteration, as a part of that in the first one.
    pub tolerance: Real,
    /// Time [s].
    pub time_budget: Option<Real>,
}

/// How a method lowers G, in the precision of T, with factors kept as numbers K.
pub trait Descent<T, K> {
    /// Which matrix it needs.
    fn factor_use(&self) -> FactorUse;

    /// Rebuilds what is derived from the model.
    fn prepare(&mut self, _model: &Model) {}

    /// Before the first iteration of a step.
    fn begin(&mut self, model: &Model, step: &mut GlobalStep<T, K>);

    /// One iteration: the largest move of a particle [m]; none where no direction leads down.
    fn iterate(&mut self, model: &Model, step: &mut GlobalStep<T, K>) -> Option<Real>;
}

/// A solver whose steps are minima, found by a descent.
#[derive(Clone, Debug)]
pub struct Minimiser<D, T, K> {
    settings: Settings,
    descent: D,
    step: GlobalStep<T, K>,
}

impl<D, T: Scalar, K: Kept<T>> Minimiser<D, T, K> {
    /// With these settings, by this descent.
    pub fn new(settings: Settings, descent: D) -> Self {
        Self { settings, descent, step: GlobalStep::default() }
    }
}

impl<D, T: Scalar, K: Kept<T>> Solver for Minimiser<D, T, K>
where
    D: Descent<T, K> + Clone + Debug + Send + Sync + 'static,
{
    fn prepare(&mut self, model: &Model) {
        self.step.prepare();
        self.descent.prepare(model);
    }

    fn prepare_for_edit(&mut self, model: &Model, history: &mut History) -> bool {
        let only_guides = self.descent.factor_use() == FactorUse::Guide;
        if only_guides {
            self.step.prepare_for_edit(model, history);
        }
        only_guides
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        let Self { settings, descent, step } = self;
        let mut budget = Budget::default();
        budget.begin(input.clock, settings.time_budget);
        step.begin(model, state, input.dt, settings.scheme, descent.factor_use());
        descent.begin(model, step);
        let mut report = StepReport { factorizations: step.factorizations, ..StepReport::default() };
        while report.iterations < settings.iterations {
            let Some(largest) = descent.iterate(model, step) else { break };
            report.residual = largest;
            report.iterations += 1;
            if step.is_done(largest, settings.tolerance) {
                break;
            }
            if budget.is_spent() {
                report.out_of_time = u32::from(report.iterations < settings.iterations);
                break;
            }
        }
        step.finish(settings.scheme, state);
        report
    }
}

/// A solver in single precision, S, or in double precision, D.
#[derive(Clone, Debug)]
pub enum Precise<S, D> {
    /// In single precision.
    Single(S),
    /// In double precision.
    Double(D),
}

impl<S: Solver + Clone + 'static, D: Solver + Clone + 'static> Solver for Precise<S, D> {
    fn prepare(&mut self, model: &Model) {
        match self {
            Self::Single(solver) => solver.prepare(model),
            Self::Double(solver) => solver.prepare(model),
        }
    }

    fn prepare_for_edit(&mut self, model: &Model, history: &mut History) -> bool {
        match self {
            Self::Single(solver) => solver.prepare_for_edit(model, history),
            Self::Double(solver) => solver.prepare_for_edit(model, history),
        }
    }

    fn step(&mut self, model: &Model, state: &mut State, input: &StepInput) -> StepReport {
        match self {
            Self::Single(solver) => solver.step(model, state, input),
            Self::Double(solver) => solver.step(model, state, input),
        }
    }
}
