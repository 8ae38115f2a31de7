//! The walk as printed, beside the in-plane displacements of Tables 6 to 8 that forces taken all at once do not give.

use super::net::{Net, Threads, let_go, moved, propagation, random_step};
use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table, Verdict};
use crate::studies::equilibrium::{EXPERIMENTS, LOADED, OBSERVED};
use crate::study::Context;
use muslin::prelude::*;
use muslin::solvers::PropagationForm;

/// Experiments 1 to 3; the fourth makes sense only in another system of units.
const COUNTED: usize = 3;

/// A form on a layout of threads, in one experiment.
struct Reading {
    experiment: usize,
    threads: Threads,
    form: PropagationForm,
    /// The five numbers of the tables at steps 5,000 and 20,000 [m], or the step at which the run diverged.
    moved: Result<[[Real; 5]; 2], u64>,
}

/// All readings.
pub struct Printed(Vec<Reading>);

const FORMS: [PropagationForm; 2] = [PropagationForm::Corrected, PropagationForm::AsPrinted];
const LAYOUTS: [Threads; 2] = [Threads::Quads, Threads::Triangles];

/// How many runs there are.
pub const COUNT: usize = COUNTED * FORMS.len() * LAYOUTS.len();

impl Printed {
    /// Runs all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut readings = Vec::new();
        for experiment in 1..=COUNTED {
            for threads in LAYOUTS {
                for form in FORMS {
                    let steps = if context.quick { [100, 200] } else { [LOADED, OBSERVED] };
                    let moved = run(experiment, threads, form, steps)?;
                    readings.push(Reading { experiment, threads, form, moved });
                    context.advance(1);
                }
            }
        }
        Ok(Self(readings))
    }

    /// In-plane displacements (X, Y) of experiment 1 under load by the printed walk on triangles; none if it diverged.
    pub fn first(&self) -> Option<[Real; 2]> {
        let [[x, y, ..], _] = self.reading(1, Threads::Triangles, PropagationForm::AsPrinted)?;
        Some([x, y])
    }

    fn reading(&self, experiment: usize, threads: Threads, form: PropagationForm) -> Option<[[Real; 5]; 2]> {
        let same = |r: &&Reading| r.experiment == experiment && r.threads == threads && r.form == form;
        self.0.iter().find(same)?.moved.ok()
    }
}

fn run(
    number: usize,
    threads: Threads,
    form: PropagationForm,
    steps: [u64; 2],
) -> anyhow::Result<Result<[[Real; 5]; 2], u64>> {
    let net = Net::of(number, threads);
    let force = Vec3::Z * 0.15;
    let loads = match number {
        3 => vec![(net.at(5, 10), force), (net.at(15, 10), -force)],
        _ => vec![(net.at(10, 10), force)],
    };
    let mut world = net.world(&propagation(form), &loads)?;
    let mut found = [[0.0; 5]; 2];
    for step in 0..steps[1] {
        if step == steps[0] {
            found[0] = moved(&world);
            let_go(&mut world);
        }
        let failed = random_step(&mut world, step).is_err();
        // A net of 4.5 m that is metres away has left its problem, too.
        if failed || (step % 100 == 0 && moved(&world)[3] > 10.0) {
            return Ok(Err(step));
        }
    }
    found[1] = moved(&world);
    Ok(Ok(found))
}

pub fn section(printed: &Printed) -> Section {
    let text = "Algorithm 7 marks the end of a spring that it leaves by and tests the other one, so that a particle reached twice adds a spring's force twice, depending on the \
                order of the walk. Here that walk runs on both meshes that the source may have had, beside the corrected one, with the published random steps. Experiment 4 is left \
                out: it needs masses counted in grams.";
    Section {
        title: "The printed walk beside Tables 6 to 8".to_owned(),
        blocks: vec![
            Block::Verdict(verdict(printed)),
            Block::Text(text.to_owned()),
            Block::Table(table(printed)),
        ],
    }
}

/// Whether numbers are within a tenth of the published ones.
fn is_near(found: Real, published: Real) -> bool {
    (found / published - 1.0).abs() < 0.1
}

fn verdict(printed: &Printed) -> Verdict {
    // One mesh must give X, Y and the depth of every experiment, at both steps.
    let explains = |threads: Threads| {
        let near = |experiment: usize| {
            printed.reading(experiment, threads, PropagationForm::AsPrinted).is_some_and(|found| {
                let published = EXPERIMENTS[experiment - 1].published;
                (0..2).all(|step| (0..3).all(|k| is_near(found[step][k], published[step][k])))
            })
        };
        (1..=COUNTED).filter(|&experiment| near(experiment)).count()
    };
    let most = LAYOUTS.map(explains).into_iter().max().unwrap_or(0);
    let diverged = printed.0.iter().filter(|reading| reading.moved.is_err()).count();
    let words = |reading: Option<[[Real; 5]; 2]>| {
        reading.map_or("diverges".to_owned(), |[[x, y, z, ..], [late_x, late_y, ..]]| {
            format!("({x:.3}, {y:.3}, {z:.3}) m, then ({late_x:.4}, {late_y:.4}) m in the plane")
        })
    };
    let [quads, triangles] =
        LAYOUTS.map(|threads| words(printed.reading(1, threads, PropagationForm::AsPrinted)));
    let corrected = words(printed.reading(1, Threads::Quads, PropagationForm::Corrected));
    Claim::new(
        "The printed walk explains the in-plane displacements of Tables 6 to 8, 0.109 and 0.112 m under load in experiment 1.",
        "digest of Carvalho 2007, section 6.2",
    )
    .under(
        SetUp::default()
            .stated("particles", 21 * 21, Net::of(1, Threads::Quads).side.pow(2))
            .assumed("mesh", "quads, or triangles by one diagonal per cell")
            .assumed("order of edges at a particle", "that of the mesh")
            .assumed("force passed on", "the spring's"),
    )
    .judged(
        match most {
            COUNTED => Outcome::Holds,
            0 => Outcome::Overturned,
            _ => Outcome::Partly,
        },
        format!(
            "Experiment 1 as printed: quads {quads}; triangles {triangles}; corrected, quads {corrected}. Published (0.109, 0.112, 0.456) m, then (0.0287, 0.0348) m. At most {most} of \
             {COUNTED} experiments come within 10 % in X, Y and Z at both steps on one mesh; {diverged} of {COUNT} runs diverge."
        ),
    )
}

fn table(printed: &Printed) -> Table {
    let mut rows = Vec::new();
    for experiment in &EXPERIMENTS[..COUNTED] {
        rows.push(row(experiment.number, "published", Ok(experiment.published)));
        for reading in printed.0.iter().filter(|reading| reading.experiment == experiment.number) {
            let threads = match reading.threads {
                Threads::Quads => "quads",
                Threads::Triangles => "triangles",
            };
            let form = match reading.form {
                PropagationForm::Corrected => "corrected",
                PropagationForm::AsPrinted | PropagationForm::Literal => "as printed",
            };
            rows.push(row(experiment.number, &format!("{form}, {threads}"), reading.moved));
        }
    }
    let column = |name: &str| Column::plain(name).unit("m");
    Table {
        name: "printed".to_owned(),
        caption: "Largest |ΔX|, |ΔY| and |ΔZ| under load (step 5,000) and long after it (step 20,000): published, and by propagation in both forms on both meshes.".to_owned(),
        columns: vec![
            Column::plain("experiment"),
            Column::plain("run"),
            column("ΔX, 5000"),
            column("ΔY, 5000"),
            column("ΔZ, 5000"),
            column("ΔX, 20000"),
            column("ΔY, 20000"),
            column("ΔZ, 20000"),
        ],
        rows,
    }
}

fn row(experiment: usize, name: &str, moved: Result<[[Real; 5]; 2], u64>) -> Vec<Cell> {
    let mut cells = vec![Cell::count(experiment)];
    match moved {
        Ok(moved) => {
            cells.push(Cell::text(name));
            cells.extend(moved.iter().flat_map(|step| step[..3].iter().map(|&x| Cell::number(x).digits(3))));
        }
        Err(step) => {
            cells.push(Cell::text(format!("{name}: diverges, step {step}")).bad());
            cells.extend((0..6).map(|_| Cell::missing()));
        }
    }
    cells
}
