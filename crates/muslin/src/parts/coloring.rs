//! Colours: groups of elements that share no particle, so that a group can be solved at once.

/// Stands for a particle that does not count: one that is held may be shared.
pub const NOBODY: u32 = u32::MAX;

/// Numbers of the items by colours. Each item takes the first colour that none of its particles has met, in the order of
/// the items: the same colours on every machine, and items of a colour in their order.
pub fn colors<const N: usize>(items: &[[u32; N]], particles: usize) -> Vec<Vec<u32>> {
    let mut colors: Vec<Vec<u32>> = Vec::new();
    let mut left: Vec<u32> = (0..items.len() as u32).collect();
    // Sixty-four colours at a time: one bit each, a word a particle.
    while !left.is_empty() {
        let first = colors.len();
        let mut met = vec![0u64; particles];
        left.retain(|&item| {
            let ends = || items[item as usize].iter().filter(|&&end| end != NOBODY);
            let taken = ends().fold(0, |taken, &end| taken | met[end as usize]);
            let color = taken.trailing_ones();
            if color == u64::BITS {
                return true;
            }
            ends().for_each(|&end| met[end as usize] |= 1 << color);
            let color = first + color as usize;
            if color >= colors.len() {
                colors.resize(color + 1, Vec::new());
            }
            colors[color].push(item);
            false
        });
    }
    colors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_particle_has_two_items_of_a_colour() {
        // A star of a hundred rays beside a chain: more colours than bits in a word.
        let star = (1..=100).map(|k| [0, k]);
        let chain = (100..200).map(|k| [k, k + 1]);
        let items: Vec<[u32; 2]> = star.chain(chain).collect();
        let colors = colors(&items, 201);
        assert_eq!(colors.len(), 100, "as many as the rays, and no more");
        for color in &colors {
            let mut ends: Vec<u32> = color.iter().flat_map(|&k| items[k as usize]).collect();
            let count = ends.len();
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), count);
            assert!(color.is_sorted());
        }
        assert_eq!(colors.iter().map(Vec::len).sum::<usize>(), items.len());
    }

    #[test]
    fn nobody_may_be_shared() {
        assert_eq!(colors(&[[NOBODY, 0], [NOBODY, 1], [NOBODY, 0]], 2), [vec![0, 1], vec![2]]);
    }
}
