//! The lists of elements under edits: which are kept, in which order, with which numbers of particles.

use super::{Elements, SpringFamily};

impl Elements {
    /// The same with other numbers of their particles.
    #[must_use]
    pub(crate) fn renumbered(mut self, number: impl Fn(u32) -> u32) -> Self {
        let springs = self.springs.iter_mut().flat_map(|spring| &mut spring.ends);
        let rods = self.rods.iter_mut().flat_map(|rod| &mut rod.ends);
        let membranes = self.membranes.iter_mut().flat_map(|membrane| &mut membrane.corners);
        let corotated = self.corotated_membranes.iter_mut().flat_map(|membrane| &mut membrane.corners);
        let fibres = self.fibre_triangles.iter_mut().flat_map(|triangle| &mut triangle.corners);
        let hinges = self.hinges.iter_mut().flat_map(|hinge| &mut hinge.particles);
        let quadratic = self.quadratic_hinges.iter_mut().flat_map(|hinge| &mut hinge.particles);
        let tets = self.tets.iter_mut().flat_map(|tet| &mut tet.corners);
        let attachments = self.attachments.iter_mut().map(|attachment| &mut attachment.particle);
        let triangles = membranes.chain(corotated).chain(fibres);
        let all = springs.chain(rods).chain(triangles).chain(hinges).chain(quadratic);
        all.chain(tets).chain(attachments).for_each(|particle| *particle = number(*particle));
        self.pressures = self.pressures.into_iter().map(|pressure| pressure.renumbered(&number)).collect();
        self
    }

    /// Adds others behind these.
    pub(crate) fn append(&mut self, others: Self) {
        let Self {
            springs,
            membranes,
            corotated_membranes,
            fibre_triangles,
            hinges,
            quadratic_hinges,
            tets,
            attachments,
            pressures,
            rods,
        } = others;
        self.springs.extend(springs);
        self.membranes.extend(membranes);
        self.corotated_membranes.extend(corotated_membranes);
        self.fibre_triangles.extend(fibre_triangles);
        self.hinges.extend(hinges);
        self.quadratic_hinges.extend(quadratic_hinges);
        self.tets.extend(tets);
        self.attachments.extend(attachments);
        self.pressures.extend(pressures);
        self.rods.extend(rods);
    }

    /// Keeps of what surfaces are made of the elements with particles to keep; tethers, seams, tetrahedra, attachments and pressures stay.
    pub(crate) fn retain_of_surfaces(&mut self, is_kept: impl Fn(&[u32]) -> bool) {
        use SpringFamily::{Seam, Tether};
        self.springs.retain(|spring| matches!(spring.family, Tether | Seam) || is_kept(&spring.ends));
        self.rods.retain(|rod| is_kept(&rod.ends));
        self.membranes.retain(|membrane| is_kept(&membrane.corners));
        self.corotated_membranes.retain(|membrane| is_kept(&membrane.corners));
        self.fibre_triangles.retain(|triangle| is_kept(&triangle.corners));
        self.hinges.retain(|hinge| is_kept(&hinge.particles));
        self.quadratic_hinges.retain(|hinge| is_kept(&hinge.particles));
    }

    /// The elements that touch a particle for which `is_meant`.
    pub(crate) fn touching(&self, is_meant: impl Fn(u32) -> bool) -> Self {
        fn kept<T: Clone>(list: &[T], is_kept: impl Fn(&T) -> bool) -> Vec<T> {
            list.iter().filter(|element| is_kept(element)).cloned().collect()
        }
        let any = |particles: &[u32]| particles.iter().any(|&p| is_meant(p));
        Self {
            springs: kept(&self.springs, |spring| any(&spring.ends)),
            membranes: kept(&self.membranes, |membrane| any(&membrane.corners)),
            corotated_membranes: kept(&self.corotated_membranes, |membrane| any(&membrane.corners)),
            fibre_triangles: kept(&self.fibre_triangles, |triangle| any(&triangle.corners)),
            hinges: kept(&self.hinges, |hinge| any(&hinge.particles)),
            quadratic_hinges: kept(&self.quadratic_hinges, |hinge| any(&hinge.particles)),
            tets: kept(&self.tets, |tet| any(&tet.corners)),
            attachments: kept(&self.attachments, |attachment| is_meant(attachment.particle)),
            pressures: kept(&self.pressures, |pressure| any(pressure.triangles().as_flattened())),
            rods: kept(&self.rods, |rod| any(&rod.ends)),
        }
    }

    /// The structural springs and the rods with ends to keep.
    pub(crate) fn threads_among(&self, is_kept: impl Fn(&[u32; 2]) -> bool) -> Self {
        let springs =
            self.springs.iter().filter(|s| s.family == SpringFamily::Structural && is_kept(&s.ends));
        let rods = self.rods.iter().filter(|rod| is_kept(&rod.ends));
        Self { springs: springs.copied().collect(), rods: rods.copied().collect(), ..Self::default() }
    }

    /// Springs and rods in the order of their particles: neighbours in memory are neighbours in space.
    pub(crate) fn sort_links(&mut self) {
        self.springs.sort_by_key(|spring| spring.ends.iter().min().copied());
        self.rods.sort_by_key(|rod| rod.ends.iter().min().copied());
    }
}
