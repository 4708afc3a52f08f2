//! Recognizes commands that run code from their arguments, also behind wrappers: `sh -c`,
//! `timeout 5 bash -c`, `python -c`, `xargs perl -e`.
//!
//! No schema limits what such a command does, so a call of it is asked about. The check errs on the
//! side of asking: a wrapper is searched for an interpreter in all of its words.

mod programs;

use programs::{CODE_TAKERS, CodeTaker, INTERPRETERS, Interpreter, PLAIN_FLAGS, SHELLS, WRAPPERS};

use crate::implementation::{Binding, PassBy, Piece, Process};

/// Whether files that a program's arguments name may be code that it runs: interpreters, and wrappers
/// that start another program.
pub fn runs_named_files(program: &str) -> bool {
    let name = base_name(program);
    find_interpreter(name).is_some() || WRAPPERS.contains(&name) || find_code_taker(name).is_some()
}

/// The word of a command line that names the code to run: the script of an interpreter, or the program
/// behind a wrapper. The `words` follow the program; `is_program_file` recognizes those that name a program
/// by its path. Other words are data, even if they name files with code.
pub fn find_script(
    program: &str,
    words: &[&str],
    is_program_file: &dyn Fn(&str) -> bool,
) -> Option<usize> {
    let name = base_name(program);
    if let Some(interpreter) = find_interpreter(name) {
        return interpreter.find_script(words);
    }
    if let Some(taker) = find_code_taker(name) {
        return taker.find_file(words);
    }
    if !WRAPPERS.contains(&name) {
        return None;
    }
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
    /// Whether the program is a shell that runs an argument as a script (`sh -c`), directly or behind
    /// a wrapper.
    pub fn is_shell_script(&self) -> bool {
        self.find_given_code().is_some_and(|interpreter| is_shell(base_name(interpreter)))
    }

    /// The interpreter that runs code from the arguments, or the wrapper whose program the caller
    /// chooses; `None` if there is neither.
    pub fn find_given_code(&self) -> Option<&str> {
        let name = base_name(&self.program);
        if let Some(interpreter) = find_interpreter(name) {
            return interpreter.takes_code(&self.pieces).then_some(&self.program);
        }
        if let Some(taker) = find_code_taker(name) {
            return taker.takes_code(&self.pieces).then_some(&self.program);
        }
        if !WRAPPERS.contains(&name) {
            return None;
        }
        let words = self.pieces.iter().enumerate();
        let behind = words.filter_map(|(index, piece)| match piece {
            Piece::Word(word) => Some((word, find_interpreter(base_name(word))?, index + 1)),
            Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => None,
        });
        let mut behind = behind.filter(|(_, found, next)| found.takes_code(&self.pieces[*next..]));
        let found = behind.next().map(|(word, ..)| word.as_str());
        let found = found.or_else(|| self.find_taker_behind());
        found.or_else(|| self.is_program_chosen().then_some(&self.program))
    }

    fn find_taker_behind(&self) -> Option<&str> {
        let words = self.pieces.iter().enumerate();
        let mut takers = words.filter_map(|(index, piece)| match piece {
            Piece::Word(word) => Some((word, find_code_taker(base_name(word))?, index + 1)),
            Piece::Parameter(_) | Piece::DoubleDash | Piece::Json => None,
        });
        let found = takers.find(|(_, taker, next)| taker.takes_code(&self.pieces[*next..]));
        found.map(|(word, ..)| word.as_str())
    }

    /// Whether a wrapper has no program of its own, so that a parameter names it, or a word that it
    /// splits itself.
    fn is_program_chosen(&self) -> bool {
        let splits = |piece: &Piece| matches!(piece, Piece::Word(word) if word == "-S" || word.starts_with("--split-string"));
        if base_name(&self.program) == "find" {
            return self.is_program_of_find_chosen();
        }
        // A parameter before the program, if it is not a number or an assignment, takes its place.
        let before =
            self.pieces.iter().enumerate().take_while(|(index, _)| !self.is_program(*index));
        let takes_words = before.into_iter().any(|(_, piece)| {
            matches!(piece, Piece::Parameter(binding)
            if is_positional(binding) && binding.pass_by.is_code_way())
        });
        self.pieces.iter().any(splits) || takes_words
    }

    /// Whether this piece is the program that a wrapper starts: not the value of a flag, and not
    /// another wrapper.
    fn is_program(&self, index: usize) -> bool {
        let Some(Piece::Word(word)) = self.pieces.get(index) else {
            return false;
        };
        let is_value = match index.checked_sub(1).map(|before| &self.pieces[before]) {
            Some(Piece::Word(flag)) => {
                // `-n1` and `--signal=9` have their value.
                flag.starts_with('-')
                    && !PLAIN_FLAGS.contains(&flag.as_str())
                    && !flag.contains('=')
                    && (flag.starts_with("--") || flag.len() == 2)
            }
            // The first word of `setarch` is an architecture.
            None => base_name(&self.program) == "setarch",
            Some(_) => false,
        };
        is_command_word(word) && !is_value && !WRAPPERS.contains(&base_name(word))
    }

    /// `find` has no program of its own, only those after `-exec`.
    fn is_program_of_find_chosen(&self) -> bool {
        let executes = |piece: &Piece| {
            matches!(piece, Piece::Word(word)
            if ["-exec", "-execdir", "-ok", "-okdir"].contains(&word.as_str()))
        };
        self.pieces.windows(2).any(|pair| {
            executes(&pair[0])
                && match &pair[1] {
                    Piece::Parameter(_) => true,
                    Piece::Word(word) => WRAPPERS.contains(&base_name(word)),
                    Piece::DoubleDash | Piece::Json => false,
                }
        })
    }
}

impl CodeTaker {
    /// Whether a parameter is one of the arguments that it runs.
    fn takes_code(&self, pieces: &[Piece]) -> bool {
        let is_flag = |flag: &str| self.flags.contains(&flag.split('=').next().unwrap_or(flag));
        let after_flag = pieces
            .windows(2)
            .any(|pair| matches!(pair, [Piece::Word(flag), Piece::Parameter(_)] if is_flag(flag)));
        let as_flag = pieces.iter().any(|piece| {
            matches!(piece, Piece::Parameter(Binding { flag: Some(flag), .. }) if is_flag(flag))
        });
        let first = pieces.iter().find(|piece| match piece {
            Piece::Word(word) => !word.starts_with('-'),
            Piece::Parameter(binding) => is_positional(binding),
            Piece::DoubleDash | Piece::Json => false,
        });
        // The expression of `-e` is in the place of the first argument.
        let has_code =
            pieces.iter().any(|piece| matches!(piece, Piece::Word(word) if is_flag(word)));
        let is_first = matches!(first, Some(Piece::Parameter(_)));
        after_flag || as_flag || self.takes_first && is_first && !has_code
    }

    /// The word that names a file with code, or a flag with the name.
    fn find_file(&self, words: &[&str]) -> Option<usize> {
        let has_value = |word: &&str| {
            let parts = word.split_once('=');
            parts.is_some_and(|(flag, _)| flag.len() > 2 && self.before_file.contains(&flag))
        };
        let is_before = |word: &&str| self.before_file.contains(word);
        let after = || words.iter().position(is_before).map(|flag| flag + 1);
        words.iter().position(has_value).or_else(after)
    }
}

fn find_code_taker(name: &str) -> Option<&'static CodeTaker> {
    CODE_TAKERS.iter().find(|taker| taker.names.contains(&name))
}

impl Interpreter {
    /// Whether it would run code from these arguments: after a flag, on standard input, or in a file
    /// that holds the value of a parameter. Flags after the name of a script belong to the script.
    fn takes_code(&self, pieces: &[Piece]) -> bool {
        let mut is_value = false;
        for piece in pieces {
            match piece {
                Piece::Word(_) if is_value => is_value = false,
                Piece::Word(word) if self.is_code_flag(word) => return true,
                Piece::Word(word) if word == "-" => return takes_stdin(pieces),
                Piece::Word(word) if word.starts_with(['-', '+']) => {
                    is_value = self.with_value.contains(&word.as_str());
                }
                // The name of a script.
                Piece::Word(_) => return false,
                Piece::Parameter(binding) => match &binding.flag {
                    Some(flag) if self.is_code_flag(flag) => return true,
                    Some(_) => {}
                    None if binding.pass_by == PassBy::Stdin => return true,
                    None if binding.pass_by == PassBy::File => return true,
                    // The caller chooses the script.
                    None if is_positional(binding) => {
                        return !is_value && binding.pass_by.is_code_way();
                    }
                    None => {}
                },
                Piece::DoubleDash | Piece::Json => {}
            }
        }
        takes_stdin(pieces)
    }

    /// The word that names the script, if there is one.
    fn find_script(&self, words: &[&str]) -> Option<usize> {
        let mut is_value = false;
        for (index, word) in words.iter().enumerate() {
            match *word {
                _ if is_value => is_value = false,
                // Standard input, or a module that the interpreter finds by itself: no word names a
                // file.
                "-" | "-m" => return None,
                // A subcommand, which the script follows.
                "run" if self.names.contains(&"deno") => {}
                word if self.is_code_flag(word) => return None,
                word if word.starts_with("--file=") => return Some(index),
                word if word.starts_with(['-', '+']) => is_value = self.with_value.contains(&word),
                _ => return Some(index),
            }
        }
        None
    }

    fn is_code_flag(&self, word: &str) -> bool {
        let is_word = self.words.iter().any(|known| {
            word.split('=').next().is_some_and(|name| name.eq_ignore_ascii_case(known))
        });
        // Short flags can be combined, as in `bash -ec` and `perl -ne`.
        let cluster = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
        is_word
            || cluster.is_some_and(|cluster| {
                !self.with_value.contains(&word)
                    && cluster.chars().any(|letter| self.letters.contains(letter))
            })
    }
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

/// A word that can be the program of a wrapper: not a flag, a number, a duration or an assignment.
fn is_command_word(word: &str) -> bool {
    !word.starts_with('-')
        && !word.contains('=')
        && !word.starts_with(|first: char| first.is_ascii_digit())
}

fn is_positional(binding: &Binding) -> bool {
    binding.flag.is_none()
}

fn is_shell(name: &str) -> bool {
    let powershell = ["pwsh", "powershell"];
    SHELLS.names.contains(&name) || powershell.contains(&name)
}

fn find_interpreter(name: &str) -> Option<&'static Interpreter> {
    INTERPRETERS.iter().find(|interpreter| interpreter.names.contains(&name))
}

/// The name of a program without folder and version: `python` for `/usr/bin/python3.12`.
fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::{Binding, PassBy, Piece, Process, find_script};

    fn process(line: &str) -> Process {
        let mut words = line.split(' ').map(str::to_owned);
        let program = words.next().unwrap_or_default();
        let piece = |word: String| match word.as_str() {
            "{}" => Piece::Parameter(Binding::positional("value")),
            "{stdin}" => {
                Piece::Parameter(Binding { pass_by: PassBy::Stdin, ..Binding::positional("value") })
            }
            "{file}" => {
                Piece::Parameter(Binding { pass_by: PassBy::File, ..Binding::positional("value") })
            }
            _ => Piece::Word(word),
        };
        Process { program, pieces: words.map(piece).collect() }
    }

    #[test]
    fn recognizes_code_in_arguments_behind_wrappers() {
        for line in [
            "sh -c {}",
            "/bin/bash -ec {}",
            "bash -o pipefail -c {}",
            "env sh -c {}",
            "env -S {}",
            "timeout 5 sh -c {}",
            "nice -n 10 bash -c {}",
            "xargs -0 sh -c {}",
            "find . -exec sh -c {}",
            "python3 -c {}",
            "/usr/bin/python3.12 -W ignore -Ic {}",
            "perl -ne {}",
            "ruby -e {}",
            "node --eval {}",
            "node -p {}",
            "Rscript -e {}",
            "php -r {}",
            "deno eval {}",
            "sh {stdin}",
            "python3 - {stdin}",
            "bash {file}",
            "timeout 5 {}",
            "xargs {}",
            "xargs -a list -I{} {}",
            "find . -exec {}",
            "find . -exec env {}",
            "setarch x86_64 {}",
            "linux64 {}",
            "timeout 2 watch -n1 {}",
            "timeout 2 awk {}",
            "awk {} data",
            "sed -n {}",
            "python3 {}",
            "bash {}",
            "make -f {}",
            "git -c {} log",
            "gdb -ex {}",
            "vim -c {}",
            "sqlite3 {}",
            "ssh {}",
            "npm exec -c {}",
            "zip -TT {}",
            "java -jar {}",
        ] {
            assert!(process(line).find_given_code().is_some(), "{line}");
        }
    }

    #[test]
    fn does_not_ask_about_scripts_in_files_and_other_programs() {
        for line in [
            "sh run.sh -c {}",
            "sh --version",
            "tar -c {}",
            "python3 tools/run.py -c {}",
            "python3 -m http.server",
            "timeout 5 ls {}",
            "find {} -name {}",
            "nice -n 10 make {}",
            "env LANG=C sort {}",
            "timeout 5 sh run.sh",
            "perl script.pl {stdin}",
            "git -c color.ui=never log",
            "git log {}",
            "xargs -0 grep {}",
            "env -u HOME ls {}",
            "sed s/a/b/ {}",
            "sed -n -e 1p {}",
            "awk {print} {}",
            "make {}",
            "tar xf {}",
            "npm run build {}",
            "find {} -exec wc -l ;",
        ] {
            let process = process(line);
            assert_eq!(process.find_given_code(), None, "{line}");
        }
    }

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
        assert!(process("bash -c {}").is_shell_script());
        assert!(process("timeout 5 sh -c {}").is_shell_script());
        assert!(!process("python3 -c {}").is_shell_script());
        let flag = vec![Piece::Parameter(Binding::option("c", "-c"))];
        assert!(Process { program: "bash".into(), pieces: flag }.is_shell_script());
    }
}
