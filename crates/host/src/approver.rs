//! Who may approve calls: a person at a terminal, who may have to know a passphrase, or a script of
//! the operator that can read a credential.
//!
//! Both are files of the state folder, which no sandboxed program can read or write.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use argon2::Argon2;
use atomic_file::Access;
use catalog::Catalog;
use runtime::{Settings, can_tools_read, operation::ApprovalId};
use serde_json::{Value, json};
use workspace::Crib;

use crate::http_token::is_private;

/// The length of the hash, in bytes.
const HASH_BYTES: usize = 32;

/// Decides who may approve the calls of a crib.
pub struct Approver {
    passphrase: PathBuf,
    credential: PathBuf,
}

/// Why the operator's credential does not count.
#[derive(Debug, thiserror::Error)]
pub enum CredentialError {
    /// It does not exist, or it cannot be read.
    #[error("cannot read the operator credential {}: {source}", path.display())]
    Unreadable {
        /// Where it is expected.
        path: PathBuf,
        /// Why it cannot be read.
        source: io::Error,
    },
    /// Other users can read it, or it belongs to another user.
    #[error("{} must be a file that only its owner can read", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
    },
    /// Tools can read it, for example because they run without a sandbox.
    #[error("tools of this crib can read {}", path.display())]
    InReach {
        /// The file.
        path: PathBuf,
    },
}

impl Approver {
    /// The approver of a crib.
    pub fn new(crib: &Crib) -> Self {
        Self::of_state(&crib.state_folder())
    }

    /// An approver for a crib of which only the state folder is known.
    pub fn of_state(state: &Path) -> Self {
        Self {
            passphrase: state.join("passphrase.json"),
            credential: state.join("operator-credential"),
        }
    }

    /// Whether each approval needs a passphrase. A file that cannot be read counts as one: refusing
    /// every approval is safer than accepting every one.
    pub fn has_passphrase(&self) -> bool {
        fs::symlink_metadata(&self.passphrase).is_ok()
    }

    /// Sets the passphrase; an empty one removes it.
    pub fn set_passphrase(&self, passphrase: &str) -> io::Result<()> {
        if passphrase.is_empty() {
            return fs::remove_file(&self.passphrase);
        }
        // An id has 128 random bits: a salt.
        let salt = ApprovalId::random().to_string();
        let hash = hash_passphrase(passphrase, &salt)?;
        let text = json!({"salt": salt, "argon2id": hash}).to_string();
        atomic_file::replace(&self.passphrase, text.as_bytes(), Access::OwnerOnly)
    }

    /// Whether this is the passphrase. Takes some tens of milliseconds, so that guessing is slow.
    pub fn is_passphrase(&self, passphrase: &str) -> io::Result<bool> {
        let stored: Value = serde_json::from_slice(&fs::read(&self.passphrase)?)?;
        let hash = hash_passphrase(passphrase, stored["salt"].as_str().unwrap_or_default())?;
        Ok(stored["argon2id"] == json!(hash))
    }

    /// Creates the credential with which scripts of the operator approve. Returns its path.
    pub fn create_credential(&self) -> io::Result<&Path> {
        let text = ApprovalId::random();
        atomic_file::replace(&self.credential, text.as_str().as_bytes(), Access::OwnerOnly)?;
        Ok(&self.credential)
    }

    /// Succeeds if this process can read the credential, and neither other users nor tools with
    /// these settings can.
    pub fn check_credential(
        &self,
        settings: &Settings,
        tools: &Catalog,
    ) -> Result<(), CredentialError> {
        let unreadable =
            |source| CredentialError::Unreadable { path: self.credential.clone(), source };
        let metadata = fs::symlink_metadata(&self.credential).map_err(unreadable)?;
        // Landlock does not restrict metadata, so only reading the content shows that this process
        // may.
        fs::read(&self.credential).map_err(unreadable)?;
        let folder = self.credential.parent().unwrap_or(&self.credential);
        let owner = fs::metadata(folder).map_err(unreadable)?.uid();
        if metadata.uid() != owner || !is_private(&metadata) {
            return Err(CredentialError::Exposed { path: self.credential.clone() });
        }
        let real = self.credential.canonicalize().map_err(unreadable)?;
        if can_tools_read(settings, tools.tools(), &real) {
            return Err(CredentialError::InReach { path: self.credential.clone() });
        }
        Ok(())
    }
}

fn hash_passphrase(passphrase: &str, salt: &str) -> io::Result<Vec<u8>> {
    let mut hash = vec![0; HASH_BYTES];
    Argon2::default()
        .hash_password_into(passphrase.as_bytes(), salt.as_bytes(), &mut hash)
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::{Approver, Catalog, CredentialError, Settings};

    fn approver(folder: &tempfile::TempDir) -> Approver {
        Approver {
            passphrase: folder.path().join("passphrase.json"),
            credential: folder.path().join("operator-credential"),
        }
    }

    #[test]
    fn accepts_only_the_stored_passphrase() {
        let folder = tempfile::tempdir().expect("a folder");
        let approver = approver(&folder);
        assert!(!approver.has_passphrase());
        approver.set_passphrase("correct horse").expect("set");
        assert!(approver.has_passphrase());
        let stored = fs::read_to_string(&approver.passphrase).expect("a file");
        assert!(!stored.contains("horse"), "{stored}");
        let mode = fs::metadata(&approver.passphrase).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(approver.is_passphrase("correct horse").expect("readable"));
        assert!(!approver.is_passphrase("battery staple").expect("readable"));
        approver.set_passphrase("").expect("removed");
        assert!(!approver.has_passphrase());
    }

    #[test]
    fn rejects_a_credential_that_others_can_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let approver = approver(&folder);
        let check = || {
            let settings = Settings::new("/nowhere".into());
            approver.check_credential(&settings, &Catalog::default())
        };
        let missing = check();
        assert!(matches!(missing, Err(CredentialError::Unreadable { .. })), "{missing:?}");
        approver.create_credential().expect("created");
        check().expect("private");
        let everybody = fs::Permissions::from_mode(0o644);
        fs::set_permissions(&approver.credential, everybody).expect("permissions");
        let exposed = check();
        assert!(matches!(exposed, Err(CredentialError::Exposed { .. })), "{exposed:?}");
    }
}
