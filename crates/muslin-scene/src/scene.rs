//! What a scene file may say.

use crate::body::BodyEntry;
use crate::collider::ColliderEntry;
use crate::sleep::SleepEntry;
use crate::step_lengths::StepsEntry;
use muslin::builder::{
    Ball, Block, EARTH_GRAVITY, Load, Net, Pillow, Rope, SeamDescription, Sheet, Solid, WindDescription,
};
use muslin::cloth_description;
use muslin::contact::ContactLaw;
use muslin::elements::PressureLaw;
use muslin::math::{Real, Vec3};
use muslin::strain_limit::StrainLimit;
use muslin::tear::Blade;
use std::collections::BTreeMap;

/// A scene as written. Lengths in m, masses in kg, times in s, forces in N.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// Name of the scene and of its folder of results; the file's name if not given.
    pub name: String,
    /// One or two sentences on what it shows.
    pub description: String,
    /// Simulated time [s].
    pub duration: Real,
    /// Time step [s]; 1/120 s if neither this nor `steps` is given.
    pub dt: Option<Real>,
    /// Lengths of the time steps [s], if they are not all equal.
    pub steps: Option<StepsEntry>,
    /// Solver steps per time step; 1, or what the chosen method needs, if not given.
    pub substeps: Option<u32>,
    /// Measurements and pictures a second [1/s].
    pub frame_rate: Real,
    /// g [m/s²].
    pub gravity: Vec3,
    /// Rectangular sheets.
    pub sheet: Vec<Sheet>,
    /// Surfaces read from files.
    pub surface: Vec<SurfaceFile>,
    /// Ropes.
    pub rope: Vec<Rope>,
    /// Particles and springs in any configuration.
    pub net: Vec<Net>,
    /// Spheres of cloth.
    pub ball: Vec<Ball>,
    /// Pairs of discs sewn together.
    pub pillow: Vec<Pillow>,
    /// Boxes of soft solids.
    pub block: Vec<Block>,
    /// Soft solids of tetrahedra.
    pub solid: Vec<Solid>,
    /// Moving air.
    pub wind: Option<WindDescription>,
    /// Forces on single particles.
    pub load: Vec<Load>,
    /// Solids.
    pub collider: Vec<ColliderEntry>,
    /// Rigid bodies.
    pub body: Vec<BodyEntry>,
    /// Seams that draw borders together.
    pub seam: Vec<SeamDescription>,
    /// Blades that cut cloth.
    pub blade: Vec<Blade>,
    /// What happens at their surfaces.
    pub contact: ContactLaw,
    /// How far springs may stretch; without it, as far as they do.
    pub strain_limit: Option<StrainLimit>,
    /// When cloth at rest falls asleep; without it, never.
    pub sleep: Option<SleepEntry>,
    /// The method: its `name`, and its settings.
    pub solver: toml::Table,
    /// How pictures are taken.
    pub picture: Picture,
    /// Bounds that the scene's own results must keep: a key of summary.json, and lowest and highest value.
    pub expect: BTreeMap<String, [Real; 2]>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            duration: 3.0,
            dt: None,
            steps: None,
            substeps: None,
            frame_rate: 30.0,
            gravity: EARTH_GRAVITY,
            sheet: Vec::new(),
            surface: Vec::new(),
            rope: Vec::new(),
            net: Vec::new(),
            ball: Vec::new(),
            pillow: Vec::new(),
            block: Vec::new(),
            solid: Vec::new(),
            wind: None,
            load: Vec::new(),
            collider: Vec::new(),
            body: Vec::new(),
            seam: Vec::new(),
            blade: Vec::new(),
            contact: ContactLaw::default(),
            strain_limit: None,
            sleep: None,
            solver: toml::Table::new(),
            picture: Picture::default(),
            expect: BTreeMap::new(),
        }
    }
}

cloth_description! {
    /// A surface read from an OBJ, STL or PLY file.
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(default, deny_unknown_fields)]
    pub struct SurfaceFile {
        /// The file, beside the scene's own.
        pub file: String = String::new(),
        /// Factor from the file's unit of length to m.
        pub scale: Real = 1.0,
        /// Axis to turn it about.
        pub turn_axis: Vec3 = Vec3::Z,
        /// Angle to turn it by [degrees].
        pub turn_degrees: Real = 0.0,
        /// Where the file's origin goes [m].
        pub origin: Vec3 = Vec3::ZERO,
        /// What presses from inside, if anything.
        pub pressure: Option<PressureLaw> = None,
    }
}

/// How pictures are taken.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Picture {
    /// Where the camera stands [m]; found from the scene's size if not given.
    pub eye: Option<Vec3>,
    /// What it looks at [m]; the middle of the scene if not given.
    pub target: Option<Vec3>,
    /// Vertical angle of view [degrees].
    pub field_of_view: Real,
    /// Height of the ground to draw, along the direction up [m]; below the scene if not given.
    pub ground: Option<Real>,
    /// Width and height [pixels].
    pub size: [u32; 2],
    /// When the single picture is taken [s]; at the end if not given.
    pub time: Option<Real>,
    /// Red, green and blue of the cloth, each 0 to 1.
    pub color: [Real; 3],
}

impl Default for Picture {
    fn default() -> Self {
        Self {
            eye: None,
            target: None,
            field_of_view: 35.0,
            ground: None,
            size: [960, 720],
            time: None,
            color: [0.80, 0.24, 0.20],
        }
    }
}
