//! Closed meshes: what keeps them in shape, and what a balloon does.

use super::SOURCE;
use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table};
use crate::statistics::median;
use crate::timing::timed_steps;
use muslin::math::{Real, Vec3};
use muslin::solver::SolverConfig;
use muslin_scene::Source;

/// A ball of 2,562 vertices that lay on the floor for two seconds.
pub struct Balloon {
    k: Real,
    /// Sought volume by that of the start; none without a pressure constraint.
    factor: Option<Real>,
    /// Height by diameter of the start.
    height: Real,
    /// Volume by that of the start.
    volume: Real,
    /// Standard deviation of the distances to the centre, by their mean.
    unevenness: Real,
    /// Time of a frame [s].
    frame: Real,
    vertices: usize,
}

impl Balloon {
    /// The cases of the study: k = 1 and 0.3 without air, with as much as it holds, and a balloon of twice that.
    pub const CASES: [(Real, Option<Real>); 5] =
        [(1.0, None), (0.3, None), (1.0, Some(1.0)), (0.3, Some(1.0)), (1.0, Some(2.0))];

    pub fn of((k, factor): (Real, Option<Real>)) -> anyhow::Result<Self> {
        let mut source = Source::open("closed-mesh")?;
        source.set("balloon", "ball.0.center", "[0.0, 0.0, 0.4]");
        let sought = factor.unwrap_or(1.0);
        source.set(
            "balloon",
            "ball.0.pressure",
            &format!("{{ volume = {{ factor = {sought:?}, stiffness = 1e4 }} }}"),
        );
        let mut setup = source.load()?;
        let SolverConfig::Pbd(config) = &mut setup.solver else {
            anyhow::bail!("closed-mesh is a scene of position-based dynamics")
        };
        config.stiffness = k;
        let start = setup.state.positions.clone();
        let pressure = setup.model.elements.pressures[0].clone();
        if factor.is_none() {
            setup.model.change(|data| data.elements.pressures.clear());
        }
        let mut world = setup.world();
        let frames = timed_steps(&mut world, 120)?;
        let x = &world.state.positions;
        let extent = |x: &[Vec3]| {
            let [low, high] = muslin::mesh::bounds(x);
            high.z - low.z
        };
        let center = x.iter().sum::<Vec3>() / x.len() as Real;
        let radii: Vec<Real> = x.iter().map(|x| x.distance(center)).collect();
        let mean = radii.iter().sum::<Real>() / radii.len() as Real;
        let variance = radii.iter().map(|r| (r - mean).powi(2)).sum::<Real>() / radii.len() as Real;
        Ok(Self {
            k,
            factor,
            height: extent(x) / extent(&start),
            volume: pressure.volume(x) / pressure.volume(&start),
            unevenness: variance.sqrt() / mean,
            frame: median(&frames).unwrap_or(Real::NAN),
            vertices: x.len(),
        })
    }
}

pub fn section(balloons: &[Balloon]) -> Section {
    let find = |k: Real, factor: Option<Real>| balloons.iter().find(|b| b.k == k && b.factor == factor);
    let mut blocks = Vec::new();
    let height = |k: Real, factor: Option<Real>| find(k, factor).map_or(Real::NAN, |balloon| balloon.height);
    let [stiff, soft] = [1.0, 0.3].map(|k| height(k, Some(1.0)));
    let [empty_stiff, empty_soft] = [1.0, 0.3].map(|k| height(k, None));
    let (keeps, collapses) = (|height: Real| height > 0.8, |height: Real| height < 0.5);
    let vertices = balloons.first().map_or(0, |balloon| balloon.vertices);
    let shape = Claim::new(
        "A closed mesh of some 2500 vertices, with distances alone, keeps its shape with k = 1 and collapses with k = 0.3.",
        SOURCE,
    )
    .under(
        SetUp::default()
            .assumed("mesh", format!("a ball of {vertices} vertices"))
            .assumed("place", "two seconds on a floor"),
    )
    .judged(
        match (keeps(empty_stiff), collapses(empty_soft)) {
            (true, true) => Outcome::Holds,
            (true, false) => Outcome::Partly,
            (false, _) => Outcome::Overturned,
        },
        format!(
            "With distances alone it stands {:.0} % of its diameter high with k = 1, and {:.0} % with k = 0.3. With air in it, a constraint of its volume, {:.0} % and {:.0} %.",
            100.0 * empty_stiff,
            100.0 * empty_soft,
            100.0 * stiff,
            100.0 * soft
        ),
    );
    blocks.push(Block::Verdict(shape));
    if let Some(blown) = find(1.0, Some(2.0)) {
        let claim =
            Claim::new("With pressure the mesh rises like a balloon, but does not keep its shape.", SOURCE);
        blocks.push(Block::Verdict(claim.not_tested(format!(
            "The source does not give its constraint of pressure. With one of the volume, blown up to twice that of the start, it holds {:.2} times that, at distances from its centre that vary \
             by {:.1} %, in {:.0} frames a second.",
            blown.volume,
            100.0 * blown.unevenness,
            1.0 / blown.frame
        ))));
    }
    blocks.push(Block::Table(table(balloons)));
    Section { title: "Balloons".to_owned(), blocks }
}

fn table(balloons: &[Balloon]) -> Table {
    let row = |balloon: &Balloon| {
        vec![
            Cell::number(balloon.k).digits(2),
            balloon.factor.map_or_else(|| Cell::text("none"), |factor| Cell::number(factor).digits(2)),
            Cell::number(100.0 * balloon.height).digits(3),
            Cell::number(balloon.volume).digits(3),
            Cell::number(100.0 * balloon.unevenness).digits(2),
            Cell::number(1.0 / balloon.frame).digits(3),
        ]
    };
    Table {
        name: "balloons".to_owned(),
        caption: "A ball of 2562 vertices on the floor after 2 s, frames of 1/60 s, 40 iterations: k of all constraints, the volume sought, height by \
                  diameter, volume, and by how much the distances to the centre vary."
            .to_owned(),
        columns: vec![
            Column::plain("k"),
            Column::plain("volume sought"),
            Column::measured("height").unit("%"),
            Column::measured("volume"),
            Column::measured("unevenness").unit("%"),
            Column::measured("frames a second").unit("1/s"),
        ],
        rows: balloons.iter().map(row).collect(),
    }
}
