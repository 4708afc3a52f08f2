//! Recognizes commands that run code from their arguments, also behind wrappers: `sh -c`,
//! `timeout 5 bash -c`, `python -c`, `xargs perl -e`, `git rebase --exec`.
//!
//! No schema limits the effects of such a command, so its calls need approval. When in doubt, the
//! check asks for approval, because it does not know every flag of every program.

mod form;
mod index;
mod interpreter;
mod programs;

use std::collections::BTreeSet;

use index::{count_operands, find_file_flags, find_forms, find_interpreter};
use programs::{CODE_FLAGS, Form, Interpreter, PLAIN_FLAGS, SHELLS};

use crate::implementation::{Binding, PassBy, Piece, Process};

/// Whether files that a program's arguments name may be code that it runs: interpreters, and
/// wrappers that start another program.
pub fn runs_named_files(program: &str) -> bool {
    find_interpreter(program).is_some()
        || count_operands(program).is_some()
        || find_file_flags(program).is_some()
}

/// The word of a command line that names the code to run: the script of an interpreter, or the
/// program behind a wrapper. The `words` follow the program; `is_program_file` recognizes those
/// that name a program by its path. Other words are data, even if they name files with code.
pub fn find_script(
    program: &str,
    words: &[&str],
    is_program_file: &dyn Fn(&str) -> bool,
) -> Option<usize> {
    if let Some(interpreter) = find_interpreter(program) {
        return interpreter.find_script(words);
    }
    if let Some(flags) = find_file_flags(program) {
        return find_code_file(flags, words);
    }
    count_operands(program)?;
    let is_started =
        |word: &&str| is_command_word(word) && (runs_named_files(word) || is_program_file(word));
    let at = words.iter().position(is_started)?;
    if runs_named_files(words[at]) {
        let behind = find_script(words[at], &words[at + 1..], is_program_file)?;
        return Some(at + 1 + behind);
    }
    Some(at)
}

impl Process {
    /// Whether the program is a shell that runs an argument as a script (`sh -c`), directly or
    /// behind a wrapper.
    pub fn is_shell_script(&self) -> bool {
        self.find_given_code().is_some_and(|interpreter| is_named(SHELLS, interpreter))
    }

    /// Finds the program that runs code from the arguments, or the wrapper whose program the caller
    /// chooses.
    pub fn find_given_code(&self) -> Option<&str> {
        find_code(&self.program, &self.pieces)
    }
}

/// Maximum number of words of a command line that are examined as possible programs, which bounds
/// the time.
const MAX_PROGRAMS: usize = 64;

/// A program and the pieces of its command line.
type CommandLine<'a> = (&'a str, &'a [Piece]);

/// Finds the program that runs code from the arguments: this one, or one that it starts.
fn find_code<'a>(program: &'a str, pieces: &'a [Piece]) -> Option<&'a str> {
    let mut chosen = None;
    let mut seen = BTreeSet::new();
    let mut lines = vec![(program, pieces)];
    while let Some((program, pieces)) = lines.pop() {
        // Each word is a possible program for every wrapper before it. The number of words after it
        // identifies it.
        if !seen.insert(pieces.len()) {
            continue;
        }
        // Unexamined words may run code, so the call has to wait for approval.
        if seen.len() > MAX_PROGRAMS {
            return Some(program);
        }
        let forms = || find_forms(program);
        let interpreter = find_interpreter(program);
        if interpreter.is_some_and(|interpreter| interpreter.takes_code(pieces))
            || forms().any(|form| form.takes_code(pieces))
            || interpreter.is_none() && has_code_flag(pieces)
        {
            return Some(program);
        }
        lines.extend(interpreter.and_then(|interpreter| interpreter.find_module(pieces)));
        if interpreter.is_none() {
            lines.extend(find_interpreters(pieces));
        }
        if is_named("find", program) {
            lines.extend(find_commands_of_find(pieces));
            continue;
        }
        let own = count_operands(program).map(|operands| (operands, pieces));
        for (operands, pieces) in
            own.into_iter().chain(forms().filter_map(|f| f.find_command(pieces)))
        {
            let (programs, is_chosen) = find_programs(program, pieces, operands);
            lines.extend(programs);
            chosen = chosen.or(is_chosen.then_some(program));
        }
    }
    chosen
}

/// The interpreters that any program may start, because code follows their name:
/// `unknown bash -c {}`.
fn find_interpreters(pieces: &[Piece]) -> impl Iterator<Item = CommandLine<'_>> {
    pieces.iter().enumerate().filter_map(|(index, piece)| {
        let Piece::Word(word) = piece else {
            return None;
        };
        let rest = &pieces[index + 1..];
        let runs_code = find_interpreter(word)?.has_code_flag(rest);
        runs_code.then_some((word.as_str(), rest))
    })
}

/// Whether a parameter is the value of a flag that takes code in most programs.
fn has_code_flag(pieces: &[Piece]) -> bool {
    let is_known = |flag: &str| has_word(CODE_FLAGS, flag.trim_end_matches('='));
    let is_option = |piece: &Piece| {
        matches!(piece, Piece::Parameter(binding) if binding.pass_by.is_code_way()
            && binding.flag.as_deref().is_some_and(is_known))
    };
    let is_value = |pair: &[Piece]| matches!(pair, [Piece::Word(flag), Piece::Parameter(binding)] if is_known(flag) && is_argument(binding));
    pieces.iter().any(is_option) || pieces.windows(2).any(is_value)
}

/// The programs that a wrapper may start, after `operands` other arguments, and whether a parameter
/// takes the place of the program. Words whose place is uncertain count as possible programs.
fn find_programs<'a>(
    wrapper: &str,
    pieces: &'a [Piece],
    mut operands: usize,
) -> (Vec<CommandLine<'a>>, bool) {
    let mut programs = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            // A list of values before the program can contain the program, too.
            Piece::Parameter(binding) if is_argument(binding) => return (programs, true),
            Piece::Word(word) if is_command_word(word) => {
                programs.push((word.as_str(), &pieces[index + 1..]));
                if is_flag_value(wrapper, pieces, index) {
                    continue;
                }
                if operands == 0 {
                    break;
                }
                operands -= 1;
            }
            Piece::Word(_) | Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => {}
        }
    }
    (programs, false)
}

/// Returns the commands after `-exec` and the like; `find` starts no other programs.
fn find_commands_of_find(pieces: &[Piece]) -> impl Iterator<Item = CommandLine<'_>> {
    const EXECUTES: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
    (0..pieces.len()).filter_map(|index| match &pieces[index..] {
        [Piece::Word(flag), Piece::Word(program), rest @ ..]
            if EXECUTES.contains(&flag.as_str()) =>
        {
            Some((program.as_str(), rest))
        }
        _ => None,
    })
}

/// Whether a word of a wrapper may be the value of the flag before it.
fn is_flag_value(wrapper: &str, pieces: &[Piece], index: usize) -> bool {
    let Some(Piece::Word(flag)) = index.checked_sub(1).map(|before| &pieces[before]) else {
        return false;
    };
    // `-n1` and `--signal=9` contain their value.
    let may_have_value = flag.starts_with('-')
        && !has_word(PLAIN_FLAGS, flag)
        && !flag.contains('=')
        && (flag.starts_with("--") || flag.len() == 2);
    let takes_value = |form: &Form| has_word(form.with_value, flag);
    may_have_value || flag.starts_with('-') && find_forms(wrapper).any(takes_value)
}

/// Returns the index of the word that names a file with code, either alone or joined to its flag.
fn find_code_file(flags: &str, words: &[&str]) -> Option<usize> {
    let has_value = |word: &&str| {
        let parts = word.split_once('=');
        parts.is_some_and(|(flag, _)| flag.len() > 2 && has_word(flags, flag))
    };
    let after = || words.iter().position(|word| has_word(flags, word)).map(|flag| flag + 1);
    words.iter().position(has_value).or_else(after)
}

impl PassBy {
    /// Whether a value that is passed this way can become the name of a program or code.
    fn is_code_way(&self) -> bool {
        matches!(self, Self::Argument | Self::File | Self::FileIfMultiline(_))
    }
}

fn takes_stdin(pieces: &[Piece]) -> bool {
    let is_stdin = |piece: &Piece| matches!(piece, Piece::Parameter(binding) if binding.pass_by == PassBy::Stdin);
    pieces.iter().any(is_stdin)
}

/// Whether a word is a conventional name for standard input.
fn is_stdin_name(word: &str) -> bool {
    ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].contains(&word)
}

/// A word that can be the program of a wrapper: not a flag, a number, a duration or an assignment.
fn is_command_word(word: &str) -> bool {
    !word.starts_with('-')
        && !word.contains('=')
        && !word.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a parameter is an argument on the command line: one without a flag, or the end of a word
/// (`git -c core.pager={}`).
fn is_argument(binding: &Binding) -> bool {
    let is_plain = |flag: &str| flag == "--" || flag == "-" || !flag.starts_with(['-', '+']);
    binding.flag.as_deref().is_none_or(is_plain) && binding.pass_by.is_code_way()
}

/// Whether a program has one of these names, ignoring folder and version.
fn is_named(names: &str, program: &str) -> bool {
    let (file, name) = split_version(program);
    !name.is_empty() && (has_word(names, name) || has_word(names, file))
}

/// The file name of a program, and its name without a version: `python` for `/usr/bin/python3.12`.
fn split_version(program: &str) -> (&str, &str) {
    let file = program.rsplit('/').next().unwrap_or_default();
    (file, file.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-'))
}

fn has_word(words: &str, word: &str) -> bool {
    words.split_ascii_whitespace().any(|known| known == word)
}

#[cfg(test)]
mod tests {
    use super::{Binding, Piece, Process, find_script};

    #[test]
    fn finds_the_script_and_nothing_else() {
        for (line, expected) in [
            ("sh run.sh data.sh", Some("run.sh")),
            ("bash -o pipefail -e run data", Some("run")),
            ("python3 -W ignore tool.py in.py", Some("tool.py")),
            ("Rscript --vanilla a.R", Some("a.R")),
            ("R --no-echo --file=a.R", Some("--file=a.R")),
            ("timeout 5 sh run.sh", Some("run.sh")),
            ("env LANG=C nice -n 10 python3 a.py b.py", Some("a.py")),
            ("timeout 5 ./job.sh ./data.sh", Some("./job.sh")),
            ("awk -f prog data", Some("prog")),
            ("make --file=rules.mk all", Some("--file=rules.mk")),
            ("deno run --quiet a.ts", Some("a.ts")),
            ("java -jar a.jar b.jar", Some("a.jar")),
            ("uv run a.py", Some("a.py")),
            ("git -f file", None),
            ("sh -c code data.sh", None),
            ("python3 -m module data.py", None),
            ("timeout 5 sed -i s/a/b/ notes.sh", None),
            ("tee run.sh", None),
        ] {
            let words: Vec<_> = line.split(' ').collect();
            let is_program_file = |word: &str| word.starts_with("./");
            let found = find_script(words[0], &words[1..], &is_program_file);
            assert_eq!(found.map(|index| words[index + 1]), expected, "{line}");
        }
    }

    #[test]
    fn recognizes_a_shell_script() {
        let process = |program: &str, words: &[&str]| {
            let pieces = words.iter().map(|word| Piece::Word((*word).to_owned())).collect();
            Process { program: program.to_owned(), pieces }
        };
        assert!(process("bash", &["-c"]).is_shell_script());
        assert!(process("timeout", &["5", "sh", "-c"]).is_shell_script());
        assert!(process("git", &["bisect", "run", "sh", "-c"]).is_shell_script());
        assert!(!process("python3", &["-c"]).is_shell_script());
        let flag = vec![Piece::Parameter(Binding::option("c", "-c"))];
        assert!(Process { program: "bash".into(), pieces: flag }.is_shell_script());
    }
}
