//! The flags of a configuration as they are now, however often its file is edited by hand.

use std::{fs, path::PathBuf, time::SystemTime};

use catalog::flag::FlagValues;
use parking_lot::Mutex;

use crate::{Crib, crib};

/// The `[flags]` of a crib. The file is looked at each time and read when it has changed; it is never written.
#[derive(Debug)]
pub struct FlagDefaults {
    path: PathBuf,
    last: Mutex<(Option<Stamp>, Crib)>,
}

/// What changes when a file does.
type Stamp = (SystemTime, u64, u64);

impl FlagDefaults {
    /// The flags of the configuration that this crib has.
    pub fn new(crib: &Crib) -> Self {
        let path = crib.folder.join(crib::CONFIG);
        Self { last: Mutex::new((stamp(&path), crib.clone())), path }
    }

    /// The flags now. A configuration that cannot be used is passed over.
    pub fn read(&self) -> FlagValues {
        let now = stamp(&self.path);
        let mut last = self.last.lock();
        if last.0 != now {
            last.0 = now;
            match last.1.reopen() {
                Ok(crib) => last.1 = crib,
                Err(error) => {
                    tracing::warn!("kept the flags of the configuration as they were: {error}")
                }
            }
        }
        last.1.flags.clone()
    }
}

fn stamp(path: &PathBuf) -> Option<Stamp> {
    use std::os::unix::fs::MetadataExt;
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len(), about.ino()))
}
