//! The methods compared, and what was published of them.

use muslin::math::Real;
use muslin::solver::SolverConfig;
use muslin::solvers::{ImplicitEulerConfig, ImprovedVerletConfig, Rk4Config};
use muslin::solvers::{LinearConfig, LinearSolver};

/// One row of the comparison.
pub struct Method {
    /// What it is called.
    pub name: &'static str,
    /// The solver.
    pub config: SolverConfig,
    /// Published largest steps in the three scenes [s].
    pub published_steps: Option<[Real; 3]>,
    /// Published CPU time for the whole of each scene [s].
    pub published_seconds: Option<[Real; 3]>,
    /// Which steps are tried.
    pub scan: Scan,
}

/// Which steps are tried to find the largest stable one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    /// The document's: 0.1 ms, 0.2 ms, …
    Document,
    /// The document's up to 6 ms, whole milliseconds above.
    Mixed,
    /// Whole milliseconds.
    Milliseconds,
}

/// The six methods of the document, a literal reading of two, and the implicit ones solved to the end.
pub fn methods() -> Vec<Method> {
    use Scan::{Document, Milliseconds, Mixed};
    let named = |name: &str| SolverConfig::named(name).expect("a solver of this name");
    let six = |name, config, steps, seconds, scan| Method {
        name,
        config,
        published_steps: Some(steps),
        published_seconds: Some(seconds),
        scan,
    };
    let own =
        |name, config, scan| Method { name, config, published_steps: None, published_seconds: None, scan };
    vec![
        six(
            "explicit Euler",
            named("explicit-euler"),
            [0.0002, 0.0003, 0.0002],
            [28.731, 129.560, 174.590],
            Document,
        ),
        six("midpoint", named("midpoint"), [0.0017, 0.0003, 0.0002], [6.108, 245.774, 339.038], Document),
        six("RK4", named("rk4"), [0.0024, 0.0005, 0.0004], [8.737, 314.695, 428.907], Document),
        own("RK4 as printed", SolverConfig::Rk4(Rk4Config { as_printed: true }), Document),
        six(
            "improved Verlet",
            SolverConfig::ImprovedVerlet(ImprovedVerletConfig { force_threshold: 1e-3 }),
            [0.0012, 0.0008, 0.0007],
            [12.908, 107.059, 147.500],
            Document,
        ),
        six("implicit, Kang & Cho", kang_cho(), [0.0020, 0.0008, 0.001], [53.772, 432.543, 373.136], Mixed),
        six(
            "implicit, Zhou as printed",
            zhou_as_printed(),
            [0.0018, 0.0010, 0.001],
            [70.955, 434.861, 415.831],
            Mixed,
        ),
        own("implicit, Zhou corrected", sor(), Milliseconds),
        own("implicit Euler, PCG", named("implicit-euler"), Milliseconds),
        own("implicit Euler, Cholesky", implicit(LinearSolver::Cholesky, 1, 1e-9, 1.0, false), Milliseconds),
        own("implicit midpoint", named("implicit-midpoint"), Milliseconds),
        own("BDF2", named("bdf2"), Milliseconds),
    ]
}

fn implicit(
    linear_solver: LinearSolver,
    sweeps: u32,
    tolerance: Real,
    relaxation: Real,
    as_printed: bool,
) -> SolverConfig {
    let linear = LinearConfig { linear_solver, sweeps, tolerance, relaxation };
    SolverConfig::ImplicitEuler(ImplicitEulerConfig { linear, as_printed, ..ImplicitEulerConfig::default() })
}

/// One Jacobi sweep, with pⱼ in place of the misprinted pᵢ.
fn kang_cho() -> SolverConfig {
    implicit(LinearSolver::Jacobi, 1, 1e-3, 1.0, false)
}

/// (4.32) literally, with the published ω = 0.001, tolerance 0.001 and at most 100 sweeps.
fn zhou_as_printed() -> SolverConfig {
    implicit(LinearSolver::Sor, 100, 1e-3, 1e-3, true)
}

/// The same with its diagonal term, without the spurious h², and with ω = 1.
fn sor() -> SolverConfig {
    implicit(LinearSolver::Sor, 100, 1e-3, 1.0, false)
}
