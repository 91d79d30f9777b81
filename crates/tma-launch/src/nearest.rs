/// Maximum number of names that a message lists.
const LISTED: usize = 8;

/// Returns up to three candidates that `name` may be a misspelling of, the likeliest first.
///
/// ```
/// let kernels = ["add_one_1d", "tile_2d", "prefetch_1d"];
/// assert_eq!(tma_launch::nearest("add_one", kernels), ["add_one_1d"]);
/// ```
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(name, candidate)?, candidate)))
        .collect();
    near.sort();
    near.dedup();
    near.into_iter()
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// Returns a hint about an unknown name: the nearest names, or else all of them.
pub fn suggestion<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let all: Vec<&str> = candidates.into_iter().collect();
    let quote = |names: &[&str], between: &str| {
        names
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(between)
    };
    match nearest(name, all.iter().copied()).as_slice() {
        [] if all.is_empty() => "there are none".to_owned(),
        [] => {
            let rest = all.len().saturating_sub(LISTED);
            let more = if rest > 0 {
                format!(" and {rest} more")
            } else {
                String::new()
            };
            format!(
                "there are {}{more}",
                quote(&all[..all.len().min(LISTED)], ", ")
            )
        }
        near => format!("did you mean {}?", quote(near, " or ")),
    }
}

/// Returns the distance of two names if they are similar enough to be confused.
fn distance(name: &str, candidate: &str) -> Option<usize> {
    let (name, candidate) = (name.to_lowercase(), candidate.to_lowercase());
    let part = |long: &str, short: &str| short.len() >= 3 && long.contains(short);
    let edits = edits(&name, &candidate);
    let longest = name.chars().count().max(candidate.chars().count());
    let allowed = (longest / 3).max(2).min(longest.saturating_sub(1));
    let near = edits <= allowed || part(&candidate, &name) || part(&name, &candidate);
    near.then_some(edits)
}

/// Returns the number of characters to insert, remove or replace to turn `a` into `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: [&str; 3] = ["add_one_1d", "tile_2d", "prefetch_1d"];

    #[test]
    fn edits_are_counted() {
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("same", "same"), 0);
    }

    #[test]
    fn misspellings_and_parts_are_found() {
        assert_eq!(nearest("tile2d", KERNELS), ["tile_2d"]);
        assert_eq!(nearest("tiel", ["tile", "empty"]), ["tile"]);
        assert_eq!(nearest("tile", ["persistent_tiles"]), ["persistent_tiles"]);
        assert_eq!(nearest("persistent_tiles", ["tile"]), ["tile"]);
        assert_eq!(nearest("ab", ["cd"]), [""; 0]);
        assert_eq!(nearest("PREFETCH", KERNELS), ["prefetch_1d"]);
        assert_eq!(nearest("saxpy", KERNELS), [""; 0]);
    }

    #[test]
    fn suggestions_for_people() {
        assert_eq!(suggestion("tile_3d", KERNELS), "did you mean `tile_2d`?");
        assert_eq!(
            suggestion("saxpy", KERNELS),
            "there are `add_one_1d`, `tile_2d`, `prefetch_1d`"
        );
        assert_eq!(suggestion("saxpy", []), "there are none");
        let many: Vec<String> = (0..10).map(|n| format!("kernel_{n}")).collect();
        let text = suggestion("xyz", many.iter().map(String::as_str));
        assert!(text.ends_with("`kernel_7` and 2 more"), "{text}");
    }
}
