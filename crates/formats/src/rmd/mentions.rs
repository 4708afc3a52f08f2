//! Which other documents a text names, and so may have read when it is rendered. Nothing is parsed: a name that is only
//! talked about counts as well.

use std::collections::BTreeSet;

/// What the names of documents end with.
const ENDINGS: [&str; 3] = [".Rmd", ".rmd", ".qmd"];

/// What finds files that no text names.
const LISTING: [&str; 5] = ["list.files", "list.dirs", "Sys.glob", "dir_ls", "dir("];

/// The documents that a text names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mentions {
    /// Their names, without folders. What stands before an ending may be no name, where one is put together.
    pub names: BTreeSet<String>,
    /// Whether it looks for files, and so may read any.
    pub lists_files: bool,
}

/// The documents that a text names.
pub fn mentions(text: &str) -> Mentions {
    let ends = ENDINGS
        .iter()
        .flat_map(|ending| text.match_indices(ending).map(|(at, ending)| at + ending.len()));
    let names = ends.map(|end| {
        let before = text[..end].trim_end_matches(is_of_name);
        text[before.len()..end].to_owned()
    });
    Mentions {
        names: names.collect(),
        lists_files: LISTING.iter().any(|function| text.contains(function)),
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | ',' | '=' | '@')
}

#[cfg(test)]
mod tests {
    use super::mentions;

    fn names(text: &str) -> Vec<String> {
        mentions(text).names.into_iter().collect()
    }

    #[test]
    fn finds_names_wherever_they_stand() {
        assert_eq!(
            names("```{r, child = 'parts/intro.Rmd'}\n```\n{{< include _end.qmd >}}"),
            ["_end.qmd", "intro.Rmd"]
        );
        assert_eq!(names("see größe.rmd"), ["größe.rmd"]);
        assert_eq!(names("no documents at all. Rmd"), [""; 0]);
    }

    #[test]
    fn names_that_are_put_together_are_no_names() {
        assert_eq!(names("paste0('part', 1, '.Rmd')"), [".Rmd"]);
        assert_eq!(names("sprintf('part%d.Rmd', 1)"), ["d.Rmd"]);
    }

    #[test]
    fn looking_for_files_is_noticed() {
        for text in ["list.files(pattern = 'x')", "fs::dir_ls()", "dir('.')", "Sys.glob('*')"] {
            assert!(mentions(text).lists_files, "{text}");
        }
        assert!(!mentions("plot(cars)").lists_files);
    }
}
