//! The world of the awake part: what steps while the rest of the cloth sleeps.
//!
//! ```text
//! awake     the particles of awake patches
//! pinned    particles that share an element or a face with them; of patches that they could touch, the surface
//! elements  those of awake particles
//! faces     those with an awake corner, or a corner in a patch that could be touched
//! ```
//!
//! Particles keep their order, and so do elements, faces and contacts.

use crate::contact_law::{ContactLaw, SurfaceContact};
use crate::contact_memory::{ContactMemory, WarmStart};
use crate::elements::{Element, ElementVisitor, Elements};
use crate::forces::{Forces, PointLoad, Wind};
use crate::math::Real;
use crate::mesh::Face;
use crate::model::{Model, ModelData};
use crate::script::{PinMove, Script};
use crate::sleep_memory::{Phase, merge};
use crate::state::State;
use crate::stencil::{Kind, Stencil};
use crate::step::StepReport;
use crate::world::{Diverged, StepError, World};

const NONE: u32 = u32::MAX;

/// A world of the awake particles and of what they could touch.
#[derive(Clone, Debug)]
pub(crate) struct AwakePart {
    /// It steps in place of the whole.
    pub world: World,
    /// The patches of the whole when it was made.
    phases: Vec<Phase>,
    /// Numbers in the whole of its particles and of its cloth's triangles.
    particles: Vec<u32>,
    triangles: Vec<u32>,
    /// Which of its particles are awake.
    awake: Vec<u32>,
    /// How many particles and triangles of cloth the whole has.
    whole: [u32; 2],
}

impl AwakePart {
    /// Of a whole whose patches are in these phases; takes the contacts of awake particles from it.
    pub fn of(whole: &mut World, thickness: Real) -> Self {
        let phases: Vec<Phase> = whole.state.sleep.patches.iter().map(|patch| patch.phase).collect();
        let patch_of = &whole.state.sleep.patch_of;
        let phase = |p: u32| phases[patch_of[p as usize] as usize];
        let chosen = Chosen::of(&whole.model, phase);
        let data = part_of(&whole.model, &chosen, thickness);
        let is_awake = |&k: &u32| phase(chosen.particles[k as usize]) == Phase::Awake;
        let awake = (0..chosen.particles.len() as u32).filter(is_awake).collect();
        let model = Model::from(data).in_place_of(&whole.model);
        let mut world = World::new(model, State::default(), &whole.config, whole.dt);
        world.reach = whole.reach;
        let Chosen { particles, triangles, .. } = chosen;
        let whole_triangles = triangle_count(&whole.model.faces);
        let mut part = Self {
            world,
            phases,
            particles,
            triangles,
            awake,
            whole: [whole.model.len() as u32, whole_triangles],
        };
        part.take_state(&mut whole.state);
        part
    }

    /// Whether it is still the part of a whole whose pins and elements are what they were.
    pub fn fits(&self, whole: &World) -> bool {
        let phases = whole.state.sleep.patches.iter().map(|patch| patch.phase);
        let [own, loads] = [&self.world.model, &whole.model].map(|model| &model.forces.loads);
        let is_same =
            |(own, load): (&PointLoad, &PointLoad)| own.force == load.force && own.profile == load.profile;
        self.phases.iter().copied().eq(phases)
            && own.len() == loads.len()
            && own.iter().zip(loads).all(is_same)
    }

    /// Whether nothing is awake.
    pub fn is_empty(&self) -> bool {
        self.awake.is_empty()
    }

    /// Positions, velocities and pasts of its particles; and the contacts of awake ones.
    fn take_state(&mut self, whole: &mut State) {
        let gathered = |list: &[_]| self.particles.iter().map(|&p| list[p as usize]).collect();
        self.world.state = State {
            positions: gathered(&whole.positions),
            velocities: gathered(&whole.velocities),
            history: whole.history.part(&self.particles),
            contact: ContactMemory { contacts: Vec::new(), ..whole.contact.without_particles() },
            ..State::default()
        };
        let State { contact, sleep, .. } = whole;
        merge(&mut contact.contacts, &mut sleep.contacts);
        let (mut awake, mut asleep) = (Vec::new(), Vec::new());
        for row in contact.contacts.drain(..) {
            let is_awake =
                |&v: &u32| sleep.patch_of.get(v as usize).is_some_and(|_| !sleep.is_asleep(v as usize));
            if row.stencil.vertices.iter().any(is_awake) { awake.push(row) } else { asleep.push(row) }
        }
        sleep.contacts = asleep;
        let rows = awake
            .iter()
            .filter_map(|row| Some(WarmStart { stencil: self.stencil_in_part(&row.stencil)?, ..*row }));
        self.world.state.contact.contacts = rows.collect();
        contact.contacts = awake;
        // Others move particles now: bounds of the whole no longer hold.
        contact.end_positions.clear();
    }

    /// Steps in place of the whole, from what it says of time, bodies, solids and pins.
    pub fn step(&mut self, whole: &mut World, h: Real, solver_steps: u32) -> Result<StepReport, StepError> {
        let (world, state) = (&mut self.world, &whole.state);
        world.heat_interval = whole.heat_interval;
        world.state.bodies.clone_from(&state.bodies);
        world.state.pin_clocks.clone_from(&state.pin_clocks);
        (world.state.time, world.state.steps) = (state.time, state.steps);
        (world.state.dissipated, world.state.uncounted) = (state.dissipated, state.uncounted);
        let contacts = std::mem::take(&mut world.state.contact.contacts);
        let end_positions = std::mem::take(&mut world.state.contact.end_positions);
        world.state.contact = ContactMemory { contacts, end_positions, ..state.contact.without_particles() };
        if let Some(clock) = whole.clock {
            world.use_clock(clock);
        }
        world.travel = Some(0.0);
        std::mem::swap(&mut world.collisions, &mut whole.collisions);
        let result = world.advance(h, solver_steps);
        std::mem::swap(&mut world.collisions, &mut whole.collisions);
        result.map_err(|error| match error {
            StepError::Diverged(lost) => {
                let count = self.particles.len();
                let particle = self.particles.get(lost.particle).map_or_else(
                    || lost.particle - count + self.whole[0] as usize,
                    |&particle| particle as usize,
                );
                StepError::Diverged(Diverged { particle, ..lost })
            }
            StepError::NoStep { .. } => error,
        })
    }

    /// Writes what it did to the whole.
    pub fn write_back(&self, whole: &mut State) {
        let state = &self.world.state;
        for &k in &self.awake {
            let p = self.particles[k as usize] as usize;
            whole.positions[p] = state.positions[k as usize];
            whole.velocities[p] = state.velocities[k as usize];
        }
        let State { positions, velocities, history, .. } = whole;
        history.take_part(&state.history, &self.particles, &self.awake, [positions, velocities]);
        whole.bodies.clone_from(&state.bodies);
        whole.pin_clocks.clone_from(&state.pin_clocks);
        (whole.time, whole.steps) = (state.time, state.steps);
        (whole.dissipated, whole.uncounted) = (state.dissipated, state.uncounted);
        let rows = state.contact.contacts.iter();
        let contacts = rows.map(|row| WarmStart { stencil: self.stencil_in_whole(&row.stencil), ..*row });
        whole.contact = ContactMemory { contacts: contacts.collect(), ..state.contact.without_particles() };
    }

    /// Where solids bear on faces with a point or an edge: the corners of the faces, and how large these may be [m].
    pub fn bearings(&self) -> Vec<(Vec<u32>, Real)> {
        if self.world.surface_contact().is_none() {
            return Vec::new();
        }
        let mut bearings = self.world.contacts.bearings(&self.world.state);
        for p in bearings.iter_mut().flat_map(|(corners, _)| corners) {
            *p = self.particles[*p as usize];
        }
        bearings
    }

    /// A pair of the whole, if all of it is here.
    fn stencil_in_part(&self, stencil: &Stencil) -> Option<Stencil> {
        let place = |list: &[u32], of_whole: u32, number: u32| {
            if number >= of_whole {
                return Some(number - of_whole + list.len() as u32);
            }
            list.binary_search(&number).ok().map(|k| k as u32)
        };
        let mut found = *stencil;
        for v in &mut found.vertices {
            *v = place(&self.particles, self.whole[0], *v)?;
        }
        if let Kind::VertexTriangle { triangle } = &mut found.kind {
            *triangle = place(&self.triangles, self.whole[1], *triangle)?;
        }
        Some(found)
    }

    /// A pair of the part, by the numbers of the whole.
    fn stencil_in_whole(&self, stencil: &Stencil) -> Stencil {
        let number = |list: &[u32], of_whole: u32, k: u32| {
            list.get(k as usize).copied().unwrap_or_else(|| k - list.len() as u32 + of_whole)
        };
        let mut found = *stencil;
        found.vertices = found.vertices.map(|v| number(&self.particles, self.whole[0], v));
        if let Kind::VertexTriangle { triangle } = &mut found.kind {
            *triangle = number(&self.triangles, self.whole[1], *triangle);
        }
        found
    }
}

/// What of a model is in the part.
struct Chosen<P> {
    /// The particles, ascending.
    particles: Vec<u32>,
    /// Where each particle of the whole is among them.
    places: Vec<u32>,
    faces: Vec<Face>,
    /// Numbers of their triangles.
    triangles: Vec<u32>,
    elements: Elements,
    phase: P,
}

impl<P: Fn(u32) -> Phase + Copy> Chosen<P> {
    fn of(model: &Model, phase: P) -> Self {
        let is_awake = |p: u32| phase(p) == Phase::Awake;
        let is_in_reach = |p: u32| phase(p) != Phase::Asleep;
        let mut is_in = vec![false; model.len()];
        let mut has_face = vec![false; model.len()];
        let (mut faces, mut triangles, mut next) = (Vec::new(), Vec::new(), 0);
        for face in &model.faces {
            let count = face.triangles().count() as u32;
            face.corners().iter().for_each(|&p| has_face[p as usize] = true);
            if face.corners().iter().any(|&p| is_in_reach(p)) {
                faces.push(*face);
                triangles.extend(next..next + count);
                face.corners().iter().for_each(|&p| is_in[p as usize] = true);
            }
            next += count;
        }
        let mut elements = model.elements.touching(is_awake);
        let is_thread = |ends: &[u32; 2]| {
            ends.iter().any(|&p| phase(p) == Phase::Near) && ends.iter().any(|&p| !has_face[p as usize])
        };
        elements.append(
            model.elements.threads_among(|ends| !ends.iter().any(|&p| is_awake(p)) && is_thread(ends)),
        );
        elements.accept(&mut Mark(&mut is_in));
        let mut is_within = vec![false; model.len()];
        for &p in model.elements.tets.iter().flat_map(|tet| &tet.corners) {
            is_within[p as usize] = !has_face[p as usize];
        }
        for p in 0..model.len() as u32 {
            // What is inside a block touches nothing.
            let is_touchable = phase(p) == Phase::Near && !is_within[p as usize];
            is_in[p as usize] |= is_awake(p) || is_touchable;
        }
        let particles: Vec<u32> = (0..model.len() as u32).filter(|&p| is_in[p as usize]).collect();
        let mut places = vec![NONE; model.len()];
        for (k, &p) in particles.iter().enumerate() {
            places[p as usize] = k as u32;
        }
        Self { particles, places, faces, triangles, elements, phase }
    }

    fn gathered<T: Copy>(&self, list: &[T]) -> Vec<T> {
        if list.is_empty() { Vec::new() } else { self.particles.iter().map(|&p| list[p as usize]).collect() }
    }
}

/// Marks the particles of elements.
struct Mark<'a>(&'a mut [bool]);

impl ElementVisitor for Mark<'_> {
    fn visit<const N: usize, const M: usize, E: Element<N, M>>(&mut self, elements: &[E]) {
        elements.iter().flat_map(Element::particles).for_each(|p| self.0[p] = true);
    }
}

/// The model of the part. Contact keeps the thickness of the whole [m].
fn part_of<P: Fn(u32) -> Phase + Copy>(model: &Model, chosen: &Chosen<P>, thickness: Real) -> ModelData {
    let place = |p: u32| chosen.places[p as usize];
    let is_awake = |p: u32| (chosen.phase)(p) == Phase::Awake;
    let inverse = |&p: &u32| if is_awake(p) { model.inverse_masses[p as usize] } else { 0.0 };
    let awake_places = |list: &[u32]| list.iter().copied().filter(|&p| is_awake(p)).map(place).collect();
    let forces = Forces {
        gravity: model.forces.gravity,
        drag: chosen.gathered(&model.forces.drag),
        wind: model.forces.wind.as_ref().map(|wind| Wind {
            velocity: wind.velocity,
            profile: wind.profile.clone(),
            coefficients: chosen.gathered(&wind.coefficients),
        }),
        loads: model
            .forces
            .loads
            .iter()
            .map(|load| PointLoad { particles: awake_places(&load.particles), ..load.clone() })
            .collect(),
    };
    let moves = model.script.moves.iter().map(|group| {
        let pins = group.particles.iter().zip(&group.start).filter(|(p, _)| is_awake(**p));
        let (particles, start) = pins.map(|(&p, &start)| (place(p), start)).unzip();
        PinMove { particles, start, motion: group.motion.clone() }
    });
    let contact = match model.contact {
        ContactLaw::Surface(law) => ContactLaw::Surface(SurfaceContact { thickness: Some(thickness), ..law }),
        other => other,
    };
    ModelData {
        masses: chosen.gathered(&model.masses),
        inverse_masses: chosen.particles.iter().map(inverse).collect(),
        rest_positions: chosen.gathered(&model.rest_positions),
        elements: chosen.elements.clone().renumbered(place),
        forces,
        faces: chosen.faces.iter().map(|face| face.renumbered(place)).collect(),
        script: Script { moves: moves.collect() },
        bodies: model.bodies.clone(),
        contact,
        strain_limit: model.strain_limit,
        ..ModelData::default()
    }
}

fn triangle_count(faces: &[Face]) -> u32 {
    faces.iter().map(|face| face.triangles().count() as u32).sum()
}
