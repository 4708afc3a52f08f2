//! The commands in the blocks of a page.

/// A command, and what the page shows of its output.
pub(super) struct Documented {
    /// The line of the page, from 1.
    pub(super) line: usize,
    /// One line or, with here documents, several.
    pub(super) text: String,
    /// `None` if the page shows no output.
    pub(super) output: Option<String>,
}

/// The commands of all `console` and `sh` blocks, in order.
pub(super) fn find(page: &str) -> Vec<Documented> {
    let mut found = Vec::new();
    for block in find_blocks(page) {
        match block.language {
            "console" => found.extend(read_console(&block)),
            "sh" => found.extend(read_script(&block)),
            _ => {}
        }
    }
    found
}

/// Lines that look like commands but are in other blocks, so that no test runs them.
pub(super) fn find_outside_blocks(page: &str) -> Vec<String> {
    let blocks = find_blocks(page);
    let is_command = |line: &str| line.starts_with("$ ") || line.starts_with("toolcrib ");
    let other = blocks.iter().filter(|block| !matches!(block.language, "console" | "sh"));
    let other = other.flat_map(|block| block.lines.iter().map(|(_, line)| *line));
    let indented = page.lines().filter_map(|line| line.strip_prefix("    "));
    other.chain(indented).filter(|line| is_command(line)).map(str::to_owned).collect()
}

struct Block<'a> {
    language: &'a str,
    /// The lines with their numbers.
    lines: Vec<(usize, &'a str)>,
}

/// The fenced blocks. A longer fence may contain shorter ones.
fn find_blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, Block<'_>)> = None;
    for (number, line) in page.lines().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match &mut open {
            None if ticks >= 3 => {
                open = Some((ticks, Block { language: line[ticks..].trim(), lines: Vec::new() }));
            }
            None => {}
            Some((fence, _)) if ticks >= *fence && line.len() == ticks => {
                blocks.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => block.lines.push((number + 1, line)),
        }
    }
    assert!(open.is_none(), "a block has no end");
    blocks
}

fn read_console(block: &Block<'_>) -> Vec<Documented> {
    let mut found: Vec<Documented> = Vec::new();
    let mut lines = block.lines.iter();
    while let Some((number, line)) = lines.next() {
        if let Some(command) = line.strip_prefix("$ ") {
            let text = read_command(command, &mut lines);
            found.push(Documented { line: *number, text, output: None });
        } else if let Some(last) = found.last_mut() {
            let output = last.output.get_or_insert_default();
            output.push_str(line);
            output.push('\n');
        } else {
            // Another prompt, such as that of Python: not a command.
            return Vec::new();
        }
    }
    found
}

fn read_script(block: &Block<'_>) -> Vec<Documented> {
    let mut lines = block.lines.iter();
    let mut found = Vec::new();
    while let Some((number, line)) = lines.next() {
        if !line.trim().is_empty() && !line.starts_with('#') {
            found.push(Documented {
                line: *number,
                text: read_command(line, &mut lines),
                output: None,
            });
        }
    }
    found
}

/// A command with its here document.
fn read_command<'a>(first: &str, lines: &mut impl Iterator<Item = &'a (usize, &'a str)>) -> String {
    let mut text = first.to_owned();
    let Some((_, rest)) = first.split_once("<<'") else { return text };
    let end = rest.split('\'').next().expect("the word after `<<'`");
    for (_, line) in lines {
        text.push('\n');
        text.push_str(line);
        if *line == end {
            return text;
        }
    }
    panic!("`{first}` has no end");
}
