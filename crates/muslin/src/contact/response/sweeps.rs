//! Gauss–Seidel sweeps over constraints without rigid bodies, packed for speed: see `constraint.rs` for what a constraint does.
//!
//! The vertices that constraints act on are numbered anew, so that they and the constraints fit the nearest caches, and vectors have four
//! components, of which the last is zero.

use super::constraint::ContactConstraint;
use crate::contact::friction;
use crate::contact::settings::WAKE;
use crate::math::{Real, Vec3};
use crate::simd::vector::quad;
use crate::simd::{self, Kernel, Quad, Width};

/// Space for sweeps.
#[derive(Clone, Debug, Default)]
pub struct Sweeps {
    contacts: Vec<Contact>,
    /// The vertices of the contacts, by their own numbers, and where they are to go [m].
    vertices: Vec<u32>,
    y: Vec<Quad<f64>>,
    /// Where each vertex is among these, if it is.
    places: Vec<Option<u32>>,
    /// The last sweep, counted from 1, in which a constraint moved the vertex at each place by more than [`WAKE`] tolerances.
    last_moved: Vec<u32>,
}

/// A constraint, packed.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// Places of the four vertices.
    pub places: [u32; 4],
    /// w, and w/m [1/kg].
    pub weights: [Real; 4],
    pub shares: [Real; 4],
    /// n.
    pub normal: Quad<f64>,
    /// Σ w y without any slip [m].
    pub no_slip: Quad<f64>,
    /// How much of that is along the normal [m].
    pub no_slip_height: Real,
    /// d [m].
    pub distance: Real,
    /// 1/W, the same across the normal [kg], and W [1/kg].
    pub mass: Real,
    pub friction_mass: Real,
    pub mobility: Real,
    /// μ.
    pub friction: Real,
    /// λ and τ [kg m].
    pub normal_impulse: Real,
    pub friction_impulse: Quad<f64>,
}

impl Sweeps {
    /// Lets constraints move y, in sweeps, until none moves anything by more than `tolerance` [m], or `sweeps` are done.
    pub fn run(
        &mut self,
        constraints: &mut [ContactConstraint],
        inverse_masses: &[Real],
        y: &mut [Vec3],
        tolerance: Real,
        sweeps: u32,
    ) {
        let Self { contacts, vertices, y: packed, places, last_moved } = self;
        places.resize(y.len(), None);
        contacts.clear();
        for constraint in &*constraints {
            let places = constraint.closest.stencil.vertices.map(|v| {
                *places[v as usize].get_or_insert_with(|| {
                    vertices.push(v);
                    packed.push(quad(y[v as usize]));
                    packed.len() as u32 - 1
                })
            });
            contacts.push(constraint.packed(places, inverse_masses));
        }
        last_moved.clear();
        last_moved.resize(packed.len(), 0);
        simd::run(SweepKernel { contacts, y: packed, last_moved, tolerance, sweeps });
        for (constraint, contact) in constraints.iter_mut().zip(&*contacts) {
            constraint.take(contact);
        }
        for (v, [x, y_, z, _]) in vertices.drain(..).zip(packed.drain(..)) {
            y[v as usize] = Vec3::new(x, y_, z);
            places[v as usize] = None;
        }
    }
}

struct SweepKernel<'a> {
    contacts: &'a mut [Contact],
    y: &'a mut [Quad<f64>],
    last_moved: &'a mut [u32],
    tolerance: Real,
    sweeps: u32,
}

impl Kernel for SweepKernel<'_> {
    type Output = ();

    #[inline(always)]
    fn run<W: Width>(self) {
        let Self { contacts, y, last_moved, tolerance, sweeps } = self;
        let (all, counts) = (tolerance.powi(2), (WAKE * tolerance).powi(2));
        for sweep in 1..=sweeps {
            let mut largest: Real = 0.0;
            for contact in contacts.iter_mut() {
                // No vertex of it has moved since it was solved last: it would do nothing.
                let last = contact.places.iter().fold(0, |last, &place| last_moved[place as usize].max(last));
                if last + 1 < sweep {
                    continue;
                }
                let moved = contact.solve(y);
                if moved > counts {
                    for k in (0..4).filter(|&k| contact.shares[k] != 0.0) {
                        last_moved[contact.places[k] as usize] = sweep;
                    }
                }
                largest = largest.max(moved);
            }
            if largest <= all {
                return;
            }
        }
    }
}

#[inline(always)]
fn dot(a: Quad<f64>, b: Quad<f64>) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a + b t.
#[inline(always)]
fn along(a: Quad<f64>, b: Quad<f64>, t: Real) -> Quad<f64> {
    [a[0] + b[0] * t, a[1] + b[1] * t, a[2] + b[2] * t, a[3] + b[3] * t]
}

impl Contact {
    /// One sweep; the square of how far it moved the contact [m²].
    #[inline(always)]
    fn solve(&mut self, y: &mut [Quad<f64>]) -> Real {
        let [p, q, r, s] = self.places;
        let [a, b, c, d] = [y[p as usize], y[q as usize], y[r as usize], y[s as usize]];
        let mut difference = [0.0; 4];
        for k in 0..4 {
            difference[k] = (a[k] * self.weights[0] + b[k] * self.weights[1])
                + (c[k] * self.weights[2] + d[k] * self.weights[3]);
        }
        let normal = self.normal;
        let height = dot(normal, difference);
        let excess = height - self.distance;
        if excess > 0.0 && self.normal_impulse == 0.0 {
            return 0.0;
        }
        let normal_impulse = (self.normal_impulse - excess * self.mass).max(0.0);
        let mut impulse = along([0.0; 4], normal, normal_impulse - self.normal_impulse);
        self.normal_impulse = normal_impulse;
        if self.friction > 0.0 {
            let displacement = along(difference, self.no_slip, -1.0);
            let slip = along(displacement, normal, self.no_slip_height - height);
            let friction_impulse = friction::accumulated(
                self.friction_impulse,
                slip,
                self.friction_mass,
                self.friction,
                normal_impulse,
            );
            impulse = along(along(impulse, friction_impulse, 1.0), self.friction_impulse, -1.0);
            self.friction_impulse = friction_impulse;
        }
        for k in 0..4 {
            // What cannot move is left alone, so that the next constraint need not wait for it. One after the other: at a wall they are
            // all the same.
            if self.shares[k] != 0.0 {
                let place = &mut y[self.places[k] as usize];
                *place = along(*place, impulse, self.shares[k]);
            }
        }
        dot(impulse, impulse) * (self.mobility * self.mobility)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::closest_points::ClosestPoints;
    use crate::contact::response::constraint::{self, Acted};
    use crate::stencil::Stencil;

    /// Particles over a wall and over triangles that share corners, pressed and dragged: both kernels give the same results.
    #[test]
    fn packed_constraints_equal_those_with_bodies() {
        let x: Vec<Vec3> = (0..12)
            .map(|k| Vec3::new((k % 4) as Real, (k / 4) as Real, 0.1 * (1.3 * k as Real).sin()))
            .collect();
        let inverse_masses: Vec<Real> =
            (0..12).map(|k| if k == 5 { 0.0 } else { 1.0 + 0.1 * k as Real }).collect();
        let triangles = [[8, 0, 1, 4], [9, 1, 5, 4], [10, 1, 2, 5], [11, 2, 3, 6]];
        let nears = triangles.map(|vertices| ClosestPoints::of(Stencil::of_first(vertices, 1), &x));
        let walls = [3, 7, 8].map(|v| ClosestPoints::wall(v, 0, Vec3::Z));
        let all = nears.into_iter().chain(walls);
        let mut constraints: Vec<ContactConstraint> = all
            .map(|closest| {
                ContactConstraint::new(
                    closest,
                    &inverse_masses,
                    (None, &[]),
                    closest.distance.min(0.05) + 0.02,
                    0.4,
                )
                .unwrap()
            })
            .collect();
        let down = |x: &Vec3| *x + Vec3::new(0.03, -0.01, -0.2);
        let (mut y, mut packed_y): (Vec<Vec3>, Vec<Vec3>) =
            (x.iter().map(down).collect(), x.iter().map(down).collect());
        constraint::begin(&mut constraints, &x, 1.0);
        let mut packed = constraints.clone();
        let mut on = Acted { inverse_masses: &inverse_masses, y: &mut y, bodies: &mut [] };
        constraint::solve(&mut constraints, &mut on, 0.0, 7);
        Sweeps::default().run(&mut packed, &inverse_masses, &mut packed_y, 0.0, 7);
        assert!(y.iter().zip(&packed_y).all(|(a, b)| a.distance(*b) < 1e-13), "{y:?} {packed_y:?}");
        assert!(y.iter().zip(&x).any(|(a, b)| a.distance(down(b)) > 0.01));
        for (constraint, packed) in constraints.iter().zip(&packed) {
            assert!(
                (constraint.normal_impulse - packed.normal_impulse).abs() < 1e-13
                    && constraint.friction_impulse.distance(packed.friction_impulse) < 1e-13
            );
        }
    }
}
