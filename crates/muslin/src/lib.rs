//! Cloth and other deformable surfaces, every classical method side by side on the same cloth.
//!
//! This page is a tour of ten minutes. Every piece of code on it runs as a test. All quantities are in SI units: metres,
//! kilograms, seconds, newtons, joules; numbers are `f64` ([`math::Real`]). The library computes and nothing else: it
//! reads no file and no clock. Scene files, pictures and studies live in the other crates of the workspace, and the
//! methods have a chapter each in `docs/book`.
//!
//! # A sheet that hangs
//!
//! Descriptions go into a [`Builder`](builder::Builder). It makes a [`Model`](model::Model), which a step only reads, and
//! a [`State`](state::State), which a step writes. A [`World`](world::World) holds both, a method, and the clock.
//!
//! ```
//! use muslin::builder::{Builder, Drag, Pin, Place, Resolution, Sheet, Surroundings};
//! use muslin::math::Vec3;
//! use muslin::measure::Measures;
//! use muslin::solver::SolverConfig;
//! use muslin::solvers::ImplicitEulerConfig;
//! use muslin::world::World;
//!
//! let sheet = Sheet {
//!     size: [1.0, 1.0],                                       // m
//!     resolution: Resolution::Cells([8, 8]),                  // 9 × 9 particles
//!     drag: Drag::Area(1.0),                                  // kg/(s·m²)
//!     pins: vec![Pin::at(Place::Grid(vec![[0, 0], [0, 8]]))], // two corners of one side
//!     ..Sheet::default()                                      // cotton: 0.15 kg/m²
//! };
//! let mut builder = Builder::default();
//! builder.add_sheet(&sheet)?;
//! let gravity = Vec3::new(0.0, 0.0, -9.81); // m/s²
//! let (model, state) = builder.finish(&Surroundings { gravity, ..Surroundings::default() })?;
//!
//! let method: SolverConfig = ImplicitEulerConfig::default().into();
//! let mut world = World::new(model, state, &method, 1.0 / 120.0); // s
//! for _ in 0..480 {
//!     world.step()?;
//! }
//!
//! let measures = Measures::of(&world);
//! assert!((measures.time - 4.0).abs() < 1e-9);
//! assert!(measures.energy.kinetic < 1e-4, "it hangs still: {} J", measures.energy.kinetic);
//! // 0.15 kg, half a metre below the pins: m g z = −0.74 J.
//! assert!((-0.80..-0.68).contains(&measures.energy.gravity), "{} J", measures.energy.gravity);
//! assert!(measures.stretch.max < 0.02, "no thread is longer by 2 %");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Two methods on one cloth
//!
//! A method is a value, so two of them can be tried on the same model. Here the first-order symplectic Euler is held
//! against the fourth-order Runge–Kutta method: with half the step its error is about half as large.
//!
//! ```
//! use muslin::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};
//! use muslin::material::{Fabric, Link};
//! use muslin::math::{Real, Vec3};
//! use muslin::solver::SolverConfig;
//! use muslin::world::World;
//!
//! let link = |stiffness| Link { stiffness, damping: 0.004 * stiffness, ..Link::default() }; // N/m, N·s/m
//! let sheet = Sheet {
//!     resolution: Resolution::Particles([5, 5]),
//!     fabric: Fabric { structural: link(50.0), shear: link(20.0), flexion: link(5.0), ..Fabric::default() },
//!     pins: vec![Pin::at(Place::Corners)],
//!     ..Sheet::default()
//! };
//! let mut builder = Builder::default();
//! builder.add_sheet(&sheet)?;
//! let (model, state) = builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
//!
//! let middle = |name: &str, dt: Real| {
//!     let config = SolverConfig::named(name).expect("a solver of this name");
//!     let mut world = World::new(model.clone(), state.clone(), &config, dt);
//!     for _ in 0..(0.25 / dt).round() as u32 {
//!         world.step().expect("a step that is small enough");
//!     }
//!     world.state.positions[12]
//! };
//! let exact = middle("rk4", 1e-4);
//! let error = |dt| middle("symplectic-euler", dt).distance(exact); // m
//! let ratio = error(4e-4) / error(2e-4);
//! assert!((1.8..2.2).contains(&ratio), "{ratio}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Settings of a method are fields of its configuration: `SolverConfig::Rk4(Rk4Config { as_printed: true })`.
//!
//! # Wind, and pins that move
//!
//! Wind presses along the surface normal. A pin may follow a [`Motion`](script::Motion); each solver sees it where it is
//! at the time of every stage.
//!
//! ```
//! use muslin::builder::{Builder, Drag, Pin, Place, Resolution, Sheet, Side, Surroundings};
//! use muslin::builder::{WindCoefficient, WindDescription};
//! use muslin::math::Vec3;
//! use muslin::profile::Profile;
//! use muslin::script::Motion;
//! use muslin::solvers::ImplicitEulerConfig;
//! use muslin::world::World;
//!
//! let lift = Motion::Translate { velocity: Vec3::Z * 0.5, from: 0.0, until: 1.0 }; // m/s, s, s
//! let flag = Sheet {
//!     resolution: Resolution::Cells([8, 6]),
//!     axes: [Vec3::X, Vec3::Z],
//!     drag: Drag::Area(0.1),
//!     pins: vec![Pin { at: Place::Side(Side::IMin), motion: lift }],
//!     ..Sheet::default()
//! };
//! let wind = WindDescription {
//!     velocity: Vec3::Y * 4.0, // m/s
//!     profile: Profile::Gusts { period: 0.5, depth: 0.3, seed: 1 },
//!     coefficient: WindCoefficient::Area(1.0), // kg/(s·m²)
//! };
//! let mut builder = Builder::default();
//! builder.add_sheet(&flag)?;
//! let (model, state) = builder.finish(&Surroundings {
//!     gravity: Vec3::Z * -9.81,
//!     wind: Some(wind),
//!     ..Surroundings::default()
//! })?;
//! let mut world = World::new(model, state, &ImplicitEulerConfig::default().into(), 0.005);
//! for _ in 0..240 {
//!     world.step()?;
//! }
//! let mast = world.state.positions[0];
//! assert!(mast.distance(Vec3::Z * 0.5) < 1e-12, "half a metre up, and held there: {mast}");
//! let corner = world.state.positions[8 * 7 + 6]; // particle (i, j) has the number i · columns + j
//! assert!(corner.y > 0.1, "blown along y: {corner}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Something to fall on
//!
//! Solids, and a law for what happens at their surfaces. Planes, balls, rods, boxes, hulls, meshes and landscapes stand still or
//! move by a script; see [`Collider`](contact::Collider).
//!
//! ```
//! use muslin::builder::{Builder, Resolution, Sheet, Surroundings};
//! use muslin::contact::ContactLaw;
//! use muslin::shape::Shape;
//! use muslin::math::Vec3;
//! use muslin::solvers::ImplicitEulerConfig;
//! use muslin::world::World;
//!
//! let sheet =
//!     Sheet { resolution: Resolution::Cells([10, 10]), origin: Vec3::new(-0.5, -0.5, 0.5), ..Sheet::default() };
//! let mut builder = Builder::default();
//! builder.add_sheet(&sheet)?;
//! let (model, state) = builder.finish(&Surroundings {
//!     gravity: Vec3::Z * -9.81,
//!     colliders: vec![
//!         Shape::Sphere { center: Vec3::ZERO, radius: 0.3 }.into(),
//!         Shape::Plane { point: Vec3::Z * -0.3, normal: Vec3::Z }.into(),
//!     ],
//!     contact: ContactLaw::Projection { restitution: 0.0, friction: 0.4 },
//!     ..Surroundings::default()
//! })?;
//! let mut world = World::new(model, state, &ImplicitEulerConfig::default().into(), 0.005);
//! for _ in 0..200 {
//!     world.step()?;
//! }
//! assert!(world.max_penetration() < 1e-9); // m
//! let highest = world.state.positions.iter().map(|x| x.z).fold(f64::NEG_INFINITY, f64::max);
//! assert!((0.29..0.35).contains(&highest), "it lies on the ball: {highest} m");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Under this law particles are kept out of solids, the threads between them are not, and cloth does not notice itself.
//!
//! # Cloth that touches itself
//!
//! Under [`ContactLaw::Surface`](contact::ContactLaw::Surface) whole surfaces touch: cloth and solids, cloth and itself, with
//! thickness and friction. A start free of intersections stays free of them, with every method.
//!
//! ```
//! use muslin::builder::{Builder, Resolution, Sheet, Surroundings};
//! use muslin::contact::{ContactLaw, SurfaceContact};
//! use muslin::shape::Shape;
//! use muslin::math::Vec3;
//! use muslin::solvers::XpbdConfig;
//! use muslin::world::World;
//!
//! let mut builder = Builder::default();
//! for height in [0.05, 0.1] {
//!     let resolution = Resolution::Cells([8, 8]);
//!     builder.add_sheet(&Sheet { resolution, origin: Vec3::Z * height, ..Sheet::default() })?;
//! }
//! let (model, state) = builder.finish(&Surroundings {
//!     colliders: vec![Shape::Plane { point: Vec3::ZERO, normal: Vec3::Z }.into()],
//!     contact: ContactLaw::Surface(SurfaceContact { thickness: Some(0.01), ..SurfaceContact::default() }),
//!     ..Surroundings::default()
//! })?;
//! let mut world = World::new(model, state, &XpbdConfig::default().into(), 1.0 / 120.0);
//! for _ in 0..60 {
//!     world.step()?;
//! }
//! assert!(world.intersections().is_empty());
//! let [lower, upper] = [0, 81].map(|first| world.state.positions[first].z);
//! assert!(lower < 0.02 && (0.009..0.03).contains(&(upper - lower)), "one lies on the other: {lower}, {upper} m");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Ropes and nets by hand
//!
//! A [`Rope`](builder::Rope) is a straight chain. A [`Net`](builder::Net) is any set of particles and springs. Bodies
//! share one model; their particles are numbered in the order in which they were added.
//!
//! ```
//! use muslin::builder::{Builder, Mass, Net, NetSpring, Pin, Place, Rope, Surroundings};
//! use muslin::material::Link;
//! use muslin::math::Vec3;
//! use muslin::solvers::ImplicitEulerConfig;
//! use muslin::world::World;
//!
//! let scale = Net {
//!     particles: vec![Vec3::ZERO, Vec3::Z * -1.0],
//!     springs: vec![NetSpring {
//!         ends: [0, 1],
//!         link: Link { stiffness: 200.0, damping: 10.0, ..Link::default() },
//!         rest_length: Some(1.0),
//!         family: None,
//!     }],
//!     mass: Mass::Each(2.0), // kg
//!     pins: vec![Pin::at(Place::Particles(vec![0]))],
//!     ..Net::default()
//! };
//! let rope = Rope { from: Vec3::X, to: Vec3::X * 2.0, pins: vec![Pin::at(Place::Corners)], ..Rope::default() };
//! let mut builder = Builder::default();
//! builder.add_net(&scale)?;
//! builder.add_rope(&rope)?;
//! let (model, state) = builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
//! let mut world = World::new(model, state, &ImplicitEulerConfig::default().into(), 0.01);
//! for _ in 0..1000 {
//!     world.step()?;
//! }
//! let expected = -1.0 - 2.0 * 9.81 / 200.0; // L + m g/k
//! assert!((world.state.positions[1].z - expected).abs() < 1e-6);
//! assert!(world.state.positions[2 + 10].z < 0.0, "the middle of the rope sags");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Steps of changing length
//!
//! [`World::step_by`](world::World::step_by) takes a step of any length. Most methods do not mind. Position Verlet does:
//! it takes the way of the last step for the way of the next.
//!
//! ```
//! use muslin::builder::{Builder, Mass, Net, Surroundings};
//! use muslin::math::Vec3;
//! use muslin::solver::SolverConfig;
//! use muslin::world::World;
//!
//! let stone = Net { particles: vec![Vec3::ZERO], mass: Mass::Each(1.0), ..Net::default() };
//! let mut builder = Builder::default();
//! builder.add_net(&stone)?;
//! let (model, mut state) = builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
//! state.velocities[0].z = 10.0; // m/s
//! let error = |name: &str| {
//!     let mut world = World::new(model.clone(), state.clone(), &SolverConfig::named(name).unwrap(), 0.0);
//!     for h in [0.1, 0.2, 0.05, 0.3, 0.1, 0.25] {
//!         world.step_by(h).expect("a stone cannot diverge");
//!     }
//!     let t = world.state.time; // 1 s
//!     (world.state.positions[0].z - (10.0 * t - 0.5 * 9.81 * t * t)).abs()
//! };
//! assert!(error("velocity-verlet") < 1e-12);
//! assert!(error("time-corrected-verlet") < 1e-12);
//! assert!(error("position-verlet") > 1.0, "wrong by more than a metre");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The same bits again
//!
//! The same model, method and steps give the same state to the last bit, on any number of threads.
//!
//! ```
//! use muslin::builder::{Builder, Pin, Place, Resolution, Sheet, Surroundings};
//! use muslin::hash::state_hash;
//! use muslin::math::Vec3;
//! use muslin::solver::SolverConfig;
//! use muslin::solvers::VelocityVerletConfig;
//! use muslin::threads;
//! use muslin::world::World;
//!
//! let sheet = Sheet {
//!     resolution: Resolution::Cells([60, 60]), // large enough to be shared between threads
//!     pins: vec![Pin::at(Place::Corners)],
//!     ..Sheet::default()
//! };
//! let mut builder = Builder::default();
//! builder.add_sheet(&sheet)?;
//! let (model, state) = builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
//! let hash_on = |count: usize| {
//!     threads::with_count(count, || {
//!         let method: SolverConfig = VelocityVerletConfig::default().into();
//!         let mut world = World::new(model.clone(), state.clone(), &method, 5e-5);
//!         for _ in 0..20 {
//!             world.step().expect("a step that is small enough");
//!         }
//!         state_hash(&world.state)
//!     })
//! };
//! assert_eq!(hash_on(1), hash_on(4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # When it goes wrong
//!
//! A step that is too long for an explicit method makes positions explode. That is a result, not a panic: a step returns
//! [`Diverged`](world::Diverged), which says when and where. [`stability`] tells what step linear theory allows.
//!
//! ```
//! use muslin::builder::{Builder, Pin, Place, Sheet, Surroundings};
//! use muslin::math::{Real, Vec3};
//! use muslin::solver::SolverConfig;
//! use muslin::solvers::VelocityVerletConfig;
//! use muslin::stability::largest_stable_step;
//! use muslin::world::{StepError, World};
//!
//! let mut builder = Builder::default();
//! builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
//! let (model, state) = builder.finish(&Surroundings { gravity: Vec3::Z * -9.81, ..Surroundings::default() })?;
//! let method: SolverConfig = VelocityVerletConfig::default().into();
//! let limit = largest_stable_step(&model, &state.positions, &method).expect("explicit methods have one"); // s
//!
//! let run = |dt: Real| -> Result<(), StepError> {
//!     let mut world = World::new(model.clone(), state.clone(), &method, dt);
//!     (0..400).try_for_each(|_| world.step().map(|_| ()))
//! };
//! let Err(StepError::Diverged(diverged)) = run(2.0 * limit) else { panic!("twice the limit is too much") };
//! assert!(diverged.step <= 400 && diverged.particle < model.len());
//! assert!(diverged.to_string().starts_with("diverged at step"));
//! assert!(run(0.8 * limit).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where to go on
//!
//! [`solver`] lists the methods and [`solvers`] holds them, one per file. [`elements`] says what an element is. [`measure`] and
//! [`hash`] read results. [`threads`] says how many threads serve.

pub mod apparent_stiffness;
pub mod body;
pub mod budget;
mod build_error;
pub mod builder;
#[cfg(feature = "checkpoint")]
pub mod checkpoint;
pub mod command;
mod command_error;
pub mod contact;
pub mod contact_law;
pub mod contact_memory;
mod discretize;
mod edit;
pub mod elements;
pub mod forces;
pub mod hash;
pub mod history;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals;
mod lagged;
pub mod material;
pub mod math;
pub mod measure;
pub mod mesh;
pub mod model;
mod par;
#[cfg_attr(
    not(feature = "internals"),
    allow(dead_code, reason = "some of it is for tests, benchmarks and the lab only")
)]
mod parts;
pub mod prelude;
pub mod profile;
mod recording;
mod remap;
mod remesh;
mod revisions;
pub mod rigid;
pub mod script;
pub mod seam;
pub mod shape;
#[cfg_attr(
    not(feature = "internals"),
    allow(dead_code, reason = "some of it is for tests, benchmarks and the lab only")
)]
mod simd;
pub mod sleep;
pub mod sleep_memory;
pub mod solver;
pub mod solvers;
pub mod stability;
pub mod state;
pub mod stencil;
pub mod step;
pub mod strain_limit;
pub mod tear;
pub mod threads;
mod torn;
pub mod world;

/// The library example on the front page of the repository runs as a test, too.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct FrontPage;
