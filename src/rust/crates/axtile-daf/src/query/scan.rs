//! Tokens of a query, read as the parser asks for them: what a dot or a dash
//! is depends on whether an operator or a value can stand there.

use axtile_core::Result;

use super::escape::{is_bare, is_blank};
use super::place::{Span, wrong};

/// What stands between values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    NotEqual,
    LessEqual,
    GreaterEqual,
    NotMatch,
    GroupColumns,
    GroupRows,
    IfNot,
    SquareRow,
    SquareColumn,
    AsAxis,
    Matrix,
    ToScalar,
    ToRow,
    ToColumn,
    IfMissing,
    Not,
    And,
    Count,
    Eltwise,
    Scalar,
    Group,
    Vector,
    Less,
    Equal,
    Greater,
    Names,
    Axis,
    BeginMask,
    EndMask,
    Xor,
    Or,
    Match,
}

/// Longest first: the first one that fits is the token.
const OPERATORS: [(&str, Operator); 32] = [
    ("!=", Operator::NotEqual),
    ("<=", Operator::LessEqual),
    (">=", Operator::GreaterEqual),
    ("!~", Operator::NotMatch),
    ("|/", Operator::GroupColumns),
    ("-/", Operator::GroupRows),
    ("??", Operator::IfNot),
    ("@-", Operator::SquareRow),
    ("@|", Operator::SquareColumn),
    ("=@", Operator::AsAxis),
    ("::", Operator::Matrix),
    (">>", Operator::ToScalar),
    (">-", Operator::ToRow),
    (">|", Operator::ToColumn),
    ("||", Operator::IfMissing),
    ("!", Operator::Not),
    ("&", Operator::And),
    ("*", Operator::Count),
    ("%", Operator::Eltwise),
    (".", Operator::Scalar),
    ("/", Operator::Group),
    (":", Operator::Vector),
    ("<", Operator::Less),
    ("=", Operator::Equal),
    (">", Operator::Greater),
    ("?", Operator::Names),
    ("@", Operator::Axis),
    ("[", Operator::BeginMask),
    ("]", Operator::EndMask),
    ("^", Operator::Xor),
    ("|", Operator::Or),
    ("~", Operator::Match),
];

impl Operator {
    /// The operator as it is written.
    pub fn sign(self) -> &'static str {
        OPERATORS
            .iter()
            .find(|(_, operator)| *operator == self)
            .map_or("", |(sign, _)| sign)
    }
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Value {
    /// Without its escapes.
    pub text: String,
    /// Where it stands, with its escapes.
    pub span: Span,
    /// Whether it stood in double quotes, so that it is a text even where it
    /// looks like a number.
    pub is_quoted: bool,
}

/// A place in the text of a query.
pub struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, at: 0 }
    }

    /// The whole text.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// The place of what comes next.
    pub fn here(&mut self) -> Span {
        self.skip_blanks();
        let end = self.rest().chars().next().map_or(0, char::len_utf8);
        Span {
            start: self.at,
            end: self.at + end,
        }
    }

    /// Whether nothing but blanks and comments is left.
    pub fn is_done(&mut self) -> bool {
        self.skip_blanks();
        self.at == self.text.len()
    }

    /// The operator that comes next, without reading over it.
    pub fn peek_operator(&mut self) -> Option<(Operator, Span)> {
        self.skip_blanks();
        let rest = self.rest();
        OPERATORS
            .iter()
            .find(|(sign, _)| rest.starts_with(sign))
            .map(|&(sign, operator)| {
                let span = Span {
                    start: self.at,
                    end: self.at + sign.len(),
                };
                (operator, span)
            })
    }

    /// The operator that comes next.
    pub fn operator(&mut self) -> Option<(Operator, Span)> {
        let found = self.peek_operator();
        if let Some((_, span)) = found {
            self.at = span.end;
        }
        found
    }

    /// Reads over `operator` if it comes next.
    pub fn takes(&mut self, operator: Operator) -> Option<Span> {
        let (next, span) = self.peek_operator()?;
        (next == operator).then(|| {
            self.at = span.end;
            span
        })
    }

    /// The value that comes next, if one does.
    ///
    /// # Errors
    /// A quote without an end, or an escape of nothing.
    pub fn value(&mut self) -> Result<Option<Value>> {
        self.skip_blanks();
        let rest = self.rest();
        if rest.starts_with("-/") {
            return Ok(None);
        }
        if let Some(after) = rest.strip_prefix('.')
            && !after.starts_with(|next| is_bare(next) || next == '\\')
        {
            return Ok(None);
        }
        match rest.chars().next() {
            Some('"') => self.quoted().map(Some),
            Some('\'') => self.empty().map(Some),
            _ => self.run(is_bare),
        }
    }

    /// A regular expression: a value in which the characters that have no
    /// meaning after `~` need no backslash.
    ///
    /// # Errors
    /// As [`Scanner::value`].
    pub fn pattern(&mut self) -> Result<Option<Value>> {
        self.skip_blanks();
        if self.rest().starts_with(['"', '\'']) {
            return self.value();
        }
        let start = self.at;
        let caret = self.rest().starts_with('^');
        self.at += usize::from(caret);
        let run = self.run(|next| is_bare(next) || "$()*{},?".contains(next))?;
        let mut text = String::from(if caret { "^" } else { "" });
        text.push_str(run.as_ref().map_or("", |run| &run.text));
        let span = Span {
            start,
            end: self.at,
        };
        Ok((!text.is_empty()).then_some(Value {
            text,
            span,
            is_quoted: false,
        }))
    }

    fn run(&mut self, belongs: impl Fn(char) -> bool) -> Result<Option<Value>> {
        let start = self.at;
        let mut text = String::new();
        while let Some(next) = self.rest().chars().next() {
            if next == '\\' {
                text.push(self.escaped()?);
            } else if belongs(next) {
                text.push(next);
                self.at += next.len_utf8();
            } else {
                break;
            }
        }
        let span = Span {
            start,
            end: self.at,
        };
        Ok((self.at > start).then_some(Value {
            text,
            span,
            is_quoted: false,
        }))
    }

    fn escaped(&mut self) -> Result<char> {
        let start = self.at;
        self.at += 1;
        let Some(next) = self.rest().chars().next() else {
            let span = Span {
                start,
                end: self.at,
            };
            return Err(wrong(self.text, span, "a backslash with nothing after it"));
        };
        self.at += next.len_utf8();
        Ok(next)
    }

    fn quoted(&mut self) -> Result<Value> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.rest().chars().next() {
                None => {
                    let span = Span {
                        start,
                        end: self.at,
                    };
                    return Err(wrong(self.text, span, "a quote that does not end"));
                }
                Some('"') => break,
                Some('\\') => text.push(self.escaped()?),
                Some(next) => {
                    text.push(next);
                    self.at += next.len_utf8();
                }
            }
        }
        self.at += 1;
        let span = Span {
            start,
            end: self.at,
        };
        Ok(Value {
            text,
            span,
            is_quoted: true,
        })
    }

    fn empty(&mut self) -> Result<Value> {
        let span = Span {
            start: self.at,
            end: self.at + 2,
        };
        if !self.rest().starts_with("''") {
            return Err(wrong(
                self.text,
                span,
                "single quotes only stand for the empty text ''; \
                 use double quotes, or a backslash before each special character",
            ));
        }
        self.at = span.end;
        Ok(Value {
            text: String::new(),
            span,
            is_quoted: false,
        })
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let after = rest.trim_start_matches(is_blank);
            let comment = match after.strip_prefix('#') {
                Some(comment) => comment.find('\n').map_or(after.len(), |end| end + 1),
                None => 0,
            };
            self.at += rest.len() - after.len() + comment;
            if comment == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_and_values_need_no_blanks_between_them() {
        let mut scanner = Scanner::new("@cell:-1.5#end\n>-.x");
        assert_eq!(scanner.operator().unwrap().0, Operator::Axis);
        assert_eq!(scanner.value().unwrap().unwrap().text, "cell");
        assert!(scanner.value().unwrap().is_none());
        assert_eq!(scanner.operator().unwrap().0, Operator::Vector);
        assert_eq!(scanner.value().unwrap().unwrap().text, "-1.5");
        assert_eq!(scanner.operator().unwrap().0, Operator::ToRow);
        assert_eq!(scanner.value().unwrap().unwrap().text, ".x");
        assert!(scanner.is_done());
    }

    #[test]
    fn quotes_and_escapes() {
        let mut scanner = Scanner::new("\"a \\\" b\" '' \\/x . -/ \\");
        assert_eq!(scanner.value().unwrap().unwrap().text, "a \" b");
        assert_eq!(scanner.value().unwrap().unwrap().text, "");
        assert_eq!(scanner.value().unwrap().unwrap().text, "/x");
        assert!(scanner.value().unwrap().is_none());
        assert_eq!(scanner.operator().unwrap().0, Operator::Scalar);
        assert!(scanner.value().unwrap().is_none());
        assert_eq!(scanner.operator().unwrap().0, Operator::GroupRows);
        assert!(scanner.value().is_err());
        assert!(Scanner::new("\"a").value().is_err());
        assert!(Scanner::new("'a'").value().is_err());
    }

    #[test]
    fn patterns_keep_their_signs() {
        let mut scanner = Scanner::new("^A.*$ \\^a\\|b& ~");
        assert_eq!(scanner.pattern().unwrap().unwrap().text, "^A.*$");
        assert_eq!(scanner.pattern().unwrap().unwrap().text, "^a|b");
        assert_eq!(scanner.operator().unwrap().0, Operator::And);
        assert!(scanner.pattern().unwrap().is_none());
    }
}
