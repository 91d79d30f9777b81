//! The output of one test without the lines of its harness.

/// Returns the part of a program's output that the test `name` wrote: after `running 1 test`, before the line of its
/// result. Without these lines, such as after a crash, returns all.
pub(super) fn of_test<'a>(output: &'a str, name: &str) -> &'a str {
    let start = "\nrunning 1 test\n";
    let output = output
        .split_once(start)
        .map_or(output, |(_, after)| after.trim_start_matches('\n'));
    let result = format!("test {name}");
    let is_result = |at: &usize| {
        let line = output[*at..].lines().next().unwrap_or_default();
        line.contains(" ... ")
    };
    let mut ends = output.rmatch_indices(&result).map(|(at, _)| at);
    let end = ends.find(is_result).unwrap_or(output.len());
    output[..end].trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_harness_are_cut() {
        let failed = "\nrunning 1 test\nseed 3\nthread 'a' panicked\ntest a ... FAILED\n\nfailures:\n\nfailures:\n    a\n\
                      \ntest result: FAILED. 0 passed\n";
        assert_eq!(of_test(failed, "a"), "seed 3\nthread 'a' panicked");
        assert_eq!(of_test("\nrunning 1 test\ntest a ... ok\n\n", "a"), "");
        assert_eq!(
            of_test("\nrunning 1 test\nstack overflow\n", "a"),
            "stack overflow"
        );
    }
}
