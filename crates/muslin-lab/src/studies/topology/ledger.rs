//! What an edit keeps: mass, momentum, angular momentum, and energy but for what the ledger names.

use crate::report::{Block, Cell, Claim, Column, Outcome, Section, SetUp, Table, Verdict};
use crate::study::Context;
use muslin::material::{Bending, MembraneMaterial};
use muslin::measure::{Energy, angular_momentum, momentum};
use muslin::prelude::*;
use muslin::profile::uniform;

/// Cells along the sides of the sheets.
const CELLS: [usize; 2] = [24, 20];
/// Allowed error, as a part of what is kept.
const ALLOWED: Real = 1e-12;

/// Cuts in a spinning, stretched sheet of one fabric under one law of contact.
struct Account {
    fabric: &'static str,
    touches: bool,
    cuts: usize,
    /// Cuts that had no room, or would have opened nothing.
    refused: usize,
    /// Largest changes by one cut: of mass, momentum, angular momentum and of the kinetic energy, as parts; of elastic energy and
    /// ledger together, as a part of the elastic energy.
    errors: [Real; 5],
    /// Released in all, and the least that one cut released, as parts of the elastic energy at the start.
    released: [Real; 2],
}

/// All of them.
pub struct Ledger(Vec<Account>);

/// How many runs there are.
pub const COUNT: usize = 4;

impl Ledger {
    /// Makes the cuts.
    pub fn of(context: &Context) -> anyhow::Result<Self> {
        let mut accounts = Vec::new();
        for (name, fabric) in fabrics() {
            for touches in [false, true] {
                accounts.push(Account::of(name, &fabric, touches, if context.quick { 10 } else { 60 })?);
                context.advance(1);
            }
        }
        Ok(Self(accounts))
    }

    /// The largest error of any kind, and the least that a cut released.
    pub fn worst(&self) -> [Real; 2] {
        let error = self.0.iter().flat_map(|account| account.errors).fold(0.0, Real::max);
        [error, self.0.iter().map(|account| account.released[1]).fold(Real::INFINITY, Real::min)]
    }
}

fn fabrics() -> [(&'static str, Fabric); 2] {
    let membrane = Some(MembraneMaterial { warp: 300.0, poisson: 0.2, ..MembraneMaterial::default() });
    let bending = Some(Bending { rigidity: 1e-4, ..Bending::default() });
    [
        ("springs", Fabric::default()),
        ("membranes and hinges", Fabric { membrane, bending, ..Fabric::default() }),
    ]
}

/// Mass, momenta and energies.
struct Sums {
    mass: Real,
    momentum: Vec3,
    angular: Vec3,
    energy: Energy,
    released: Real,
}

impl Sums {
    fn of(world: &World) -> Self {
        let World { model, state, .. } = world;
        Self {
            mass: model.masses.iter().sum(),
            momentum: momentum(model, state),
            angular: angular_momentum(model, state),
            energy: Energy::of(model, state),
            released: state.torn.released,
        }
    }
}

impl Account {
    fn of(fabric: &'static str, material: &Fabric, touches: bool, cuts: usize) -> anyhow::Result<Self> {
        let mut world = spinning(material, touches)?;
        let start = Sums::of(&world).energy.elastic;
        // By particles, Σ m |v| and Σ m |x| |v|: sums over them are rounded by parts of these.
        let size = |p: usize| world.model.masses[p] * world.state.velocities[p].length();
        let momenta: Real = (0..world.model.len()).map(size).sum();
        let angular: Real = (0..world.model.len()).map(|p| size(p) * world.state.positions[p].length()).sum();
        let mut account =
            Self { fabric, touches, cuts: 0, refused: 0, errors: [0.0; 5], released: [0.0, Real::INFINITY] };
        let columns = CELLS[1] + 1;
        for k in 0..cuts as u64 {
            // Two edges along a row, or one, somewhere; particles of before keep their numbers, as twins come last.
            let place = |n: u64, count: usize| (uniform(16, 3 * k + n) * count as Real) as usize;
            let (i, j, long) = (1 + place(0, CELLS[0] - 2), place(1, CELLS[1] - 2), 1 + place(2, 2));
            let path: Vec<u32> = (j..=j + 1 + long).map(|j| (i * columns + j) as u32).collect();
            let before = Sums::of(&world);
            if world.cut(&path).is_err() {
                account.refused += 1;
                continue;
            }
            account.cuts += 1;
            let after = Sums::of(&world);
            let released = after.released - before.released;
            let errors = [
                (after.mass / before.mass - 1.0).abs(),
                after.momentum.distance(before.momentum) / momenta,
                after.angular.distance(before.angular) / angular,
                (after.energy.kinetic / before.energy.kinetic - 1.0).abs(),
                (after.energy.elastic + released - before.energy.elastic).abs() / start,
            ];
            account.errors = [0, 1, 2, 3, 4].map(|k| account.errors[k].max(errors[k]));
            account.released =
                [account.released[0] + released / start, account.released[1].min(released / start)];
        }
        Ok(account)
    }
}

/// A sheet in free flight, stretched by a tenth, wavy and turning.
fn spinning(fabric: &Fabric, touches: bool) -> anyhow::Result<World> {
    let mut builder = Builder::default();
    builder.add_sheet(&Sheet {
        resolution: Resolution::Cells(CELLS),
        origin: Vec3::new(-0.5, -0.5, 0.0),
        fabric: fabric.clone(),
        ..Sheet::default()
    })?;
    let contact =
        if touches { ContactLaw::Surface(SurfaceContact::default()) } else { ContactLaw::default() };
    let around = Surroundings { gravity: Vec3::ZERO, contact, ..Surroundings::default() };
    let (model, mut state) = builder.finish(&around)?;
    for p in 0..model.len() {
        let rest = model.rest_positions[p];
        let wave = 0.03 * (9.0 * rest.x).sin() * (7.0 * rest.y).cos();
        let x = Vec3::new(1.1 * rest.x, 1.05 * rest.y, wave);
        state.positions[p] = x;
        state.velocities[p] = Vec3::new(1.0, 0.5, 0.2) + Vec3::new(1.0, 2.0, 6.0).cross(x);
    }
    Ok(World::new(model, state, &SolverConfig::named("pncg").expect("listed"), 1.0 / 240.0))
}

pub fn section(ledger: &Ledger) -> Section {
    let text = "Cuts of two or three edges at random places of a sheet that is stretched, wavy, flies and turns. Springs and hinges across a cut go with what they store: the \
                ledger names it as released. Under contact of surfaces twins are born a few least gaps apart; the work of that counts as released, too, and may be negative by \
                some hundred-thousandths where cloth is pulled.";
    Section {
        title: "What a tear keeps".to_owned(),
        blocks: vec![
            Block::Verdict(verdict(ledger)),
            Block::Text(text.to_owned()),
            Block::Table(table(ledger)),
        ],
    }
}

fn verdict(ledger: &Ledger) -> Verdict {
    let [error, least] = ledger.worst();
    let cuts: usize = ledger.0.iter().map(|account| account.cuts).sum();
    Claim::new(
        "Mass, momentum and angular momentum are unchanged by any edit to 1e-12, and no energy appears in a tear.",
        "goal of this project",
    )
    .under(SetUp::default().assumed("edits", format!("{cuts} cuts along edges")))
    .judged(
        if error < ALLOWED && least > -ALLOWED { Outcome::Holds } else { Outcome::Partly },
        format!(
            "Largest change of any of them by a cut: {error:.1e}. Elastic energy before is elastic energy after and what the ledger names, to the same; a cut releases {least:.1e} of it \
             or more."
        ),
    )
}

fn table(ledger: &Ledger) -> Table {
    let row = |account: &Account| {
        let error = |k: usize| {
            let cell = Cell::number(account.errors[k]).digits(2);
            if account.errors[k] < ALLOWED { cell.good() } else { cell.bad() }
        };
        vec![
            Cell::text(account.fabric),
            Cell::text(if account.touches { "surfaces" } else { "none" }),
            Cell::count(account.cuts),
            Cell::count(account.refused),
            error(0),
            error(1),
            error(2),
            error(3),
            error(4),
            Cell::number(account.released[0]).digits(3),
            Cell::number(account.released[1]).digits(2),
        ]
    };
    Table {
        name: "ledger".to_owned(),
        caption: "Largest change by one cut, as a part of each quantity; elastic: of elastic energy and ledger together. Released in all and by the least of the cuts, as parts of the \
                  elastic energy at the start."
            .to_owned(),
        columns: vec![
            Column::plain("elements"),
            Column::plain("contact"),
            Column::measured("cuts"),
            Column::measured("refused"),
            Column::measured("mass"),
            Column::measured("momentum"),
            Column::measured("angular momentum"),
            Column::measured("kinetic"),
            Column::measured("elastic"),
            Column::measured("released"),
            Column::measured("least"),
        ],
        rows: ledger.0.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_keep_what_they_should() {
        for (name, fabric) in fabrics() {
            let account = Account::of(name, &fabric, true, 8).unwrap();
            assert!(account.cuts > 4, "{name}: {} cuts", account.cuts);
            for error in account.errors {
                assert!(error < ALLOWED, "{name}: {:?}", account.errors);
            }
            assert!(account.released[1] > -ALLOWED, "{name}: {:?}", account.released);
        }
    }
}
