//! The current `[flags]` of a crib, which people edit while a server runs.

use std::path::PathBuf;

use catalog::flag::FlagValues;
use parking_lot::Mutex;

use crate::{Crib, discover::CONFIG, files::FileVersion};

/// The `[flags]` of a crib. The file is parsed again whenever it has changed; it is never written.
#[derive(Debug)]
pub struct FlagDefaults {
    path: PathBuf,
    last: Mutex<(Option<FileVersion>, Crib)>,
}

impl FlagDefaults {
    /// Starts from the configuration of an open crib.
    pub fn new(crib: &Crib) -> Self {
        let path = crib.folder.join(CONFIG);
        Self { last: Mutex::new((FileVersion::of(&path), crib.clone())), path }
    }

    /// The current flags. While the configuration is invalid, these are the last valid ones.
    pub fn read(&self) -> FlagValues {
        // One `stat` for each call; parsing happens only after a change.
        let version = FileVersion::of(&self.path);
        let mut last = self.last.lock();
        if last.0 != version {
            // Stored even if the file turns out to be invalid, so that it is not parsed and
            // reported again on every call.
            last.0 = version;
            match last.1.reopen() {
                Ok(crib) => last.1 = crib,
                Err(error) => {
                    tracing::warn!("the flags of the last valid configuration stay in use: {error}")
                }
            }
        }
        last.1.flags.clone()
    }
}
