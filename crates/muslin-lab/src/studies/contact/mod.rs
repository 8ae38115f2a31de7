//! Contact of surfaces: whether anything passes through anything, published experiments beside ours, and what it costs.

mod cube;
mod growth;
mod over_time;
mod passing;
mod pressed;
mod reflected;
mod searches;
mod starts;
mod trial;

use crate::report::Report;
use crate::study::Context;
use pressed::Presses;

/// Where the claims of this project stand.
const SOURCE: &str = "docs/book/contact.md";

/// Runs the study.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let parts = passing::count(context.quick)?
        + over_time::COUNT
        + pressed::COUNT
        + cube::COUNT
        + searches::count(context.quick)
        + growth::sides(context.quick).len();
    context.expect(parts as u64);
    let runs = passing::runs(context)?;
    let folds = over_time::folds(context)?;
    let presses = Presses::of(context)?;
    let flights = cube::flights(context)?;
    let searches = searches::searches(context);
    let drapes = growth::drapes(context)?;
    let [frames, faulty] = [0, 1].map(|k| passing::totals(&runs)[k] + cube::judged(&flights)[k]);
    let lead = format!(
        "Whole surfaces touch, and nothing is to pass through anything. Of {frames} frames judged by exact predicates, {}. Pressed on a surface with up to 200 N, {} \
         below it; by the published rule for particles {}. A frame with contact grows as N to the power {:.2}.",
        if faulty == 0 {
            "none has an intersection".to_owned()
        } else {
            format!("**{faulty} have intersections**")
        },
        match presses.most_below() {
            0 => "no particle gets".to_owned(),
            most => format!("up to {most} particles get"),
        },
        match presses.most_below_by_the_rule() {
            0 => "none does".to_owned(),
            most => format!("up to {most} do"),
        },
        growth::exponent(&drapes)
    );
    Ok(Report {
        title: "Contact of surfaces".to_owned(),
        lead,
        sections: vec![
            passing::section(&runs),
            over_time::section(&folds),
            pressed::section(&presses),
            cube::section(&flights),
            searches::section(&searches),
            growth::section(&drapes),
        ],
        ..Report::default()
    })
}
