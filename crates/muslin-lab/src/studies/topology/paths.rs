//! Where a notched strip tears, on meshes of three sizes: the path, its direction, and the load at which it starts.

use crate::report::{
    Axis, Block, Cell, Claim, Column, Figure, Outcome, Section, Series, SetUp, Style, Table, Verdict,
};
use crate::statistics::log_log_slope;
use crate::study::Context;
use muslin::material::MembraneMaterial;
use muslin::mesh::{Face, Grid};
use muslin::prelude::*;
use std::collections::BTreeSet;

/// Length and width of the strip, and depth of the notch [m].
const SIZE: [Real; 2] = [0.32, 0.16];
const NOTCH: Real = 0.08;
/// Speed of each end [m/s], and steps at the most.
const SPEED: Real = 0.05;
const STEPS: usize = 600;
const DT: Real = 1.0 / 240.0;
/// A path along edges of triangles, eight directions apart by 45°, can always keep within this of any line [degrees].
const WITHIN: Real = 22.5;
/// The same where tears divide faces [degrees].
const WITHIN_THROUGH: Real = 10.0;

/// What makes the strip tear.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Limit {
    /// Sides so many times as long as at rest.
    Stretch(Real),
    /// A principal stress, as a force by width [N/m].
    Stress(Real),
    /// The same, and tears run through faces.
    Through(Real),
}

const LIMITS: [Limit; 3] = [Limit::Stretch(1.2), Limit::Stress(60.0), Limit::Through(60.0)];
/// Directions in which the ends are pulled, from the axis of the strip [degrees].
const PULLS: [Real; 2] = [0.0, 30.0];

impl Limit {
    fn words(self) -> String {
        match self {
            Self::Stretch(times) => format!("break_at {times}"),
            Self::Stress(stress) => format!("strength {stress} N/m"),
            Self::Through(stress) => format!("strength {stress} N/m, through faces"),
        }
    }

    /// How far from the way square to the stress a path may be [degrees].
    fn within(self) -> Real {
        if let Self::Through(_) = self { WITHIN_THROUGH } else { WITHIN }
    }
}

/// A strip that was pulled until it was in two.
struct Tear {
    limit: Limit,
    pull: Real,
    /// Cells across.
    cells: usize,
    /// Force by width just before the tear starts [N/m].
    load: Real,
    /// The way square to the mean principal stress at that moment, from the axis of the strip [degrees].
    expected: Real,
    /// Torn edges that hang together with the tip of the notch, in the strip at rest [m], and how many others tore (at the clamps).
    edges: Vec<[[Real; 2]; 2]>,
    elsewhere: usize,
    /// Whether the tear got to the other side.
    through: bool,
}

/// All strips.
pub struct Paths(Vec<Tear>);

fn cells(quick: bool) -> &'static [usize] {
    if quick { &[8] } else { &[8, 16, 32] }
}

/// How many runs there are.
pub fn count(quick: bool) -> usize {
    LIMITS.len() * PULLS.len() * cells(quick).len()
}

impl Paths {
    /// Pulls all.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut tears = Vec::new();
        for limit in LIMITS {
            for pull in PULLS {
                for &cells in cells(context.quick) {
                    tears.push(Tear::of(limit, pull, cells)?);
                    context.advance(1);
                }
            }
        }
        Ok(Self(tears))
    }

    /// The largest angle between a path and the way square to the principal stress [degrees].
    pub fn worst(&self) -> Real {
        self.0.iter().map(Tear::aside).fold(0.0, Real::max)
    }

    /// The same of tears through faces.
    fn worst_through(&self) -> Real {
        let through = self.0.iter().filter(|tear| matches!(tear.limit, Limit::Through(_)));
        through.map(Tear::aside).fold(0.0, Real::max)
    }

    /// The exponent of the length of an edge in the load at which a strip starts to tear, by stress, pulled along its axis.
    fn exponent(&self, limit: Limit) -> Real {
        let same = self.0.iter().filter(|tear| tear.limit == limit && tear.pull == 0.0);
        let points: Vec<[Real; 2]> = same.map(|tear| [SIZE[1] / tear.cells as Real, tear.load]).collect();
        log_log_slope(&points).unwrap_or(Real::NAN)
    }
}

impl Tear {
    fn of(limit: Limit, pull: Real, cells: usize) -> anyhow::Result<Self> {
        let mut world = strip(limit, pull, cells)?;
        let mut tear = Self {
            limit,
            pull,
            cells,
            load: Real::NAN,
            expected: Real::NAN,
            edges: Vec::new(),
            elsewhere: 0,
            through: false,
        };
        let notch = world.state.torn.edges;
        for _ in 0..STEPS {
            if world.state.torn.edges == notch {
                (tear.load, tear.expected) = pulled(&world);
            }
            world.step()?;
            if is_in_two(&world) {
                tear.through = true;
                break;
            }
        }
        let torn = torn_edges(&world);
        tear.edges = from_the_tip(&torn);
        tear.elsewhere = torn.len() - tear.edges.len();
        Ok(tear)
    }

    /// The direction of the line through the torn edges, by least squares, from the axis of the strip [degrees].
    fn direction(&self) -> Real {
        let middles: Vec<[Real; 2]> = self.edges.iter().flatten().copied().collect();
        let mean = [0, 1].map(|k| middles.iter().map(|p| p[k]).sum::<Real>() / middles.len() as Real);
        let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
        for p in &middles {
            let d = [p[0] - mean[0], p[1] - mean[1]];
            xx += d[0] * d[0];
            xy += d[0] * d[1];
            yy += d[1] * d[1];
        }
        (0.5 * (2.0 * xy).atan2(xx - yy)).to_degrees()
    }

    /// The angle between the path and the way square to the principal stress [degrees].
    fn aside(&self) -> Real {
        let apart = (self.direction() - self.expected).rem_euclid(180.0);
        apart.min(180.0 - apart)
    }
}

/// A strip of triangles, notched in the middle of its lower side, whose ends draw apart.
fn strip(limit: Limit, pull: Real, cells: usize) -> anyhow::Result<World> {
    let grid = Grid { rows: 2 * cells + 1, columns: cells + 1 };
    let h = SIZE[1] / cells as Real;
    let mesh = Mesh {
        positions: grid.vertices().map(|(i, j)| Vec3::new(i as Real * h, j as Real * h, 0.0)).collect(),
        faces: grid.triangles().iter().map(|&[a, b, c]| Face::triangle(a, b, c)).collect(),
    };
    let membrane = Some(MembraneMaterial { warp: 300.0, poisson: 0.2, ..MembraneMaterial::default() });
    let fabric = match limit {
        Limit::Stretch(times) => Fabric { membrane, break_at: Some(times), ..Fabric::default() },
        Limit::Stress(stress) => Fabric { membrane, strength: Some(stress), ..Fabric::default() },
        Limit::Through(stress) => {
            Fabric { membrane, strength: Some(stress), tear_through_faces: true, ..Fabric::default() }
        }
    };
    let (sine, cosine) = pull.to_radians().sin_cos();
    let end = |i: usize, speed: Real| Pin {
        motion: Motion::Translate { velocity: Vec3::new(cosine, sine, 0.0) * speed, from: 0.0, until: 1e3 },
        ..Pin::at(Place::Particles((0..grid.columns).map(|j| grid.index(i, j)).collect()))
    };
    let mut builder = Builder::default();
    builder.add_surface(&Surface {
        mesh,
        fabric,
        pins: vec![end(0, -SPEED), end(grid.rows - 1, SPEED)],
        // So that it is pulled slowly, and at rest but for that.
        drag: Drag::Area(2.0),
        ..Surface::default()
    })?;
    let (model, state) = builder.finish(&Surroundings { gravity: Vec3::ZERO, ..Surroundings::default() })?;
    let mut world = World::new(model, state, &SolverConfig::named("pncg").expect("listed"), DT);
    let notch: Vec<u32> = (0..=(NOTCH / h).round() as usize).map(|j| grid.index(cells, j)).collect();
    world.cut(&notch)?;
    Ok(world)
}

/// Force by width along the pull [N/m], and the way square to the mean principal stress [degrees], from the forces on the ends.
fn pulled(world: &World) -> (Real, Real) {
    let x = &world.state.positions;
    let mut forces = vec![Vec3::ZERO; x.len()];
    world.model.elements.add_forces(x, &vec![Vec3::ZERO; x.len()], &mut forces);
    let (mut xx, mut xy, mut yy, mut on_an_end) = (0.0, 0.0, 0.0, Vec3::ZERO);
    for p in (0..x.len()).filter(|&p| world.model.is_held(p)) {
        let load = -forces[p];
        xx += load.x * x[p].x;
        xy += 0.5 * (load.x * x[p].y + load.y * x[p].x);
        yy += load.y * x[p].y;
        if world.model.rest_positions[p].x < 0.5 * SIZE[0] {
            on_an_end += load;
        }
    }
    let principal = 0.5 * (2.0 * xy).atan2(xx - yy);
    (on_an_end.length() / SIZE[1], principal.to_degrees() + 90.0)
}

/// Whether no way along faces leads from one end to the other.
fn is_in_two(world: &World) -> bool {
    let mut reached: Vec<bool> = world.model.rest_positions.iter().map(|x| x.x < 1e-9).collect();
    loop {
        let mut grew = false;
        for face in &world.model.faces {
            let corners = face.corners();
            if corners.iter().any(|&c| reached[c as usize]) && !corners.iter().all(|&c| reached[c as usize]) {
                for &corner in corners {
                    reached[corner as usize] = true;
                }
                grew = true;
            }
        }
        if !grew {
            return !(0..reached.len())
                .any(|p| reached[p] && world.model.rest_positions[p].x > SIZE[0] - 1e-9);
        }
    }
}

/// Sides of one face only that do not lie on the outline of the strip or in its notch: one of the two lips each.
fn torn_edges(world: &World) -> Vec<[[Real; 2]; 2]> {
    let sides: BTreeSet<[u32; 2]> = world.model.faces.iter().flat_map(Face::sides).collect();
    let rest = |p: u32| world.model.rest_positions[p as usize];
    let is_outline = |a: Vec3, b: Vec3| {
        [0.0, SIZE[0]].iter().any(|x| (a.x - x).abs() + (b.x - x).abs() < 1e-9)
            || [0.0, SIZE[1]].iter().any(|y| (a.y - y).abs() + (b.y - y).abs() < 1e-9)
    };
    let is_notch =
        |a: Vec3, b: Vec3| [a, b].iter().all(|p| (p.x - 0.5 * SIZE[0]).abs() < 1e-9 && p.y < NOTCH + 1e-9);
    sides
        .iter()
        .filter(|&&[a, b]| !sides.contains(&[b, a]))
        .map(|&[a, b]| [rest(a), rest(b)])
        .filter(|&[a, b]| (a.x, a.y) < (b.x, b.y) && !is_outline(a, b) && !is_notch(a, b))
        .map(|ends| ends.map(|p| [p.x, p.y]))
        .collect()
}

/// The edges that hang together with the tip of the notch.
fn from_the_tip(torn: &[[[Real; 2]; 2]]) -> Vec<[[Real; 2]; 2]> {
    let is_near = |a: [Real; 2], b: [Real; 2]| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-9;
    let mut reached = vec![[0.5 * SIZE[0], NOTCH]];
    let mut left = torn.to_vec();
    let mut path = Vec::new();
    while let Some(k) =
        left.iter().position(|ends| ends.iter().any(|&end| reached.iter().any(|&p| is_near(p, end))))
    {
        let edge = left.remove(k);
        reached.extend(edge);
        path.push(edge);
    }
    path
}

pub fn section(paths: &Paths) -> Section {
    let text = "A strip of 0.32 m × 0.16 m of membranes, meshed by crossed triangles and notched by half of its width, is pulled apart at its ends by pncg, along its axis \
                and at 30° to it. The mean stress at the start of the tear follows from the forces on the ends; a tear should run square to its principal direction. Tears run along \
                edges: eight directions, so that single edges are up to 22.5° off; with `tear_through_faces` they divide faces.";
    let mut blocks = vec![
        Block::Verdict(direction_verdict(paths)),
        Block::Verdict(load_verdict(paths)),
        Block::Text(text.to_owned()),
    ];
    blocks.extend(PULLS.map(|pull| Block::Figure(figure(paths, pull))));
    blocks.push(Block::Table(table(paths)));
    Section { title: "Where it tears".to_owned(), blocks }
}

fn direction_verdict(paths: &Paths) -> Verdict {
    let through = paths.0.iter().filter(|tear| tear.through).count();
    Claim::new(
        format!("On any mesh a tear runs square to the principal stress, within the {WITHIN}° that edges allow, through faces within {WITHIN_THROUGH}°."),
        "goal of this project",
    )
    .under(SetUp::default().assumed("strip", "0.32 m × 0.16 m, notched by half").assumed("meshes", "8, 16 and 32 cells across"))
    .judged(
        match paths.0.iter().filter(|tear| tear.aside() <= tear.limit.within()).count() {
            n if n == paths.0.len() => Outcome::Holds,
            0 => Outcome::Overturned,
            _ => Outcome::Partly,
        },
        format!(
            "The lines through the paths are up to {:.1}° aside, {:.1}° through faces; {} of {} keep within their angle. {through} of {} strips are torn in two.",
            paths.worst(),
            paths.worst_through(),
            paths.0.iter().filter(|tear| tear.aside() <= tear.limit.within()).count(),
            paths.0.len(),
            paths.0.len()
        ),
    )
}

fn load_verdict(paths: &Paths) -> Verdict {
    let [stretch, stress, _] = LIMITS.map(|limit| paths.exponent(limit));
    Claim::new("A finer mesh tears at a smaller load, by the root of the length of its edges.", "docs/book/tearing.md; root: theory of a sharp crack")
        .under(SetUp::default().assumed("meshes", "8, 16 and 32 cells across"))
        .judged(
            if [stretch, stress].iter().all(|e| (0.3..=0.7).contains(e)) { Outcome::Holds } else { Outcome::Partly },
            format!("The load at the start goes as the length of an edge to the power {stretch:.2} by break_at and {stress:.2} by strength; a sharp crack has 0.5."),
        )
}

fn figure(paths: &Paths, pull: Real) -> Figure {
    let notch = Series {
        name: "notch".to_owned(),
        points: vec![[0.5 * SIZE[0], 0.0], [0.5 * SIZE[0], NOTCH]],
        style: Style::Dashed,
        ..Series::default()
    };
    let mut series: Vec<Series> = Vec::new();
    for tear in paths.0.iter().filter(|tear| tear.pull == pull && matches!(tear.limit, Limit::Stress(_))) {
        let points = tear.edges.iter().flat_map(|&[a, b]| [a, b, [Real::NAN; 2]]).collect();
        series.push(Series { name: format!("{} cells across", tear.cells), points, ..Series::default() });
    }
    // The way square to the principal stress, from the tip of the notch, on the finest mesh.
    if let Some(tear) =
        paths.0.iter().rfind(|tear| tear.pull == pull && matches!(tear.limit, Limit::Stress(_)))
    {
        let slope = tear.expected.to_radians().tan();
        let height = SIZE[1] - NOTCH;
        series.push(Series {
            name: "square to the stress".to_owned(),
            points: vec![[0.5 * SIZE[0], NOTCH], [0.5 * SIZE[0] + height / slope, SIZE[1]]],
            style: Style::Dashed,
            ..Series::default()
        });
    }
    series.push(notch);
    Figure {
        name: format!("path-{pull:.0}"),
        caption: format!("Torn edges in the strip at rest, by strength, pulled at {pull:.0}° to its axis."),
        x: Axis { range: Some([0.06, 0.26]), ..Axis::linear("along the strip").unit("m") },
        y: Axis { range: Some([0.0, SIZE[1]]), ..Axis::linear("across").unit("m") },
        series,
        guides: Vec::new(),
    }
}

fn table(paths: &Paths) -> Table {
    let row = |tear: &Tear| {
        let aside = Cell::number(tear.aside()).digits(3);
        vec![
            Cell::text(tear.limit.words()),
            Cell::number(tear.pull).digits(2),
            Cell::count(tear.cells),
            Cell::number(tear.load).digits(3),
            Cell::count(tear.edges.len()),
            Cell::count(tear.elsewhere),
            Cell::text(if tear.through { "yes" } else { "no" }),
            Cell::number(tear.expected.rem_euclid(180.0)).digits(3),
            Cell::number(tear.direction().rem_euclid(180.0)).digits(3),
            if tear.aside() <= tear.limit.within() { aside.good() } else { aside.bad() },
        ]
    };
    Table {
        name: "paths".to_owned(),
        caption: "Load just before the tear starts; torn edges that hang together with the notch, and others; directions from the axis of the strip, square to the mean principal stress then and of the line through the torn edges."
            .to_owned(),
        columns: vec![
            Column::plain("limit"),
            Column::plain("pull").unit("°"),
            Column::plain("cells across"),
            Column::measured("load").unit("N/m"),
            Column::measured("edges"),
            Column::measured("elsewhere"),
            Column::measured("in two"),
            Column::measured("square to stress").unit("°"),
            Column::measured("path").unit("°"),
            Column::measured("aside").unit("°"),
        ],
        rows: paths.0.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Symmetry: pulled along its axis, a strip tears straight across, and nowhere else.
    #[test]
    fn a_strip_pulled_along_its_axis_tears_straight_across() {
        for limit in LIMITS {
            let tear = Tear::of(limit, 0.0, 8).unwrap();
            assert!(tear.through && tear.elsewhere == 0, "{limit:?}");
            assert_eq!(tear.edges.len(), 4, "{limit:?}");
            // Rounding, and what the tear itself tilts: nothing by symmetry.
            assert!(tear.aside() < 0.1, "{limit:?}: {}", tear.aside());
        }
    }
}
