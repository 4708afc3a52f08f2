//! The headings and chunks of a document, found line by line.

use super::front_matter;

/// The headings and chunks of a document, in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Headings outside of code, both `# ATX` and underlined ones.
    pub headings: Vec<Heading>,
    /// Chunks that an engine runs. Code that is only displayed is not one.
    pub chunks: Vec<Chunk>,
    /// The lines outside of front matter and code, with line numbers from 1.
    pub(super) prose: Vec<(usize, String)>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// From 1 for `#` to 6.
    pub level: usize,
    /// The text without markers and attributes.
    pub text: String,
    /// Line number, from 1.
    pub line: usize,
}

/// A chunk of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The engine as spelled in the document: `r`, `python`.
    pub engine: String,
    /// The label, which names figures and caches; chunks may have none.
    pub label: Option<String>,
    /// The options as unevaluated R or YAML text.
    pub options: Vec<(String, String)>,
    /// Line number of the opening fence, from 1.
    pub line: usize,
    /// Line number of the closing fence, or the last line of the text without one.
    pub end: usize,
    /// Whether there is a closing fence.
    pub is_closed: bool,
    /// The text after the engine in the opening fence.
    pub(super) header: String,
    pub(super) code: String,
}

/// A fence that is not closed yet, with its chunk unless the code is only displayed.
struct Fence {
    mark: char,
    length: usize,
    chunk: Option<Chunk>,
}

impl Outline {
    /// Finds the headings and chunks of a text.
    pub fn parse(text: &str) -> Self {
        let mut outline = Self::default();
        let mut open: Option<Fence> = None;
        let skipped = front_matter::count_lines(text);
        let mut last = 0;
        for (index, line) in text.lines().enumerate().skip(skipped) {
            last = index + 1;
            open = match open {
                Some(fence) => outline.read_code(fence, line, last),
                None => outline.read_prose(line, last),
            };
        }
        if let Some(Fence { chunk: Some(chunk), .. }) = open {
            outline.chunks.push(Chunk { end: last, is_closed: false, ..chunk });
        }
        outline.chunks.iter_mut().for_each(Chunk::parse_options);
        outline
    }

    /// Reads a line inside of a fence; returns the fence while it stays open.
    fn read_code(&mut self, mut fence: Fence, line: &str, number: usize) -> Option<Fence> {
        let bare = line.trim_start_matches(['\t', ' ', '>']);
        // A closing fence is at least as long as the opening one, so that code can contain shorter
        // ones (CommonMark, section 4.5).
        if count_leading(bare, fence.mark) >= fence.length
            && bare.trim_end().chars().all(|c| c == fence.mark)
        {
            self.chunks.extend(fence.chunk.map(|chunk| Chunk {
                end: number,
                is_closed: true,
                ..chunk
            }));
            return None;
        }
        if let Some(chunk) = &mut fence.chunk {
            chunk.code.push_str(line);
            chunk.code.push('\n');
        }
        Some(fence)
    }

    /// Reads a line outside of fences; returns the fence that it opens.
    fn read_prose(&mut self, line: &str, number: usize) -> Option<Fence> {
        // knitr accepts chunks in lists and block quotes.
        let bare = line.trim_start_matches(['\t', ' ', '>']);
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        if let Some(mark) = mark.filter(|mark| count_leading(bare, *mark) >= 3) {
            let length = count_leading(bare, mark);
            let info = bare[length..].trim();
            // With backquotes after it, this is inline code (CommonMark, section 4.5).
            if mark == '~' || !info.contains('`') {
                return Some(Fence { mark, length, chunk: open_chunk(info, number) });
            }
        }
        self.read_heading(line, number);
        self.prose.push((number, line.to_owned()));
        None
    }

    fn read_heading(&mut self, line: &str, number: usize) {
        let level = count_leading(line, '#');
        if (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']) {
            let text = strip_heading(&line[level..]);
            self.headings.push(Heading { level, text, line: number });
            return;
        }
        let underline = line.trim_end();
        let level = match underline.chars().next() {
            Some('=') if underline.len() > 1 && underline.chars().all(|c| c == '=') => 1,
            Some('-') if underline.len() > 1 && underline.chars().all(|c| c == '-') => 2,
            _ => return,
        };
        // Only a paragraph can be underlined, not a heading with `#` (CommonMark, section 4.3).
        let above = self.prose.last().filter(|(at, text)| {
            at + 1 == number && !text.trim().is_empty() && count_leading(text, '#') == 0
        });
        if let Some((line, text)) = above {
            self.headings.push(Heading { level, text: strip_heading(text), line: *line });
        }
    }
}

impl Chunk {
    /// The unevaluated value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Parses the label and the options from the opening fence and from the leading `#|` comments.
    /// Other engines use their own comment syntax for the latter.
    fn parse_options(&mut self) {
        for (index, part) in split_arguments(&self.header).into_iter().enumerate() {
            match part.split_once('=') {
                Some((key, value)) => {
                    self.options.push((key.trim().to_owned(), value.trim().to_owned()))
                }
                None if index == 0 && !part.trim().is_empty() => {
                    self.label = Some(part.trim().to_owned())
                }
                None => {}
            }
        }
        let comments = self.code.lines().map_while(|line| {
            ["#|", "//|", "--|", "%|"].iter().find_map(|mark| line.strip_prefix(mark))
        });
        // Deeper indentation is the value of the option above, such as the items of a list.
        let pairs = comments
            .filter_map(|comment| comment.split_once(':'))
            .filter(|(key, _)| !key.starts_with("  "));
        let options: Vec<_> =
            pairs.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect();
        self.options.extend(options);
        let named = self.option("label").map(|label| label.trim_matches(['"', '\'']).to_owned());
        self.label = self.label.take().or(named).filter(|label| !label.is_empty());
    }
}

/// Opens a chunk if the info string of a fence has an engine: `{r label, echo=FALSE}`. `{.r}` and
/// `{=html}` are attributes of code that pandoc displays or passes through.
fn open_chunk(info: &str, line: usize) -> Option<Chunk> {
    let inner = info.strip_prefix('{')?.strip_suffix('}')?;
    let length =
        inner.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(inner.len());
    let (engine, rest) = inner.split_at(length);
    if engine.is_empty() || !(rest.is_empty() || rest.starts_with([' ', ',', '\t'])) {
        return None;
    }
    Some(Chunk {
        engine: engine.to_owned(),
        label: None,
        options: Vec::new(),
        line,
        end: line,
        is_closed: false,
        header: rest.trim_start_matches([' ', ',', '\t']).to_owned(),
        code: String::new(),
    })
}

/// Splits a list of R arguments at its commas, except for those in quotes and brackets.
fn split_arguments(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            (None, _) => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A heading without closing `#` and attributes such as `{#id}`.
fn strip_heading(text: &str) -> String {
    let text = text.trim().trim_end_matches('#').trim_end();
    let text = match text.rfind('{') {
        Some(at) if text.ends_with('}') => text[..at].trim_end(),
        _ => text,
    };
    text.to_owned()
}

/// Counts the repetitions of a character at the beginning of a text.
fn count_leading(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[test]
    fn finds_headings_and_chunks_with_their_lines() {
        let text = "---\ntitle: x\n# no\n---\n\n# One {#id}\n\n```{r setup, include=FALSE, fig.cap=\"a, b\"}\nx <- 1\n# no heading\n```\n\nTwo\n---\n\n````md\n```{r}\n```\n````\n```{python}\n#| label: plot\n#| echo: false\npass\n```\n### Three ##\n";
        let outline = Outline::parse(text);
        let headings: Vec<_> = outline
            .headings
            .iter()
            .map(|heading| (heading.level, heading.text.as_str(), heading.line))
            .collect();
        assert_eq!(headings, [(1, "One", 6), (2, "Two", 13), (3, "Three", 25)]);
        let chunks: Vec<_> = outline
            .chunks
            .iter()
            .map(|chunk| (chunk.engine.as_str(), chunk.label.as_deref(), chunk.line, chunk.end))
            .collect();
        assert_eq!(chunks, [("r", Some("setup"), 8, 11), ("python", Some("plot"), 20, 24)]);
        assert_eq!(outline.chunks[0].option("fig.cap"), Some("\"a, b\""));
        assert_eq!(outline.chunks[1].option("echo"), Some("false"));
    }

    #[test]
    fn displayed_code_is_not_a_chunk() {
        for text in [
            "```r\nx\n```\n",
            "```{=html}\nx\n```\n",
            "```{.r}\nx\n```\n",
            "`` ```{r} ``\n",
            "~~~\n```{r}\n~~~\n",
        ] {
            assert_eq!(Outline::parse(text).chunks, [], "{text}");
        }
    }

    #[test]
    fn an_unclosed_chunk_extends_to_the_end() {
        let outline = Outline::parse("```{r a-b c}\nx\n\n# text\n");
        assert_eq!((outline.chunks[0].is_closed, outline.chunks[0].end), (false, 4));
        assert_eq!(outline.chunks[0].label.as_deref(), Some("a-b c"));
        assert_eq!(outline.headings, []);
    }
}
