//! Topology: forces that spread only through what moves, and what tears do, cost and keep.

mod carpets;
mod edits;
mod ledger;
mod net;
mod paths;
mod printed;
mod scenes;
mod thousand;
mod visits;

use crate::report::{Manifest, Report};
use crate::studies::equilibrium::SEED;
use crate::study::Context;

/// Runs the study: every part has its count of runs, its runs, and its section.
pub fn run(context: &Context) -> anyhow::Result<Report> {
    let parts = visits::count(context.quick)
        + printed::COUNT
        + paths::count(context.quick)
        + edits::count(context.quick)
        + thousand::COUNT
        + ledger::COUNT
        + carpets::count(context.quick)
        + scenes::COUNT;
    context.expect(parts as u64);
    let visits = visits::Visits::of(context)?;
    let printed = printed::Printed::of(context)?;
    let paths = paths::Paths::of(context)?;
    let edits = edits::Edits::of(context)?;
    let thousand = thousand::Thousand::of(context)?;
    let ledger = ledger::Ledger::of(context)?;
    let scenes = scenes::Scenes::of(context)?;
    let carpets = carpets::Carpets::of(context)?;
    let [soft, stiff] = visits.springs_visited();
    let [particles, visited, times] = visits.saved();
    let [frames, faulty] = scenes.totals();
    let [faster, carpet] = carpets.fastest();
    let lead = format!(
        "Propagation visits {:.0} % of the springs of a net under load, {:.0} % of a stiffer one; where {visited:.0} of {particles:.0} particles move, a step takes 1/{times:.1} of the \
         time of velocity Verlet. {} Tears run within {:.0}° of the way square to the principal stress, {}, and change mass and momenta by less than {:.0e}. {faulty} of {frames} frames of \
         torn scenes have an intersection. Sleep makes a step of a carpet of {carpet:.0} particles {faster:.0} times as fast while one corner moves.",
        100.0 * soft,
        100.0 * stiff,
        printed.first().map_or("As printed its walk diverges on triangles.".to_owned(), |[x, y]| format!(
            "As printed it moves that net by {x:.3} and {y:.3} m in its plane, published 0.109 and 0.112 m."
        )),
        paths.worst(),
        match edits.dearest() {
            frames if frames.is_finite() => format!("cost up to {frames:.1} frames at 10,000 particles"),
            _ => "are timed on small sheets only".to_owned(),
        },
        ledger.worst()[0],
    );
    Ok(Report {
        title: "Topology: propagation, tears and cuts".to_owned(),
        lead,
        sections: vec![
            visits::section(&visits),
            printed::section(&printed),
            paths::section(&paths),
            edits::section(&edits),
            thousand::section(&thousand),
            ledger::section(&ledger),
            scenes::section(&scenes),
            carpets::section(&carpets),
        ],
        manifest: Manifest { seed: Some(SEED), ..Manifest::default() },
        ..Report::default()
    })
}
