//! The experiments: motions known in closed form, and what the solvers make of them.

use crate::statistics::standard_deviation;
use muslin::forces::PointLoad;
use muslin::math::{Real, Vec3};
use muslin::model::{Model, ModelData};
use muslin::profile::Profile;
use muslin::solver::SolverConfig;
use muslin::solvers::{
    PositionVerletConfig, SymplecticEulerConfig, TimeCorrectedVerletConfig, VelocityVerletConfig,
    VelocityVerletVariant, VerletWeight,
};
use muslin::state::State;
use muslin::world::World;
use std::f64::consts::TAU;

/// The hidden constants of the published tables: g [m/s²], and v₀ = 6.25 g.
const G: Real = 9.806;

/// One experiment: a motion known in closed form, and the published table of it.
pub struct Experiment {
    /// Its number in the document.
    pub name: &'static str,
    /// Number of the table of all rows, and of the table of standard deviations.
    pub tables: [u32; 2],
    /// What moves how.
    pub motion: &'static str,
    /// Published standard deviations: position Verlet, time-corrected Verlet, Euler, velocity Verlet [m].
    pub published: [Real; 4],
    printed: &'static str,
    recomputed: &'static str,
    acceleration: fn() -> Profile,
    exact: fn(Real) -> [Real; 2],
}

/// The four experiments.
pub const EXPERIMENTS: [Experiment; 4] = [
    Experiment {
        name: "1a",
        tables: [10, 2],
        motion: "thrown upwards, equal steps",
        published: [0.0, 0.0, 2.32, 0.0],
        printed: include_str!("../../../data/table10_printed.csv"),
        recomputed: include_str!("../../../data/table10_recomputed.csv"),
        acceleration: || Profile::Polynomial(vec![-G]),
        exact: thrown,
    },
    Experiment {
        name: "1b",
        tables: [11, 3],
        motion: "thrown upwards, random steps",
        published: [53.74, 0.58, 2.51, 0.0],
        printed: include_str!("../../../data/table11_printed.csv"),
        recomputed: include_str!("../../../data/table11_recomputed.csv"),
        acceleration: || Profile::Polynomial(vec![-G]),
        exact: thrown,
    },
    Experiment {
        name: "2",
        tables: [12, 4],
        motion: "x = 2t³ − 7t² + 5t, random steps",
        published: [7.09, 1.65, 3.13, 0.53],
        printed: include_str!("../../../data/table12_printed.csv"),
        recomputed: include_str!("../../../data/table12_recomputed.csv"),
        acceleration: || Profile::Polynomial(vec![-14.0, 12.0]),
        exact: |t| [((2.0 * t - 7.0) * t + 5.0) * t, (6.0 * t - 14.0) * t + 5.0],
    },
    Experiment {
        name: "3",
        tables: [13, 5],
        motion: "x = −sin t, random steps",
        published: [1.74, 1.11, 0.25, 0.13],
        printed: include_str!("../../../data/table13_printed.csv"),
        recomputed: include_str!("../../../data/table13_recomputed.csv"),
        acceleration: || Profile::Sine { frequency: 1.0 / TAU, phase: 0.0 },
        exact: |t| [-t.sin(), -t.cos()],
    },
];

fn thrown(t: Real) -> [Real; 2] {
    [(6.25 * G - 0.5 * G * t) * t, 6.25 * G - G * t]
}

/// The positions and velocities of one method, a row a time.
pub struct Trajectory {
    /// What the column is called.
    pub method: &'static str,
    /// X [m].
    pub x: Vec<Real>,
    /// V [m/s].
    pub v: Vec<Real>,
}

/// All columns of an experiment.
pub struct Columns {
    /// The steps [s], one less than rows.
    pub dt: Vec<Real>,
    /// The times [s].
    pub t: Vec<Real>,
    /// The exact motion.
    pub exact: Trajectory,
    /// Position Verlet, time-corrected Verlet as printed, Euler, velocity Verlet as in the tables; then what the document
    /// does not have: textbook velocity Verlet and the time-corrected one with the exact weight.
    pub methods: [Trajectory; 6],
}

impl Experiment {
    /// Runs every method.
    pub fn run(&self) -> Columns {
        let dt: Vec<Real> = column(self.recomputed, "dt").into_iter().filter(|dt| dt.is_finite()).collect();
        let t: Vec<Real> = std::iter::once(0.0)
            .chain(dt.iter().scan(0.0, |t, dt| {
                *t += dt;
                Some(*t)
            }))
            .collect();
        let [x, v]: [Vec<Real>; 2] = [0, 1].map(|k| t.iter().map(|&t| (self.exact)(t)[k]).collect());
        let a1 = (self.acceleration)().at(t[1]);
        let chord = x[1] - x[0];
        // The published Verlets know two exact rows. A solver knows one row and a velocity: this one makes its first step from
        // row 1 the step that its formula makes from rows 0 and 1.
        let position = SolverConfig::PositionVerlet(PositionVerletConfig::default());
        let corrected = |weight| SolverConfig::TimeCorrectedVerlet(TimeCorrectedVerletConfig { weight });
        let velocity = |variant| SolverConfig::VelocityVerlet(VelocityVerletConfig { variant });
        let euler = SolverConfig::SymplecticEuler(SymplecticEulerConfig::default());
        let run = |method, config: &SolverConfig, first_row, v| {
            self.trajectory(method, config, &t, &dt, first_row, v)
        };
        let methods = [
            run("position Verlet", &position, 1, chord / dt[1] + 0.5 * dt[1] * a1),
            run(
                "time-corrected Verlet",
                &corrected(VerletWeight::AsPrinted),
                1,
                chord / dt[0] + 0.5 * dt[1] * a1,
            ),
            run("Euler", &euler, 1, v[1]),
            run("velocity Verlet (tables)", &velocity(VelocityVerletVariant::Table), 0, v[0]),
            run("velocity Verlet (textbook)", &velocity(VelocityVerletVariant::Textbook), 0, v[0]),
            run(
                "time-corrected Verlet (exact weight)",
                &corrected(VerletWeight::Exact),
                1,
                chord / dt[0] + 0.5 * dt[0] * a1,
            ),
        ];
        Columns { dt, t, exact: Trajectory { method: "exact", x, v }, methods }
    }

    /// Runs one method from an exact position at `first_row` with velocity `v`.
    fn trajectory(
        &self,
        method: &'static str,
        config: &SolverConfig,
        t: &[Real],
        dt: &[Real],
        first_row: usize,
        v: Real,
    ) -> Trajectory {
        let data = ModelData { masses: vec![1.0], inverse_masses: vec![1.0], ..ModelData::default() };
        let mut model = Model::from(data);
        model.change(|data| {
            data.forces.loads.push(PointLoad {
                particles: vec![0],
                force: Vec3::X,
                profile: (self.acceleration)(),
            });
        });
        let mut state = State::at_rest(vec![Vec3::X * (self.exact)(t[first_row])[0]]);
        state.velocities[0].x = v;
        state.time = t[first_row];
        let mut world = World::new(model, state, config, 1.0);
        let [mut xs, mut vs]: [Vec<Real>; 2] =
            [0, 1].map(|k| t[..=first_row].iter().map(|&t| (self.exact)(t)[k]).collect());
        for &dt in &dt[first_row..] {
            world.step_by(dt).expect("a polynomial or a sine stays finite");
            xs.push(world.state.positions[0].x);
            vs.push(world.state.velocities[0].x);
        }
        Trajectory { method, x: xs, v: vs }
    }

    /// A column of the published table.
    pub fn printed(&self, name: &str) -> Vec<Real> {
        column(self.printed, name)
    }

    /// The largest distance of our columns to the printed ones: how far, in which column.
    pub fn deviation_from_printed(&self, columns: &Columns) -> (Real, &'static str) {
        let [verlet, corrected, euler, velocity, ..] = &columns.methods;
        let ours = [
            ("t", &columns.t),
            ("V_exact", &columns.exact.v),
            ("X_exact", &columns.exact.x),
            ("X_verlet", &verlet.x),
            ("X_tcv", &corrected.x),
            ("V_euler", &euler.v),
            ("X_euler", &euler.x),
            ("V_vv", &velocity.v),
            ("X_vv", &velocity.x),
        ];
        largest(ours.map(|(name, values)| (distance(values, &column(self.printed, name)), name)))
    }

    /// The largest distance of our columns to the recomputed ones: how far, in which column.
    pub fn deviation_from_recomputed(&self, columns: &Columns) -> (Real, &'static str) {
        let [verlet, corrected, euler, velocity, textbook, _] = &columns.methods;
        let ours = [
            ("t", &columns.t),
            ("V_exact", &columns.exact.v),
            ("X_exact", &columns.exact.x),
            ("X_verlet", &verlet.x),
            ("X_tcv", &corrected.x),
            ("V_euler", &euler.v),
            ("X_euler", &euler.x),
            ("V_vv", &velocity.v),
            ("X_vv_tablevariant", &velocity.x),
            ("X_vv_standard", &textbook.x),
        ];
        largest(ours.map(|(name, values)| (distance(values, &column(self.recomputed, name)), name)))
    }
}

impl Columns {
    /// Sample standard deviation of the absolute errors of position over all rows [m]: what Tables 2 to 5 print.
    pub fn standard_deviations(&self) -> [Real; 6] {
        self.methods.each_ref().map(|method| {
            let errors: Vec<Real> =
                method.x.iter().zip(&self.exact.x).map(|(x, exact)| (x - exact).abs()).collect();
            standard_deviation(&errors).unwrap_or(Real::NAN)
        })
    }
}

fn column(csv: &str, name: &str) -> Vec<Real> {
    let mut lines = csv.lines();
    let place = lines
        .next()
        .and_then(|head| head.split(',').position(|title| title == name))
        .expect("the column exists");
    lines
        .map(|line| line.split(',').nth(place).and_then(|field| field.parse().ok()).expect("a number"))
        .collect()
}

fn distance(a: &[Real], b: &[Real]) -> Real {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, Real::max)
}

fn largest<const N: usize>(pairs: [(Real, &'static str); N]) -> (Real, &'static str) {
    pairs.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, ""))
}
