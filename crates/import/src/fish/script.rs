//! The syntax of fish, as far as completion files need it: words, blocks and loops.

use std::collections::BTreeMap;

/// Words whose expansion has more items are cut.
const MAX_ITEMS: usize = 1_000;

/// Blocks deeper than this are flattened.
const MAX_DEPTH: usize = 50;

/// A part of a word.
#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Variable(String),
    /// `{a,b}`
    Braces(Vec<Word>),
    /// `(…)`, which is not run.
    Substitution,
}

/// A word before expansion.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Word(Vec<Part>);

impl Word {
    /// All words that it expands to; none if that takes running a command.
    pub(super) fn expand(&self, variables: &BTreeMap<String, Vec<String>>) -> Option<Vec<String>> {
        let mut words = vec![String::new()];
        for part in &self.0 {
            let items = match part {
                Part::Text(text) => vec![text.clone()],
                Part::Variable(name) => variables.get(name)?.clone(),
                Part::Braces(items) => {
                    let expanded: Option<Vec<_>> =
                        items.iter().map(|item| item.expand(variables)).collect();
                    expanded?.concat()
                }
                Part::Substitution => return None,
            };
            words = words
                .iter()
                .flat_map(|word| items.iter().map(move |item| format!("{word}{item}")))
                .take(MAX_ITEMS)
                .collect();
        }
        Some(words)
    }

    fn literal(&self) -> Option<&str> {
        match self.0.as_slice() {
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    fn push(&mut self, c: char) {
        match self.0.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => self.0.push(Part::Text(c.to_string())),
        }
    }
}

/// A statement.
#[derive(Debug)]
pub(super) enum Statement {
    Simple {
        words: Vec<Word>,
        line: usize,
    },
    For {
        variable: String,
        values: Vec<Word>,
        body: Vec<Statement>,
    },
    /// The branches of `if` and `switch`, one after the other.
    Block(Vec<Statement>),
}

/// Parses a script. Function bodies are left out.
pub(super) fn parse_script(text: &str) -> Vec<Statement> {
    let mut lexer = Lexer { chars: text.chars().collect(), at: 0, line: 1 };
    let lines = lexer.statements();
    let mut lines = lines.into_iter();
    parse_block(&mut lines, 0)
}

type Lines = std::vec::IntoIter<(Vec<Word>, usize)>;

fn parse_block(lines: &mut Lines, depth: usize) -> Vec<Statement> {
    let mut statements = Vec::new();
    while let Some((words, line)) = lines.next() {
        let first = words.first().and_then(Word::literal).unwrap_or_default().to_owned();
        match first.as_str() {
            "end" if depth > 0 => return statements,
            "for" if depth < MAX_DEPTH => {
                let variable = words.get(1).and_then(Word::literal).unwrap_or_default().to_owned();
                let values = words.into_iter().skip(3).collect();
                statements.push(Statement::For {
                    variable,
                    values,
                    body: parse_block(lines, depth + 1),
                });
            }
            "if" | "switch" | "while" | "begin" if depth < MAX_DEPTH => {
                statements.push(Statement::Block(parse_block(lines, depth + 1)));
            }
            "function" if depth < MAX_DEPTH => {
                parse_block(lines, depth + 1);
            }
            _ => statements.push(Statement::Simple { words: without_keywords(words), line }),
        }
    }
    statements
}

/// Drops `and`, `or` and `not` before a command.
fn without_keywords(words: Vec<Word>) -> Vec<Word> {
    let is_keyword = |word: &Word| {
        matches!(word.literal(), Some("and" | "or" | "not" | "!" | "command" | "builtin"))
    };
    let skipped = words.iter().take_while(|word| is_keyword(word)).count();
    words.into_iter().skip(skipped).collect()
}

struct Lexer {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

impl Lexer {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        self.line += usize::from(c == '\n');
        Some(c)
    }

    /// The words of each statement, with its line.
    fn statements(&mut self) -> Vec<(Vec<Word>, usize)> {
        let mut statements = Vec::new();
        let mut words = Vec::new();
        let mut start = self.line;
        while let Some(c) = self.peek() {
            match c {
                '\n' | ';' | '|' | '&' => {
                    self.next();
                    if !words.is_empty() {
                        statements.push((std::mem::take(&mut words), start));
                    }
                }
                '\\' if self.chars.get(self.at + 1) == Some(&'\n') => {
                    self.next();
                    self.next();
                }
                c if c.is_whitespace() => {
                    self.next();
                }
                '#' => {
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.next();
                    }
                }
                _ => {
                    if words.is_empty() {
                        start = self.line;
                    }
                    words.push(self.word(&[]));
                }
            }
        }
        if !words.is_empty() {
            statements.push((words, start));
        }
        statements
    }

    fn word(&mut self, stops: &[char]) -> Word {
        let mut word = Word::default();
        while let Some(c) = self.peek() {
            match c {
                c if stops.contains(&c) => break,
                '\n' | ';' | '|' | '&' => break,
                c if c.is_whitespace() => break,
                '\'' => self.single_quoted(&mut word),
                '"' => self.double_quoted(&mut word),
                '\\' => {
                    self.next();
                    match self.next() {
                        Some('n') => word.push('\n'),
                        Some('t') => word.push('\t'),
                        Some('\n') | None => {}
                        Some(c) => word.push(c),
                    }
                }
                '$' => self.variable(&mut word),
                '(' => self.substitution(&mut word),
                '{' => self.braces(&mut word),
                _ => {
                    self.next();
                    word.push(c);
                }
            }
        }
        word
    }

    fn single_quoted(&mut self, word: &mut Word) {
        self.next();
        // `''` is an empty word.
        word.0.push(Part::Text(String::new()));
        while let Some(c) = self.next() {
            match c {
                '\'' => return,
                '\\' if matches!(self.peek(), Some('\'' | '\\')) => {
                    word.push(self.next().unwrap_or_default())
                }
                c => word.push(c),
            }
        }
    }

    fn double_quoted(&mut self, word: &mut Word) {
        self.next();
        word.0.push(Part::Text(String::new()));
        while let Some(c) = self.peek() {
            match c {
                '"' => {
                    self.next();
                    return;
                }
                '\\' => {
                    self.next();
                    match self.peek() {
                        Some('"' | '\\' | '$') => word.push(self.next().unwrap_or_default()),
                        Some('\n') => {
                            self.next();
                        }
                        _ => word.push('\\'),
                    }
                }
                '$' => self.variable(word),
                c => {
                    self.next();
                    word.push(c);
                }
            }
        }
    }

    fn variable(&mut self, word: &mut Word) {
        self.next();
        if self.peek() == Some('(') {
            return self.substitution(word);
        }
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_alphanumeric() || *c == '_') {
            self.next();
            name.push(c);
        }
        if self.peek() == Some('[') {
            // An item of a list is not followed.
            while self.next().is_some_and(|c| c != ']') {}
            return word.0.push(Part::Substitution);
        }
        if name.is_empty() { word.push('$') } else { word.0.push(Part::Variable(name)) }
    }

    fn substitution(&mut self, word: &mut Word) {
        let mut depth = 0_usize;
        while let Some(c) = self.peek() {
            match c {
                '\'' => self.single_quoted(&mut Word::default()),
                '\\' => {
                    self.next();
                    self.next();
                }
                _ => {
                    self.next();
                    depth = if c == '(' {
                        depth + 1
                    } else if c == ')' {
                        depth - 1
                    } else {
                        depth
                    };
                }
            }
            if depth == 0 {
                break;
            }
        }
        word.0.push(Part::Substitution);
    }

    fn braces(&mut self, word: &mut Word) {
        self.next();
        let mut items = vec![];
        loop {
            let before = self.at;
            items.push(self.word(&[',', '}']));
            match self.peek() {
                Some(',') => {
                    self.next();
                }
                Some('}') => {
                    self.next();
                    break;
                }
                // Blanks inside of braces.
                Some(c) if c != '\n' && self.at >= before => {
                    self.next();
                }
                _ => break,
            }
        }
        word.0.push(Part::Braces(items));
    }
}
