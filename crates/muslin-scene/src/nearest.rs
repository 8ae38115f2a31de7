//! Guessing what was meant.

/// The candidate most like `word`, if any is like it at all.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&word.to_lowercase(), candidate);
    candidates
        .into_iter()
        .map(|candidate| (likeness(candidate), candidate))
        .filter(|(likeness, candidate)| *likeness > 0.45 || (word.len() > 2 && candidate.contains(word)))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_understood_and_nonsense_is_not() {
        let names = ["rk4", "rk45", "midpoint", "implicit-euler"];
        assert_eq!(nearest("midpiont", names), Some("midpoint"));
        assert_eq!(nearest("Implicit_Euler", names), Some("implicit-euler"));
        assert_eq!(nearest("euler", names), Some("implicit-euler"));
        assert_eq!(nearest("zzz", names), None);
    }
}
