//! The other documents that a text refers to, and so may read when it is rendered.
//!
//! This decides which files invalidate a cached render. The text is searched, not parsed: a
//! reference too many costs a render, one too few would serve a stale result.

use std::collections::BTreeSet;

/// Extensions of documents.
const EXTENSIONS: [&str; 3] = [".Rmd", ".rmd", ".qmd"];

/// R functions that list files, so that the text need not contain the names of those it reads.
const LISTING_FUNCTIONS: [&str; 5] = ["list.files", "list.dirs", "Sys.glob", "dir_ls", "dir("];

/// The documents that a text refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentReferences {
    /// File names without folders. Where code computes a name, such as `paste0("part", n, ".Rmd")`,
    /// this has a fragment that is no existing file.
    pub names: BTreeSet<String>,
    /// Whether it lists files, and so may read any of them.
    pub lists_files: bool,
}

/// Finds the documents that a text refers to.
pub fn find_references(text: &str) -> DocumentReferences {
    let ends = EXTENSIONS.iter().flat_map(|extension| {
        text.match_indices(extension).map(|(at, extension)| at + extension.len())
    });
    let names = ends.map(|end| {
        let before = text[..end].trim_end_matches(is_name_char);
        text[before.len()..end].to_owned()
    });
    DocumentReferences {
        names: names.collect(),
        lists_files: LISTING_FUNCTIONS.iter().any(|function| text.contains(function)),
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | ',' | '=' | '@')
}

#[cfg(test)]
mod tests {
    use super::find_references;

    fn names(text: &str) -> Vec<String> {
        find_references(text).names.into_iter().collect()
    }

    #[test]
    fn finds_names_anywhere_in_the_text() {
        assert_eq!(
            names("```{r, child = 'parts/intro.Rmd'}\n```\n{{< include _end.qmd >}}"),
            ["_end.qmd", "intro.Rmd"]
        );
        assert_eq!(names("see größe.rmd"), ["größe.rmd"]);
        assert_eq!(names("no documents at all. Rmd"), [""; 0]);
    }

    #[test]
    fn computed_names_leave_a_fragment() {
        assert_eq!(names("paste0('part', 1, '.Rmd')"), [".Rmd"]);
        assert_eq!(names("sprintf('part%d.Rmd', 1)"), ["d.Rmd"]);
    }

    #[test]
    fn detects_functions_that_list_files() {
        for text in ["list.files(pattern = 'x')", "fs::dir_ls()", "dir('.')", "Sys.glob('*')"] {
            assert!(find_references(text).lists_files, "{text}");
        }
        assert!(!find_references("plot(cars)").lists_files);
    }
}
