//! Commands: what a user may do to a world between two steps, while it runs.
//!
//! ```text
//! targets        pins and colliders go there within the next step; contact lets them get as far as is safe
//! grabs          springs without length from a particle to a target: the spring enters matrices once, its target never does
//! re-factored    cut, pin, unpin, grab, release, stiffness, solver, step, the wind's coefficient
//!                not: targets, gravity, the wind's velocity, friction, solids, bodies
//! ```

use crate::body::{BodyState, Pose, RigidBody};
use crate::build_error::LARGEST;
use crate::builder::{BodyDescription, check_solids};
use crate::contact::Owner;
use crate::contact_law::ContactLaw;
use crate::discretize::check_pressure;
use crate::elements::{Attachment, PressureLaw};
use crate::forces::Wind;
use crate::math::{Real, Vec3};
use crate::mesh::influence_areas;
use crate::model::{Model, PartId};
use crate::parts::bodies::Bodies;
use crate::profile::Profile;
use crate::script::{Motion, PinMove};
use crate::seam::Seam;
use crate::shape::Collider;
use crate::solver::SolverConfig;
use crate::tear::Sweep;
use crate::world::World;

pub use crate::command_error::CommandError;
pub use crate::recording::Recording;

/// Something to do between two steps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Command {
    /// Pinned particles go to targets [m], one each, within the next step.
    MovePins {
        /// The particles; all of them pinned.
        particles: Vec<u32>,
        /// Where to [m].
        targets: Vec<Vec3>,
    },
    /// A collider goes to a pose within the next step: what its shape has at x goes to `pose.place(x)`. Its script ends.
    MoveCollider {
        /// Its number.
        collider: usize,
        /// Where to.
        pose: Pose,
    },
    /// Holds particles where they are.
    Pin(Vec<u32>),
    /// Lets particles go.
    Unpin(Vec<u32>),
    /// Ties a particle to a target [m] by a spring without length; one that is grabbed already only gets the new target.
    Grab {
        /// The particle.
        particle: u32,
        /// Where to [m].
        target: Vec3,
        /// k [N/m]; if none is given, all the cloth hangs from it a millimetre below.
        stiffness: Option<Real>,
    },
    /// Lets a grabbed particle go.
    Release(u32),
    /// g [m/s²].
    SetGravity(Vec3),
    /// The wind.
    SetWind {
        /// Its velocity [m/s].
        velocity: Vec3,
        /// How it presses on the surface [kg/(s·m²)].
        coefficient: Real,
    },
    /// Coulomb's coefficient of all contacts.
    SetFriction(Real),
    /// Makes a part stiffer or softer: stiffnesses and moduli of springs, membranes, hinges and tetrahedra, and their damping, times a
    /// factor; rods, attachments and pressures stay.
    ScaleStiffness {
        /// Which part.
        part: PartId,
        /// By how much; greater than 0.
        factor: Real,
    },
    /// What presses inside a closed surface.
    SetPressure {
        /// Number of the surface, among those with a pressure.
        surface: usize,
        /// Its law.
        law: PressureLaw,
    },
    /// Adds a collider; refused where the cloth is in its way.
    AddCollider(Collider),
    /// Removes the collider with this number; those behind it move up.
    RemoveCollider(usize),
    /// Adds a rigid body; refused where the cloth is in its way.
    AddBody(BodyDescription),
    /// Removes the rigid body with this number; those behind it move up.
    RemoveBody(usize),
    /// Cuts cloth along edges, from particle to particle; see [`World::cut`].
    Cut(Vec<u32>),
    /// Cuts cloth where a blade sweeps through it; see [`World::slice`].
    Slice(Vec<Sweep>),
    /// Begins to sew two borders together; see [`World::sew`].
    Sew(Seam),
    /// Makes one particle of each pair; see [`World::join`].
    Join(Vec<[u32; 2]>),
    /// Another method, which starts anew from positions and velocities.
    SetSolver(SolverConfig),
    /// Another step: its length [s] and how many solver steps it has.
    SetStep {
        /// Length [s].
        dt: Real,
        /// Solver steps.
        substeps: u32,
    },
}

impl Command {
    /// The particles that it concerns, if not all that there are: what sleeps elsewhere sleeps on.
    fn named(&self) -> Option<&[u32]> {
        match self {
            Self::MovePins { particles, .. } | Self::Pin(particles) | Self::Unpin(particles) => {
                Some(particles)
            }
            Self::Grab { particle, .. } | Self::Release(particle) => Some(std::slice::from_ref(particle)),
            Self::MoveCollider { .. } | Self::SetStep { .. } => Some(&[]),
            _ => None,
        }
    }
}

impl World {
    /// Carries out a command, between two steps.
    ///
    /// ```
    /// use muslin::prelude::*;
    ///
    /// let mut builder = Builder::default();
    /// builder.add_sheet(&Sheet { pins: vec![Pin::at(Place::Corners)], ..Sheet::default() })?;
    /// let (model, state) = builder.finish(&Surroundings::default())?;
    /// let mut world = World::new(model, state, &SolverConfig::default(), 1.0 / 60.0);
    /// world.step()?;
    /// world.apply(&Command::Grab { particle: 220, target: Vec3::new(0.5, 0.5, 0.1), stiffness: None })?;
    /// for _ in 0..120 {
    ///     world.step()?;
    /// }
    /// let z = world.state.positions[220].z;
    /// assert!((z - 0.1).abs() < 5e-3, "at {z} m");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        let revisions = *self.model.revisions();
        self.carry_out(command)?;
        self.wake_for(command.named(), revisions);
        Ok(())
    }

    fn carry_out(&mut self, command: &Command) -> Result<(), CommandError> {
        match command {
            Command::MovePins { particles, targets } => self.move_pins(particles, targets),
            Command::MoveCollider { collider, pose } => self.move_collider(*collider, pose),
            Command::Pin(particles) => self.pin(particles),
            Command::Unpin(particles) => self.unpin(particles),
            Command::Grab { particle, target, stiffness } => self.grab(*particle, *target, *stiffness),
            Command::Release(particle) => self.release(*particle),
            Command::SetGravity(gravity) => {
                finite("gravity", *gravity)?;
                self.model.set_gravity(*gravity);
                Ok(())
            }
            Command::SetWind { velocity, coefficient } => self.set_wind(*velocity, *coefficient),
            Command::SetFriction(friction) => self.set_friction(*friction),
            Command::ScaleStiffness { part, factor } => self.scale_stiffness(*part, *factor),
            Command::SetPressure { surface, law } => {
                let count = self.model.elements.pressures.len();
                if *surface >= count {
                    return Err(missing("surface", *surface, count));
                }
                check_pressure(law)?;
                self.model.set_pressure(*surface, *law);
                Ok(())
            }
            Command::AddCollider(collider) => self.add_collider(collider),
            Command::RemoveCollider(k) => self.remove_collider(*k),
            Command::AddBody(body) => self.add_body(body),
            Command::RemoveBody(k) => self.remove_body(*k),
            Command::Cut(path) => Ok(self.cut(path).map(drop)?),
            Command::Slice(sweeps) => Ok(self.slice(sweeps).map(drop)?),
            Command::Sew(seam) => Ok(self.sew(seam).map(drop)?),
            Command::Join(pairs) => Ok(self.join(pairs).map(drop)?),
            Command::SetSolver(config) => {
                self.use_solver(config);
                Ok(())
            }
            Command::SetStep { dt, substeps } => {
                within("dt", *dt, *dt > 0.0 && dt.is_finite(), "greater than 0 s")?;
                within("substeps", Real::from(*substeps), *substeps > 0, "at least 1")?;
                (self.dt, self.substeps) = (*dt, *substeps);
                Ok(())
            }
        }
    }

    fn move_pins(&mut self, particles: &[u32], targets: &[Vec3]) -> Result<(), CommandError> {
        if particles.len() != targets.len() {
            return Err(CommandError::Unequal { particles: particles.len(), targets: targets.len() });
        }
        for (k, &particle) in particles.iter().enumerate() {
            self.check_particle(particle)?;
            if particles[..k].contains(&particle) {
                return Err(CommandError::Twice(particle));
            }
            if !self.model.is_held(particle as usize) {
                return Err(CommandError::NotPinned(particle));
            }
        }
        targets.iter().try_for_each(|target| finite("target", *target))?;
        self.model.stop_pins(particles, &mut self.state.pin_clocks);
        let times = [self.state.time, self.state.time + self.dt];
        for (&particle, target) in particles.iter().zip(targets) {
            let start = self.state.positions[particle as usize];
            self.model.add_pin_move(PinMove {
                particles: vec![particle],
                start: vec![start],
                motion: Motion::Keyframes {
                    times: times.to_vec(),
                    positions: vec![Vec3::ZERO, *target - start],
                    rotations: Vec::new(),
                    center: Vec3::ZERO,
                },
            });
        }
        Ok(())
    }

    fn move_collider(&mut self, k: usize, pose: &Pose) -> Result<(), CommandError> {
        let now = self.collider_times();
        let count = now.len();
        let collider = self.model.colliders.get(k).ok_or(missing("collider", k, count))?;
        finite("pose", pose.center)?;
        within("rotation", pose.rotation.length(), pose.rotation.is_normalized(), "of length 1")?;
        // From where it really is, which may be behind its script.
        let frame = collider.motion.frame(now[k]);
        let motion = Motion::Keyframes {
            times: vec![self.state.time, self.state.time + self.dt],
            positions: vec![frame.place(Vec3::ZERO), pose.center],
            rotations: vec![frame.rotation.to_scaled_axis(), pose.rotation.to_scaled_axis()],
            center: Vec3::ZERO,
        };
        if matches!(self.model.contact, ContactLaw::Surface(_)) {
            Collider { motion: motion.clone(), ..collider.clone() }.check_tilt()?;
        }
        self.model.set_collider_motion(k, motion);
        if let Some(time) = self.state.contact.collider_times.get_mut(k) {
            *time = self.state.time;
        }
        Ok(())
    }

    fn pin(&mut self, particles: &[u32]) -> Result<(), CommandError> {
        particles.iter().try_for_each(|&particle| self.check_particle(particle))?;
        for &particle in particles {
            self.state.velocities[particle as usize] = Vec3::ZERO;
        }
        self.model.hold(particles, true);
        self.model.stop_pins(particles, &mut self.state.pin_clocks);
        Ok(())
    }

    fn unpin(&mut self, particles: &[u32]) -> Result<(), CommandError> {
        particles.iter().try_for_each(|&particle| self.check_particle(particle))?;
        self.model.hold(particles, false);
        self.model.stop_pins(particles, &mut self.state.pin_clocks);
        Ok(())
    }

    fn grab(&mut self, particle: u32, target: Vec3, stiffness: Option<Real>) -> Result<(), CommandError> {
        self.check_particle(particle)?;
        finite("target", target)?;
        if let Some(k) = stiffness {
            within("stiffness", k, k > 0.0 && k.is_finite(), "greater than 0 N/m")?;
        }
        if let Some(grab) = self.model.grab(particle)
            && stiffness.is_none_or(|stiffness| stiffness == grab.stiffness)
        {
            self.model.move_grab(particle, target);
            return Ok(());
        }
        let stiffness = stiffness.unwrap_or_else(|| stiffness_of_hand(&self.model, particle));
        let damping = 2.0 * (stiffness * self.model.masses[particle as usize]).sqrt();
        self.model.add_grab(Attachment { particle, point: target, stiffness, damping });
        Ok(())
    }

    fn release(&mut self, particle: u32) -> Result<(), CommandError> {
        if self.model.drop_grab(particle) { Ok(()) } else { Err(CommandError::NotGrabbed(particle)) }
    }

    fn set_wind(&mut self, velocity: Vec3, coefficient: Real) -> Result<(), CommandError> {
        finite("velocity", velocity)?;
        within(
            "coefficient",
            coefficient,
            coefficient >= 0.0 && coefficient.is_finite(),
            "0 kg/(s·m²) or more",
        )?;
        let areas = influence_areas(&self.model.faces, &self.model.rest_positions);
        let coefficients = areas.into_iter().map(|area| coefficient * area).collect();
        let wind = Wind { velocity, profile: Profile::default(), coefficients };
        self.model.change_forces(|forces| forces.wind = Some(wind));
        Ok(())
    }

    fn set_friction(&mut self, value: Real) -> Result<(), CommandError> {
        within("friction", value, value >= 0.0 && value.is_finite(), "0 or more")?;
        let mut law = self.model.contact;
        match &mut law {
            ContactLaw::Surface(law) => law.friction = value,
            ContactLaw::Projection { friction, .. } => *friction = value,
            _ => return Err(CommandError::NoFriction),
        }
        self.model.set_contact(law);
        Ok(())
    }

    fn scale_stiffness(&mut self, part: PartId, factor: Real) -> Result<(), CommandError> {
        within("factor", factor, factor > 0.0 && factor.is_finite(), "greater than 0")?;
        let count = self.model.parts.len();
        if part.0 >= count {
            return Err(missing("part", part.0, count));
        }
        self.model.scale_stiffness(part, factor);
        Ok(())
    }

    fn add_collider(&mut self, collider: &Collider) -> Result<(), CommandError> {
        collider.check()?;
        check_solids(&self.model.contact, true, !self.model.bodies.is_empty())?;
        if matches!(self.model.contact, ContactLaw::Surface(_)) {
            collider.check_tilt()?;
        }
        let mut other = self.clone();
        other.model.add_collider(collider.clone());
        other.check_place(Owner::Collider(self.model.colliders.len()))?;
        self.model.add_collider(collider.clone());
        Ok(())
    }

    fn remove_collider(&mut self, k: usize) -> Result<(), CommandError> {
        let count = self.model.colliders.len();
        if k >= count {
            return Err(missing("collider", k, count));
        }
        self.model.remove_collider(k);
        let times = &mut self.state.contact.collider_times;
        if k < times.len() {
            times.remove(k);
        }
        Ok(())
    }

    fn add_body(&mut self, description: &BodyDescription) -> Result<(), CommandError> {
        let (body, state) = description.build()?;
        check_solids(&self.model.contact, !self.model.colliders.is_empty(), true)?;
        let mut other = self.clone();
        other.push_body(body.clone(), state);
        other.check_place(Owner::Body(self.model.bodies.len()))?;
        self.push_body(body, state);
        Ok(())
    }

    fn push_body(&mut self, body: RigidBody, state: BodyState) {
        self.model.add_body(body);
        self.state.bodies.push(state);
    }

    fn remove_body(&mut self, k: usize) -> Result<(), CommandError> {
        let count = self.model.bodies.len();
        if k >= count {
            return Err(missing("body", k, count));
        }
        self.model.remove_body(k);
        self.state.bodies.remove(k);
        Ok(())
    }

    /// Whether something new is nowhere in the cloth, under contact of surfaces.
    fn check_place(&self, owner: Owner) -> Result<(), CommandError> {
        let faults = self.faults();
        let pair = faults.pairs.iter().find(|pair| pair.with == owner).map(|pair| pair.at);
        let inside = || faults.inside.iter().find(|inside| inside.of == owner).map(|inside| inside.at);
        pair.or_else(inside).map_or(Ok(()), |at| Err(CommandError::Intersects(at)))
    }

    fn check_particle(&self, particle: u32) -> Result<(), CommandError> {
        let count = self.model.len();
        if (particle as usize) < count { Ok(()) } else { Err(missing("particle", particle as usize, count)) }
    }
}

/// The stiffness by which all the cloth that hangs together with a particle is held a millimetre below the hand [N/m].
fn stiffness_of_hand(model: &Model, particle: u32) -> Real {
    const SAG: Real = 1e-3;
    const GRAVITY: Real = 9.81;
    let bodies = Bodies::of(model);
    let piece = bodies.iter().find(|piece| piece.contains(&particle)).unwrap_or(&[]);
    let mass: Real = piece.iter().map(|&p| model.masses[p as usize]).sum();
    mass * model.forces.gravity.length().max(GRAVITY) / SAG
}

fn missing(what: &'static str, number: usize, count: usize) -> CommandError {
    CommandError::Missing { what, number, count }
}

fn within(
    what: &'static str,
    value: Real,
    is_right: bool,
    allowed: &'static str,
) -> Result<(), CommandError> {
    if is_right { Ok(()) } else { Err(CommandError::OutOfRange { what, value: value.to_string(), allowed }) }
}

fn finite(what: &'static str, vector: Vec3) -> Result<(), CommandError> {
    let is_right = vector.is_finite() && vector.abs().max_element() <= LARGEST;
    let (value, allowed) = (vector.to_string(), "finite, and no coordinate above 1e60");
    if is_right { Ok(()) } else { Err(CommandError::OutOfRange { what, value, allowed }) }
}
