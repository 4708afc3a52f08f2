//! The headings and chunks of a document, by lines.

use super::front;

/// The headings and chunks of a document, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// Its headings.
    pub headings: Vec<Heading>,
    /// Its chunks of code.
    pub chunks: Vec<Chunk>,
    /// The lines that are neither front matter nor code, with their numbers from 1.
    pub(super) prose: Vec<(usize, String)>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 for the highest.
    pub level: usize,
    /// What it says.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// A chunk of code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What runs it, as it is written: `r`, `python`.
    pub engine: String,
    /// Its label, if it has one.
    pub label: Option<String>,
    /// Its options, as they are written.
    pub options: Vec<(String, String)>,
    /// The line that opens it, from 1.
    pub line: usize,
    /// The line that closes it; the last of the text if none does.
    pub end: usize,
    /// Whether a line closes it.
    pub is_closed: bool,
    /// What stands behind the engine in the line that opens it.
    pub(super) header: String,
    /// Its code.
    pub(super) code: String,
}

/// An open fence.
struct Fence {
    mark: char,
    length: usize,
    chunk: Option<Chunk>,
}

impl Outline {
    /// Reads the headings and chunks of a text.
    pub fn of(text: &str) -> Self {
        let mut outline = Self::default();
        let mut open: Option<Fence> = None;
        let skipped = front::lines(text);
        let mut last = 0;
        for (index, line) in text.lines().enumerate().skip(skipped) {
            last = index + 1;
            open = match open {
                Some(fence) => outline.inside(fence, line, last),
                None => outline.outside(line, last),
            };
        }
        if let Some(Fence { chunk: Some(chunk), .. }) = open {
            outline.chunks.push(Chunk { end: last, is_closed: false, ..chunk });
        }
        outline.chunks.iter_mut().for_each(Chunk::take_options);
        outline
    }

    fn inside(&mut self, mut fence: Fence, line: &str, number: usize) -> Option<Fence> {
        let bare = line.trim_start_matches(['\t', ' ', '>']);
        if run(bare, fence.mark) >= fence.length && bare.trim_end().chars().all(|c| c == fence.mark)
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

    fn outside(&mut self, line: &str, number: usize) -> Option<Fence> {
        let bare = line.trim_start_matches(['\t', ' ', '>']);
        let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        if let Some(mark) = mark.filter(|mark| run(bare, *mark) >= 3) {
            let length = run(bare, mark);
            let info = bare[length..].trim();
            // Backquotes behind it make it code in a line.
            if mark == '~' || !info.contains('`') {
                return Some(Fence { mark, length, chunk: opened(info, number) });
            }
        }
        self.heading(line, number);
        self.prose.push((number, line.to_owned()));
        None
    }

    fn heading(&mut self, line: &str, number: usize) {
        let level = run(line, '#');
        if (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']) {
            let text = plain(&line[level..]);
            self.headings.push(Heading { level, text, line: number });
            return;
        }
        let underline = line.trim_end();
        let level = match underline.chars().next() {
            Some('=') if underline.len() > 1 && underline.chars().all(|c| c == '=') => 1,
            Some('-') if underline.len() > 1 && underline.chars().all(|c| c == '-') => 2,
            _ => return,
        };
        let above = self.prose.last().filter(|(at, text)| {
            at + 1 == number && !text.trim().is_empty() && run(text, '#') == 0
        });
        if let Some((line, text)) = above {
            self.headings.push(Heading { level, text: plain(text), line: *line });
        }
    }
}

impl Chunk {
    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Finds the label and the options, in the line that opens the chunk and in the comments it begins with.
    fn take_options(&mut self) {
        for (index, part) in arguments(&self.header).into_iter().enumerate() {
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
        let more = comments
            .filter_map(|comment| comment.split_once(':'))
            .filter(|(key, _)| !key.starts_with("  "));
        let more: Vec<_> =
            more.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())).collect();
        self.options.extend(more);
        let named = self.option("label").map(|label| label.trim_matches(['"', '\'']).to_owned());
        self.label = self.label.take().or(named).filter(|label| !label.is_empty());
    }
}

/// The chunk that the words behind a fence open, if they do: `{r label, echo=FALSE}`.
fn opened(info: &str, line: usize) -> Option<Chunk> {
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

/// The parts of a list of arguments of R: commas in quotes and brackets part nothing.
fn arguments(text: &str) -> Vec<&str> {
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

/// A heading without its annotations and attributes.
fn plain(text: &str) -> String {
    let text = text.trim().trim_end_matches('#').trim_end();
    let text = match text.rfind('{') {
        Some(at) if text.ends_with('}') => text[..at].trim_end(),
        _ => text,
    };
    text.to_owned()
}

/// How often a text begins with a character.
fn run(text: &str, mark: char) -> usize {
    text.chars().take_while(|c| *c == mark).count()
}

#[cfg(test)]
mod tests {
    use super::Outline;

    #[test]
    fn headings_and_chunks_are_found_where_they_are() {
        let text = "---\ntitle: x\n# no\n---\n\n# One {#id}\n\n```{r setup, include=FALSE, fig.cap=\"a, b\"}\nx <- 1\n# no heading\n```\n\nTwo\n---\n\n````md\n```{r}\n```\n````\n```{python}\n#| label: plot\n#| echo: false\npass\n```\n### Three ##\n";
        let outline = Outline::of(text);
        let headings: Vec<_> =
            outline.headings.iter().map(|one| (one.level, one.text.as_str(), one.line)).collect();
        assert_eq!(headings, [(1, "One", 6), (2, "Two", 13), (3, "Three", 25)]);
        let chunks: Vec<_> = outline
            .chunks
            .iter()
            .map(|one| (one.engine.as_str(), one.label.as_deref(), one.line, one.end))
            .collect();
        assert_eq!(chunks, [("r", Some("setup"), 8, 11), ("python", Some("plot"), 20, 24)]);
        assert_eq!(outline.chunks[0].option("fig.cap"), Some("\"a, b\""));
        assert_eq!(outline.chunks[1].option("echo"), Some("false"));
    }

    #[test]
    fn code_that_is_only_shown_is_no_chunk() {
        for text in [
            "```r\nx\n```\n",
            "```{=html}\nx\n```\n",
            "```{.r}\nx\n```\n",
            "`` ```{r} ``\n",
            "~~~\n```{r}\n~~~\n",
        ] {
            assert_eq!(Outline::of(text).chunks, [], "{text}");
        }
    }

    #[test]
    fn an_open_chunk_goes_on_to_the_end() {
        let outline = Outline::of("```{r a-b c}\nx\n\n# text\n");
        assert_eq!((outline.chunks[0].is_closed, outline.chunks[0].end), (false, 4));
        assert_eq!(outline.chunks[0].label.as_deref(), Some("a-b c"));
        assert_eq!(outline.headings, []);
    }
}
