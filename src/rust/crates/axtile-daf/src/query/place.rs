//! Where in a query something stands, and errors that point there.

use axtile_core::Error;

/// Characters of a line shown on each side of the place of an error.
const CONTEXT: usize = 60;

/// A range of bytes of the query's text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// All places are equal: what a query does does not depend on how it is
/// spaced.
impl PartialEq for Span {
    fn eq(&self, _other: &Span) -> bool {
        true
    }
}

impl Span {
    /// From the start of this span to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span {
            start: self.start,
            end: other.end.max(self.start),
        }
    }
}

/// `problem`, the line of `text` it is in, and a caret below the place.
pub fn pointed(text: &str, span: Span, problem: &str) -> String {
    let start = floor(text, span.start);
    let end = floor(text, span.end.max(span.start)).max(start);
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let before: Vec<char> = text[line_start..start].chars().collect();
    let after: Vec<char> = text[start..line_end].chars().collect();
    let skipped = before.len().saturating_sub(CONTEXT);
    let cut = after.len() > CONTEXT;
    let mut line = String::from("  ");
    let mut below = String::from("  ");
    if skipped > 0 {
        line.push_str("...");
        below.push_str("   ");
    }
    for &character in &before[skipped..] {
        line.push(character);
        below.push(if character == '\t' { '\t' } else { ' ' });
    }
    line.extend(after.iter().take(CONTEXT));
    if cut {
        line.push_str("...");
    }
    let width = text[start..end.min(line_end)].chars().count();
    below.push_str(&"^".repeat(width.clamp(1, CONTEXT)));
    format!("{problem}\n{line}\n{below}")
}

/// An error of the argument "query" that points at its place.
pub fn wrong(text: &str, span: Span, problem: impl AsRef<str>) -> Error {
    Error::argument(pointed(text, span, problem.as_ref()))
}

/// An error about something that the store does not have.
pub fn missing(text: &str, span: Span, problem: impl AsRef<str>) -> Error {
    Error::range(pointed(text, span, problem.as_ref()))
}

fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_is_below_the_place_in_its_line() {
        let text = "@ cell\n: agé\t: sx";
        let start = text.rfind("sx").unwrap();
        let shown = pointed(
            text,
            Span {
                start,
                end: start + 2,
            },
            "no",
        );
        assert_eq!(shown, "no\n  : agé\t: sx\n       \t  ^^");
    }

    #[test]
    fn long_lines_are_cut_and_odd_places_do_not_panic() {
        let text = "x".repeat(1000);
        let shown = pointed(
            &text,
            Span {
                start: 500,
                end: 501,
            },
            "no",
        );
        assert!(shown.lines().all(|line| line.len() < 140));
        for at in 0..6 {
            pointed("é\né", Span { start: at, end: 9 }, "no");
        }
    }
}
