//! Cost of a broad phase: boxes of a sheet's triangles, flat and folded.

use crate::report::{Axis, Block, Cell, Column, Figure, Section, Series, Style, Table};
use crate::statistics::log_log_slope;
use crate::study::Context;
use muslin::contact::BroadPhase;
use muslin::contact::broad_phase::{Aabb, BroadPhaseScratch};
use muslin::math::{Real, Vec3};
use muslin::mesh::Grid;
use muslin::threads;
use std::time::Instant;

/// Particles up to which every box is tried against every other.
const BRUTE_FORCE_UP_TO: usize = 10_000;
/// Layers of the folded sheet.
const LAYERS: Real = 16.0;

/// A search by one way among the triangles of one sheet.
pub struct Search {
    way: BroadPhase,
    folded: bool,
    particles: usize,
    pairs: usize,
    /// The least time of several searches [s]: what else the machine does only adds.
    time: Real,
}

/// Particles a side of the sheets.
fn sides(quick: bool) -> &'static [usize] {
    if quick { &[50, 71, 100] } else { &[50, 71, 100, 141, 200] }
}

/// How many sheets there are.
pub fn count(quick: bool) -> usize {
    2 * sides(quick).len()
}

/// Every way on every sheet.
pub fn searches(context: &Context) -> Vec<Search> {
    let mut searches = Vec::new();
    for folded in [false, true] {
        for &side in sides(context.quick) {
            let sheet = Boxes::of(side, folded);
            let ways = BroadPhase::ALL.into_iter();
            searches.extend(
                ways.filter(|way| *way != BroadPhase::BruteForce || side * side <= BRUTE_FORCE_UP_TO)
                    .map(|way| threads::with_count(1, || sheet.search(way, folded, side * side))),
            );
            context.advance(1);
        }
    }
    searches
}

/// Triangles of a sheet of 1 m and the boxes around them.
struct Boxes {
    triangles: Vec<[u32; 3]>,
    boxes: Vec<Aabb>,
}

impl Boxes {
    /// A sheet with `side` particles a side, flat or in 16 layers a tenth of an edge apart; boxes are wider by a tenth of an edge.
    fn of(side: usize, folded: bool) -> Self {
        let grid = Grid { rows: side, columns: side };
        let edge = 1.0 / (side - 1) as Real;
        let place = |(i, j): (usize, usize)| {
            let [u, v] = [i as Real * edge, j as Real * edge];
            if !folded {
                return Vec3::new(u, v, 0.0);
            }
            let along = (u * LAYERS) % 2.0;
            Vec3::new((1.0 - (along - 1.0).abs()) / LAYERS, v, 0.1 * edge * LAYERS * u)
        };
        let x: Vec<Vec3> = grid.vertices().map(place).collect();
        let triangles: Vec<[u32; 3]> =
            grid.quads().iter().flat_map(|face| face.triangles().collect::<Vec<_>>()).collect();
        let boxes = triangles.iter().map(|t| Aabb::of_points(t.map(|v| x[v as usize]), 0.1 * edge)).collect();
        Self { triangles, boxes }
    }

    /// Times a search for the pairs that have no corner in common: at least three times, and for 50 ms.
    fn search(&self, way: BroadPhase, folded: bool, particles: usize) -> Search {
        let apart = |a: u32, b: u32| {
            let [s, t] = [a, b].map(|triangle| self.triangles[triangle as usize]);
            !s.iter().any(|corner| t.contains(corner))
        };
        let (mut scratch, mut pairs, mut times) = (BroadPhaseScratch::default(), Vec::new(), Vec::new());
        way.within(&mut scratch, &self.boxes, apart, &mut pairs);
        while times.len() < 3 || times.iter().sum::<Real>() < 0.05 {
            pairs.clear();
            let clock = Instant::now();
            way.within(&mut scratch, &self.boxes, apart, &mut pairs);
            times.push(clock.elapsed().as_secs_f64());
        }
        Search {
            way,
            folded,
            particles,
            pairs: pairs.len(),
            time: times.iter().copied().fold(Real::INFINITY, Real::min),
        }
    }
}

fn name(way: BroadPhase) -> &'static str {
    match way {
        BroadPhase::BruteForce => "brute force",
        BroadPhase::SpatialHash => "hash",
        BroadPhase::Tree => "tree",
        BroadPhase::SortedBlocks => "sorted blocks",
    }
}

/// Milliseconds of a search over the particles.
fn curve(searches: &[Search], way: BroadPhase, folded: bool) -> Vec<[Real; 2]> {
    let of = searches.iter().filter(|search| search.way == way && search.folded == folded);
    of.map(|search| [search.particles as Real, 1e3 * search.time]).collect()
}

/// The exponent of N in the cost of a way.
fn exponent(searches: &[Search], way: BroadPhase, folded: bool) -> Option<Real> {
    log_log_slope(&curve(searches, way, folded))
}

pub fn section(searches: &[Search]) -> Section {
    let mut blocks = vec![Block::Text(text(searches))];
    blocks.extend([false, true].map(|folded| Block::Figure(figure(searches, folded))));
    blocks.push(Block::Table(table(searches)));
    Section { title: "Cost of a broad phase over N".to_owned(), blocks }
}

fn text(searches: &[Search]) -> String {
    let largest = searches.iter().map(|search| search.particles).max().unwrap_or(0);
    let time = |way| {
        let found = searches.iter().find(|s| s.way == way && s.folded && s.particles == largest);
        found.map_or(Real::INFINITY, |search| 1e3 * search.time)
    };
    let mut ways: Vec<BroadPhase> =
        BroadPhase::ALL.into_iter().filter(|&way| time(way).is_finite()).collect();
    ways.sort_by(|a, b| time(*a).total_cmp(&time(*b)));
    let ranking: Vec<String> = ways.iter().map(|&way| format!("{} {:.2} ms", name(way), time(way))).collect();
    let agree = searches.iter().all(|search| {
        let same = |other: &&Search| other.folded == search.folded && other.particles == search.particles;
        searches.iter().filter(same).all(|other| other.pairs == search.pairs)
    });
    format!(
        "A search among the {largest} particles' triangles of a folded sheet takes: {}. {}",
        ranking.join(", "),
        if agree { "All ways find as many pairs." } else { "**The ways do not find as many pairs.**" }
    )
}

fn figure(searches: &[Search], folded: bool) -> Figure {
    let words = if folded { "in 16 layers" } else { "flat" };
    let ways = BroadPhase::ALL.into_iter().enumerate();
    Figure {
        name: if folded { "search-folded" } else { "search-flat" }.to_owned(),
        caption: format!(
            "Time of a search among the triangles of a sheet, {words}; the exponent of N beside each name."
        ),
        x: Axis::log("particles"),
        y: Axis::log("a search").unit("ms"),
        series: ways
            .map(|(color, way)| Series {
                name: exponent(searches, way, folded)
                    .map_or_else(|| name(way).to_owned(), |slope| format!("{}, {slope:.2}", name(way))),
                points: curve(searches, way, folded),
                style: Style::LinePoints,
                color: Some(color),
                ..Series::default()
            })
            .collect(),
        guides: Vec::new(),
    }
}

fn table(searches: &[Search]) -> Table {
    let mut rows = Vec::new();
    for folded in [false, true] {
        for way in BroadPhase::ALL {
            let of = searches.iter().filter(|search| search.way == way && search.folded == folded);
            rows.extend(of.map(|search| {
                vec![
                    Cell::text(if folded { "16 layers" } else { "flat" }),
                    Cell::text(name(way)),
                    Cell::count(search.particles),
                    Cell::count(search.pairs),
                    Cell::number(1e3 * search.time).digits(3),
                    exponent(searches, way, folded)
                        .map_or_else(Cell::missing, |slope| Cell::number(slope).digits(3)),
                ]
            }));
        }
    }
    Table {
        name: "searches".to_owned(),
        caption: "Pairs of triangles without a common corner whose boxes overlap, on one thread; the exponent of N is fitted to each way.".to_owned(),
        columns: vec![
            Column::plain("sheet"),
            Column::plain("way"),
            Column::plain("particles"),
            Column::measured("pairs"),
            Column::measured("a search").unit("ms"),
            Column::measured("exponent"),
        ],
        rows,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_find_the_same_number_of_pairs() {
        for folded in [false, true] {
            let sheet = Boxes::of(20, folded);
            let counts = BroadPhase::ALL.map(|way| sheet.search(way, folded, 400).pairs);
            assert!(counts.iter().all(|&count| count == counts[0] && count > 0), "{counts:?}");
        }
    }
}
