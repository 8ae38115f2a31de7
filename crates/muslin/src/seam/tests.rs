//! Strips and tubes with borders of random edges.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A strip of quads along x, from (0, y), with edges of these lengths [m] on its lower side; its particles follow those there are.
fn add_strip(faces: &mut Vec<Face>, x: &mut Vec<Vec3>, lengths: &[Real], y: Real, is_tube: bool) -> Chain {
    let first = x.len() as u32;
    let count = lengths.len() as u32 + u32::from(!is_tube);
    let total: Real = lengths.iter().sum();
    for z in [0.0, 0.5] {
        let mut s = 0.0;
        for k in 0..count as usize {
            let angle = std::f64::consts::TAU * s / total;
            x.push(if is_tube {
                Vec3::new(angle.cos(), y, angle.sin()) + z * Vec3::Y
            } else {
                Vec3::new(s, y, z)
            });
            s += lengths.get(k).unwrap_or(&0.0);
        }
    }
    for k in 0..lengths.len() as u32 {
        let (a, b) = (first + k, first + (k + 1) % count);
        faces.push(Face::quad(a, b, b + count, a + count));
    }
    Chain { particles: (first..first + count).collect(), lengths: lengths.to_vec(), is_closed: is_tube }
}

fn pair_of_strips(lengths: [&[Real]; 2], is_tube: bool) -> (Vec<Face>, Vec<Vec3>, [Chain; 2]) {
    let (mut faces, mut x) = (Vec::new(), Vec::new());
    let chains = [0.0, 0.1].map(|y| add_strip(&mut faces, &mut x, lengths[usize::from(y > 0.0)], y, is_tube));
    (faces, x, chains)
}

/// Where an end is along a chain [m].
fn along(chain: &Chain, end: SeamEnd) -> Real {
    let place = |p: u32| chain.particles.iter().position(|&q| q == p).unwrap();
    let before = |k: usize| chain.lengths[..k].iter().sum::<Real>();
    match end {
        SeamEnd::Particle(p) => before(place(p)),
        SeamEnd::On { edge: [a, b], t } => {
            let k = place(a);
            assert_eq!(chain.particle(k + 1), b);
            before(k) + t * chain.lengths[k]
        }
    }
}

fn judge(chains: &[Chain; 2], found: &Matching, least: Real) {
    let total = chains.each_ref().map(Chain::length);
    let mean = total[0].min(total[1]);
    let longest = [0, 1].map(|k| chains[k].lengths.iter().copied().fold(0.0, Real::max) / total[k]);
    // A partner is off by the least length or a fifth of an edge; what is in proportion between such partners, by as much, and where
    // an edge is too short by as much again.
    let bound = 3.0 * (least / mean).max(END_PART * longest[0].max(longest[1]));
    let places: Vec<[Real; 2]> =
        found.pairs.iter().map(|pair| [0, 1].map(|k| along(&chains[k], pair[k]))).collect();
    assert!(places.windows(2).all(|w| (0..2).all(|k| w[0][k] <= w[1][k] + 1e-12)), "out of order");
    assert!(places.windows(2).all(|w| (0..2).any(|k| w[0][k] < w[1][k] - 1e-12)), "the same pair twice");
    for place in &places {
        let apart = (place[0] / total[0] - place[1] / total[1]).abs();
        assert!(apart <= bound, "{apart} of {bound}");
    }
    for k in 0..2 {
        let all: Vec<SeamEnd> = found.pairs.iter().map(|pair| pair[k]).collect();
        let particles: BTreeSet<u32> = all
            .iter()
            .filter_map(|end| if let SeamEnd::Particle(p) = end { Some(*p) } else { None })
            .collect();
        assert_eq!(particles, chains[k].particles.iter().copied().collect());
        for end in &all {
            if let SeamEnd::On { edge, t } = *end {
                assert!((END_PART - 1e-12..=1.0 - END_PART + 1e-12).contains(&t), "{t}");
                let at = along(&chains[k], *end);
                let length =
                    chains[k].lengths[chains[k].particles.iter().position(|&p| p == edge[0]).unwrap()];
                assert!(t * length >= least - 1e-12 && (1.0 - t) * length >= least - 1e-12);
                let others = all.iter().filter(|other| *other != end).map(|&other| along(&chains[k], other));
                assert!(
                    others.fold(Real::INFINITY, |near, other| near.min((other - at).abs())) >= least - 1e-12
                );
            }
        }
    }
    // Several to one only where there was no room: never two particles that are far apart.
    for k in 0..2 {
        for (one, pair) in found.pairs.iter().enumerate() {
            for (other, with) in found.pairs.iter().enumerate().skip(one + 1) {
                let apart = (places[one][k] - places[other][k]).abs() / total[k];
                assert!(pair[1 - k] != with[1 - k] || apart <= 2.0 * bound, "{apart} of {bound} to one");
            }
        }
    }
}

fn lengths() -> impl Strategy<Value = Vec<Real>> {
    (1usize..25, any::<bool>()).prop_flat_map(|(count, is_even)| {
        prop::collection::vec(if is_even { 0.0999..0.1f64 } else { 0.02..0.2f64 }, count)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_vertex_has_a_partner_at_its_place(one in lengths(), other in lengths(), least in 0.0..0.05f64) {
        let (faces, x, chains) = pair_of_strips([&one, &other], false);
        let found = matching(&faces, &x, [&chains[0], &chains[1]], Some(false), least).unwrap();
        judge(&chains, &found, least);
        let ends = [found.pairs[0], found.pairs[found.pairs.len() - 1]];
        let expected = [0, 1].map(|end| chains.each_ref().map(|c| SeamEnd::Particle(c.particles[end * c.lengths.len()])));
        prop_assert_eq!(ends, expected);
        let turned = matching(&faces, &x, [&chains[0], &chains[1].reversed()], None, least).unwrap();
        prop_assert!(turned.is_reversed);
        // The same but for the direction of edges: their lengths are summed up the other way, which may turn a tie.
        judge(&chains, &turned, least);
    }

    #[test]
    fn closed_chains_find_their_offset(one in prop::collection::vec(0.05..0.2f64, 3..20), start in 0usize..20, is_turned in any::<bool>()) {
        let (faces, x, chains) = pair_of_strips([&one, &one], true);
        let rotated = chains[1].rotated(start % one.len());
        let given = if is_turned { rotated.reversed() } else { rotated };
        let found = matching(&faces, &x, [&chains[0], &given], None, 0.01).unwrap();
        prop_assert_eq!(found.is_reversed, is_turned);
        let expected: Vec<[SeamEnd; 2]> = chains[0].particles.iter().zip(&chains[1].particles).map(|(&a, &b)| [a, b].map(SeamEnd::Particle)).collect();
        prop_assert_eq!(found.pairs, expected);
    }
}

/// The two vertices within the short chain lie where the long one is near if it is turned, far off if it is not; what counts is the way
/// between them.
#[test]
fn a_chain_is_turned_by_all_of_its_length() {
    let one = [0.182, 0.118, 0.192, 0.184, 0.183, 0.142];
    let (faces, x, chains) = pair_of_strips([&one, &[0.066, 0.02]], false);
    for (second, is_reversed) in [(chains[1].clone(), false), (chains[1].reversed(), true)] {
        let found = matching(&faces, &x, [&chains[0], &second], None, 0.0).unwrap();
        assert_eq!(found.is_reversed, is_reversed);
    }
}

#[test]
fn one_edge_to_four_gets_three_vertices() {
    let (faces, x, chains) = pair_of_strips([&[1.0], &[0.5; 4]], false);
    let found = matching(&faces, &x, [&chains[0], &chains[1]], None, 0.1).unwrap();
    let on = |t: Real| SeamEnd::On { edge: [0, 1], t };
    let first: Vec<SeamEnd> = found.pairs.iter().map(|pair| pair[0]).collect();
    assert_eq!(first, [SeamEnd::Particle(0), on(0.25), on(0.5), on(0.75), SeamEnd::Particle(1)]);
    assert_eq!((found.gather, found.is_strong), (0.5, false));
    // No room for them all: several to one.
    let found = matching(&faces, &x, [&chains[0], &chains[1]], None, 0.3).unwrap();
    assert_eq!(found.pairs.iter().filter(|pair| pair[0] == on(0.5)).count(), 1);
    assert_eq!(found.pairs.len(), 5);
}

#[test]
fn cloth_gathered_to_a_quarter_is_told() {
    let (faces, x, chains) = pair_of_strips([&[0.4; 4], &[0.1; 4]], false);
    let found = matching(&faces, &x, [&chains[0], &chains[1]], None, 0.01).unwrap();
    assert!((found.gather - 4.0).abs() < 1e-12 && found.is_strong);
    assert_eq!(found.pairs.len(), 5);
}

#[test]
fn what_cannot_be_sewn_is_refused() {
    let (faces, x, [a, b]) = pair_of_strips([&[0.1; 4], &[0.1; 4]], false);
    let sew = |one: &Chain, other: &Chain| {
        matching(&faces, &x, [one, other], None, 0.01).map(|found| found.pairs.len())
    };
    let chain = |particles: &[u32]| Chain {
        particles: particles.to_vec(),
        lengths: vec![0.1; particles.len().saturating_sub(1)],
        is_closed: false,
    };
    assert_eq!(sew(&a, &b), Ok(5));
    assert_eq!(sew(&a, &Chain::default()), Err(SeamError::Empty));
    assert_eq!(sew(&a, &chain(&[10])), Err(SeamError::Empty));
    assert_eq!(sew(&a, &chain(&[10, 99])), Err(SeamError::NotOnBorder(99)));
    assert_eq!(sew(&a, &chain(&[10, 12])), Err(SeamError::NoBorderEdge([10, 12])));
    assert_eq!(sew(&a, &chain(&[11, 16])), Err(SeamError::NoBorderEdge([11, 16])), "an edge within");
    assert_eq!(sew(&a, &chain(&[10, 11, 10])), Err(SeamError::Twice(10)));
    assert_eq!(sew(&a, &a), Err(SeamError::Shared(1)));
    assert_eq!(sew(&a, &Chain { lengths: vec![0.1, 0.0, 0.1, 0.1], ..b.clone() }), Err(SeamError::Lengths));
    assert_eq!(sew(&a, &Chain { lengths: vec![0.1; 3], ..b.clone() }), Err(SeamError::Lengths));
    // A strip sewn to a tube around its end: the shared particle is no vertex of the seam.
    assert_eq!(sew(&chain(&[0, 1, 2]), &chain(&[4, 3, 2])), Ok(2));
    let given = matching(&faces, &x, [&chain(&[0, 1, 2]), &chain(&[2, 3, 4])], Some(false), 0.01);
    assert_eq!(given, Err(SeamError::Shared(2)));
}
