//! The cloths that runs are judged on.

use super::{FRAME, SECOND};
use muslin::builder::{Builder, Mass, Pin, Place, Surface, Surroundings};
use muslin::material::{Fabric, Link};
use muslin::math::{Real, Vec3};
use muslin::mesh::{Face, Grid, Mesh};
use muslin::model::Model;
use muslin::solver::SolverConfig;
use muslin::solvers::PncgConfig;
use muslin::state::State;
use muslin::world::World;
use muslin_scene::watch_steps;
use std::sync::OnceLock;

/// A cloth, and how it should move.
pub struct Trial {
    /// What it is called.
    pub name: String,
    /// What is simulated, as authored.
    pub model: Model,
    /// Where it starts.
    pub state: State,
    /// Length of its side, the unit of motion [m].
    pub side: Real,
    reference: OnceLock<Vec<Vec<Vec3>>>,
}

/// Steps of the reference a frame: 1/960 s.
const REFERENCE_SUBSTEPS: u32 = 16;

impl Trial {
    /// A built-in scene; the side is the longest extent of the cloth at the start.
    pub fn scene(name: &str) -> anyhow::Result<Self> {
        let setup = muslin_scene::Source::open(name)?.load()?;
        let [low, high] = muslin::mesh::bounds(&setup.state.positions);
        Ok(Self::new(name, (setup.model, setup.state), (high - low).max_element()))
    }

    /// The scene `hang-N` for any N: the sheet of `hang-50` with other particles, stiffness going with their number.
    pub fn hang(particles: usize) -> Self {
        let mut source = muslin_scene::Source::open("hang-50").expect("built in");
        let mut set = |key: &str, value: &str| source.set("hang", key, value);
        set("sheet.0.resolution", &format!("{{ particles = [{particles}, {particles}] }}"));
        set("sheet.0.pins", &format!("[{{ at = {{ grid = [[0, 0], [0, {}]] }} }}]", particles - 1));
        let fabric = hang_fabric(particles);
        for (family, link) in
            [("structural", fabric.structural), ("shear", fabric.shear), ("flexion", fabric.flexion)]
        {
            set(&format!("sheet.0.fabric.{family}"), &format!("{{ stiffness = {:?} }}", link.stiffness));
        }
        let setup = source.load().expect("a sound scene");
        Self::new(&format!("hang-{particles}"), (setup.model, setup.state), 2.0)
    }

    /// The same sheet of triangles: a grid whose inner vertices are moved by up to 0.3 cells, and whose diagonals run at random.
    pub fn irregular(particles: usize) -> Self {
        let mesh = irregular_mesh(particles, 2.0);
        let pins = Place::Particles(vec![0, particles as u32 - 1]);
        let surface = Surface {
            mesh,
            fabric: hang_fabric(particles),
            mass: Mass::Total(0.8),
            pins: vec![Pin::at(pins)],
            ..Surface::default()
        };
        let mut builder = Builder::default();
        builder.add_surface(&surface).expect("a sound surface");
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        let built = builder.finish(&Surroundings { gravity, ..Surroundings::default() });
        Self::new(&format!("irregular-{particles}"), built.expect("a sound model"), 2.0)
    }

    fn new(name: &str, (model, state): (Model, State), side: Real) -> Self {
        Self { name: name.to_owned(), model, state, side, reference: OnceLock::new() }
    }

    /// The model with springs `factor` times as stiff as authored.
    pub fn stiffened(&self, factor: Real) -> Model {
        let mut model = self.model.clone();
        model.change(|data| {
            for spring in &mut data.elements.springs {
                spring.stiffness *= factor;
            }
        });
        model
    }

    /// Positions at the ends of the first 60 frames, by a converged implicit method with steps of 1/960 s; computed when first
    /// asked for.
    pub fn reference(&self) -> &[Vec<Vec3>] {
        self.reference.get_or_init(|| {
            let mut world = World::new(self.model.clone(), self.state.clone(), &reference_solver(), FRAME);
            world.substeps = REFERENCE_SUBSTEPS;
            let mut frames = Vec::new();
            watch_steps(&mut world, SECOND as u64, |world, _| frames.push(world.state.positions.clone()))
                .expect("an implicit method with small steps is stable");
            frames
        })
    }
}

/// BDF2 solved as a minimum, with five times the iterations that bring motion within 1 % at steps sixteen times as long.
/// At 50 × 50 it is within 0.12 % of BDF2 solved by Newton's method, at 10 × 10 within 0.5 % of velocity Verlet (a test).
fn reference_solver() -> SolverConfig {
    SolverConfig::Pncg(PncgConfig { iterations: 60, tolerance: 1e-4, ..PncgConfig::default() })
}

/// Stiffness along the threads goes with the number of particles along a side, as the pull on the held ones does.
fn hang_fabric(particles: usize) -> Fabric {
    let link = |stiffness| Link { stiffness, ..Link::default() };
    let k = 400.0 * particles as Real;
    Fabric { structural: link(k), shear: link(k / 20.0), flexion: link(k / 1000.0), ..Fabric::default() }
}

/// A square sheet in the plane z = 0, the first side along y; the same for every call.
fn irregular_mesh(particles: usize, side: Real) -> Mesh {
    let grid = Grid { rows: particles, columns: particles };
    let cell = side / (particles - 1) as Real;
    let mut random = SplitMix(0x5eed);
    let mut positions: Vec<Vec3> = Vec::with_capacity(particles * particles);
    for (i, j) in grid.vertices() {
        let mut jitter = |k: usize| {
            let inside = k > 0 && k + 1 < particles;
            let shift = 0.6 * (random.next() - 0.5);
            if inside { shift } else { 0.0 }
        };
        let (u, v) = (i as Real + jitter(i), j as Real + jitter(j));
        positions.push(Vec3::new(cell * u, cell * v, 0.0));
    }
    let mut faces = Vec::new();
    for quad in grid.quads() {
        let &[a, b, c, d] = quad.corners() else { continue };
        if random.next() < 0.5 {
            faces.extend([Face::triangle(a, b, c), Face::triangle(a, c, d)]);
        } else {
            faces.extend([Face::triangle(a, b, d), Face::triangle(b, c, d)]);
        }
    }
    Mesh { positions, faces }
}

/// Steele, Lea and Flood's generator [OOPSLA 2014], for numbers that are the same everywhere.
struct SplitMix(u64);

impl SplitMix {
    /// Uniform in [0, 1).
    fn next(&mut self) -> Real {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as Real / (1u64 << 53) as Real
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quality::{Bound, ladder};
    use muslin::elements::SpringFamily;
    use std::time::Duration;

    #[test]
    fn scenes_and_trials_are_one() {
        for particles in [50, 100] {
            let trial = Trial::hang(particles);
            let scene = Trial::scene(&trial.name).unwrap();
            assert!(trial.model == scene.model && trial.state == scene.state, "hang-{particles}");
            assert!((trial.side - scene.side).abs() < 1e-15, "{} m", scene.side); // the last of 49 sums of cells
        }
    }

    #[test]
    fn the_irregular_sheet_is_a_sound_sheet_of_the_same_mass() {
        let trial = Trial::irregular(12);
        let positions = &trial.state.positions;
        let area: Real = trial.model.faces.iter().map(|face| face.area(positions)).sum();
        // A square of 2 m, every triangle turned the same way: none folded over.
        assert!((area - 4.0).abs() < 1e-12, "{area}");
        assert!(trial.model.faces.iter().all(|face| face.doubled_area_vector(positions).z > 0.0));
        assert!((trial.model.masses.iter().sum::<Real>() - 0.8).abs() < 1e-12);
        let held: Vec<usize> = (0..trial.model.len()).filter(|&p| trial.model.is_held(p)).collect();
        assert_eq!(held, [0, 11]);
        assert!(trial.model.elements.springs.iter().any(|s| s.family == SpringFamily::Flexion));
    }

    #[test]
    fn the_reference_falls() {
        let trial = Trial::hang(6);
        let reference = trial.reference();
        assert_eq!(reference.len(), SECOND);
        // After a frame the far corner has fallen by g t²/2 = 1.4 mm, but for the 1/16 of a frame that BDF2's start costs.
        let fall = -reference[0][35].z;
        assert!((fall / (0.5 * 9.81 * FRAME * FRAME) - 1.0).abs() < 0.1, "{fall}");
        // Within a second it swings through the vertical, where it hangs by its side and a few per cent of stretch.
        let lowest = reference.iter().flatten().map(|x| x.z).fold(Real::INFINITY, Real::min);
        assert!((-2.1..-1.9).contains(&lowest), "{lowest}");
    }

    /// Another method at steps many times smaller goes the same way, to half of the tightest bound on motion.
    #[test]
    fn the_reference_is_converged() {
        let trial = Trial::hang(10);
        let bound = Bound { stretch: 0.02, motion: None };
        let fine = ladder("velocity-verlet", &trial, &bound).pop().expect("a ladder");
        let outcome = trial.judge((fine.start)(&trial).as_mut(), &bound, Duration::MAX);
        assert!(outcome.motion.is_some_and(|motion| motion < 0.005), "{:?}", outcome.motion);
    }
}
