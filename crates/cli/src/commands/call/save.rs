//! `call --save DIR`: writes images and other binary results to files.

use std::{fs, io, path::Path};

use atomic_file::Access;
use catalog::Content;

use crate::{error::CommandError, terminal};

/// Maximum number of candidate file names for one content.
const MAX_FILES: usize = 10_000;

/// Writes the binary contents of a result to a folder, under new names.
pub(super) fn save_contents(
    folder: &Path,
    tool: &str,
    contents: &[Content],
) -> Result<(), CommandError> {
    fs::create_dir_all(folder).map_err(|error| CommandError::io("create", folder, &error))?;
    for content in contents {
        if let Content::Image { data, mime_type } | Content::Audio { data, mime_type } = content {
            let path = create_file(folder, tool, extension_of(mime_type), data)?;
            terminal::note(&format!("saved {}", path.display()));
        }
    }
    Ok(())
}

fn create_file(
    folder: &Path,
    tool: &str,
    extension: &str,
    data: &[u8],
) -> Result<std::path::PathBuf, CommandError> {
    for number in 1..MAX_FILES {
        let path = folder.join(format!("{tool}-{number}.{extension}"));
        match atomic_file::create(&path, data, Access::Usual) {
            Ok(()) => return Ok(path),
            // Existing files are never overwritten: try the next name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(CommandError::io("write", &path, &error)),
        }
    }
    Err(CommandError::machine(format!("{} has too many files of `{tool}`", folder.display())))
}

fn extension_of(mime_type: &str) -> &str {
    match mime_type.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "application/pdf" => "pdf",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/mpeg" => "mp3",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use catalog::Content;

    use super::save_contents;

    #[test]
    fn saves_binary_contents_under_new_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let image = |byte| Content::Image { data: vec![byte], mime_type: "image/png".to_owned() };
        let contents = [Content::Text("text".to_owned()), image(1), image(2)];
        let plots = folder.path().join("plots");
        for _ in 0..2 {
            save_contents(&plots, "plot", &contents).expect("saved");
        }
        let read =
            |number| std::fs::read(plots.join(format!("plot-{number}.png"))).expect("a file");
        assert_eq!((1..=4).map(read).collect::<Vec<_>>(), [[1], [2], [1], [2]]);
    }
}
