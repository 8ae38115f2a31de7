//! Spring projection against Newton's method and local relaxation [Wan, Zhu, Yao & Feng 2020].

mod errors;
mod newton;
mod step;
mod stiffening;

use crate::report::{Block, Cell, Claim, Column, Machine, Outcome, Report, Section, Table};
use crate::study::Context;
use errors::{curves, errors_section};
use muslin::math::Real;
use muslin::solvers::Hessian;
use newton::{linearised_section, warm_start_section};
use step::{STEP, Step, newton, projective, set_up};
use stiffening::stiffening_section;

/// Figure 3: frames a second of projection with 1 and 10 iterations, and of Newton's method with 1.
const FIGURE_3: [(&str, Real); 3] =
    [("projective, 1 iteration", 30.0), ("projective, 10 iterations", 30.0), ("newton, 1 iteration", 7.6)];

const SOURCE: &str = "[Wan et al. 2020]";

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let side = if context.quick { 20 } else { 50 };
    let repeats = if context.quick { 1 } else { 5 };
    let stiffnesses: &[Real] = if context.quick { &[1e3] } else { &[1e2, 1e3, 1e4] };
    context.expect(stiffnesses.len() as u64 + 4);
    let mut all = Vec::new();
    for &stiffness in stiffnesses {
        all.push(curves(stiffness, side, if context.quick { 100 } else { 500 }, repeats)?);
        context.advance(1);
    }
    let errors = errors_section(&all);
    let rates = rates_section(side, repeats)?;
    context.advance(1);
    let stiffening = stiffening_section(side, context.quick)?;
    context.advance(1);
    let warm = warm_start_section(side, repeats)?;
    context.advance(1);
    let linearised = linearised_section(side);
    context.advance(1);
    let lead = format!(
        "A sheet of {side} × {side} particles falls; one step of 1/30 s in the middle of the fall is solved by spring projection and by Newton's method from the same \
         start, and the distance to the minimum is measured by (19). The source gives neither mass nor stiffness nor pattern of springs: here 1 g a particle and \
         springs of one stiffness to neighbours, across cells and two apart."
    );
    Ok(Report {
        title: "Spring projection, Newton's method and local relaxation".to_owned(),
        lead,
        sections: vec![errors, rates, stiffening, warm, linearised],
        ..Report::default()
    })
}

fn rates_section(side: usize, repeats: u32) -> anyhow::Result<Section> {
    let step = Step::after(0.3, side, 1e3)?;
    let configs = [projective(1), projective(10), newton(1, Hessian::Clamped, 0)];
    let mut rows = Vec::new();
    let mut seconds = Vec::new();
    for ((name, published), config) in FIGURE_3.iter().zip(&configs) {
        let (_, time) = step.take(config, repeats.max(3))?;
        rows.push(vec![
            Cell::text(*name),
            Cell::number(*published).digits(3),
            Cell::number(1.0 / time).digits(3),
        ]);
        seconds.push(time);
    }
    let fits = seconds[1] < STEP;
    Ok(Section {
        title: "Frame rates".to_owned(),
        blocks: vec![
            Block::Table(Table {
                name: "frame-rates".to_owned(),
                caption: format!(
                    "Frames a second on {side} × {side} particles, simulation only. The source's own times allow 19.8 and 5.5 frames a second where it prints 30 and 7.6."
                ),
                columns: vec![
                    Column::plain("method"),
                    Column::published("rate").unit("1/s"),
                    Column::measured("rate").unit("1/s"),
                ],
                rows,
            }),
            Block::Verdict(
                Claim::new("Ten iterations on 2,500 particles run in real time.", format!("{SOURCE} Fig. 3"))
                    .under(set_up(side).assumed("machine", Machine::detect().cpu.unwrap_or_default()))
                    .judged(
                        if fits { Outcome::Holds } else { Outcome::Overturned },
                        format!(
                            "Ten iterations take {:.2} ms; a step has {:.1} ms.",
                            1e3 * seconds[1],
                            1e3 * STEP
                        ),
                    ),
            ),
        ],
    })
}
