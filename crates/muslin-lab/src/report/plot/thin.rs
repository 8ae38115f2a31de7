//! Fewer points without a visible difference.

/// Splits points into runs without a gap, dropping the missing ones.
pub(super) fn runs(places: impl Iterator<Item = Option<[f64; 2]>>) -> Vec<Vec<[f64; 2]>> {
    let mut runs = vec![Vec::new()];
    for place in places {
        match (place, runs.last_mut()) {
            (Some(place), Some(run)) => run.push(place),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// Of neighbours in one pixel column keeps the first, the lowest, the highest and the last.
pub(super) fn line(run: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut kept = Vec::new();
    for column in run.chunk_by(|a, b| a[0].floor() == b[0].floor()) {
        if column.len() <= 4 {
            kept.extend_from_slice(column);
            continue;
        }
        let by_height = |&a: &usize, &b: &usize| column[a][1].total_cmp(&column[b][1]);
        let lowest = (0..column.len()).min_by(by_height).unwrap_or(0);
        let highest = (0..column.len()).max_by(by_height).unwrap_or(0);
        let mut indices = vec![0, lowest, highest, column.len() - 1];
        indices.sort_unstable();
        indices.dedup();
        kept.extend(indices.into_iter().map(|index| column[index]));
    }
    // A curve that runs along a column leaves many neighbours in one place.
    kept.dedup_by_key(|place| place.map(|c| (c * 10.0).round() as i64));
    kept
}

/// Keeps one mark in each square of so many pixels.
pub(super) fn marks(places: &[[f64; 2]], square: f64) -> Vec<[f64; 2]> {
    let mut taken = std::collections::BTreeSet::new();
    let cell = |place: &[f64; 2]| place.map(|c| (c / square).round() as i64);
    places.iter().filter(|place| taken.insert(cell(place))).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_split_runs() {
        let places = [None, Some([0.0, 0.0]), Some([1.0, 0.0]), None, None, Some([2.0, 0.0])];
        assert_eq!(runs(places.into_iter()), [vec![[0.0, 0.0], [1.0, 0.0]], vec![[2.0, 0.0]]]);
        assert!(runs(std::iter::empty()).is_empty());
    }

    #[test]
    fn peaks_survive() {
        let mut run: Vec<[f64; 2]> = (0..1_000_000).map(|i| [f64::from(i) * 6e-4, 50.0]).collect();
        run[123_456][1] = 3.0;
        run[654_321][1] = 97.0;
        let thinned = line(&run);
        assert!(thinned.len() < 2500, "{}", thinned.len());
        assert!(thinned.contains(&run[123_456]) && thinned.contains(&run[654_321]));
        assert_eq!((thinned.first(), thinned.last()), (run.first(), run.last()));
    }

    #[test]
    fn marks_on_top_of_each_other_are_one() {
        let places: Vec<[f64; 2]> = (0..100_000).map(|i| [f64::from(i % 10), f64::from(i % 7)]).collect();
        assert!(marks(&places, 2.0).len() < 40);
    }
}
