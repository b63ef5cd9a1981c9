//! Credentials of a profile, from the file that AWS's tools share, read again when it changes.
//!
//! AWS SDKs and Tools Reference Guide, "Shared config and credentials files": sections of `name = value`. Of those only
//! keys are taken. A profile that assumes a role, signs on or starts a process is refused: its keys lie elsewhere.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use object_store::CredentialProvider;
use object_store::aws::AwsCredential;

use crate::settings::StoreVariables;

/// A profile of a file.
pub(super) struct Profile {
    path: PathBuf,
    name: String,
    /// The keys that were read last, and how old the file was.
    held: Mutex<Option<(SystemTime, Arc<AwsCredential>)>>,
}

/// Why a profile gives no keys.
#[derive(Debug, thiserror::Error)]
enum Keyless {
    #[error("neither AWS_SHARED_CREDENTIALS_FILE nor HOME says where profiles are")]
    Nowhere,
    #[error("{} cannot be read: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error(
        "{} has no aws_access_key_id and aws_secret_access_key for profile {name}; roles stand in EDGETILE_BUCKETS",
        path.display()
    )]
    Absent { path: PathBuf, name: String },
}

impl Profile {
    /// A profile of the file that the variables name; it must be there with its keys.
    pub(super) fn find(name: &str, variables: &StoreVariables) -> object_store::Result<Self> {
        let of_home = || Some(Path::new(variables.get("HOME")?).join(".aws/credentials"));
        let path = match variables.get("AWS_SHARED_CREDENTIALS_FILE") {
            Some(path) => PathBuf::from(path),
            None => of_home().ok_or_else(|| failed(Keyless::Nowhere))?,
        };
        let profile = Self {
            path,
            name: name.to_owned(),
            held: Mutex::default(),
        };
        profile.keys().map_err(failed)?;
        Ok(profile)
    }

    fn keys(&self) -> Result<Arc<AwsCredential>, Keyless> {
        let unreadable = |error| {
            let path = self.path.clone();
            Keyless::File { path, error }
        };
        let changed = fs::metadata(&self.path)
            .and_then(|file| file.modified())
            .map_err(unreadable)?;
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, keys)) = held.as_ref()
            && *of == changed
        {
            return Ok(keys.clone());
        }
        let text = fs::read_to_string(&self.path).map_err(unreadable)?;
        let keys = keys_of(&text, &self.name).ok_or_else(|| Keyless::Absent {
            path: self.path.clone(),
            name: self.name.clone(),
        })?;
        let keys = Arc::new(keys);
        *held = Some((changed, keys.clone()));
        Ok(keys)
    }
}

fn failed(error: Keyless) -> object_store::Error {
    object_store::Error::Generic {
        store: "profile",
        source: error.into(),
    }
}

fn keys_of(text: &str, profile: &str) -> Option<AwsCredential> {
    let header = |line: &str| {
        line.strip_prefix('[')?
            .split_once(']')
            .map(|(name, _)| name.trim().to_owned())
    };
    let lines = text.lines().map(str::trim);
    let of_profile = lines
        .skip_while(|line| header(line).as_deref() != Some(profile))
        .skip(1)
        .take_while(|line| !line.starts_with('['));
    let pairs: Vec<(&str, &str)> = of_profile
        .filter(|line| !line.starts_with(['#', ';']))
        .filter_map(|line| line.split_once('='))
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect();
    let value = |name: &str| {
        let mut of_name = pairs.iter().rev().filter(|(other, _)| *other == name);
        of_name.next().map(|(_, value)| (*value).to_owned())
    };
    Some(AwsCredential {
        key_id: value("aws_access_key_id")?,
        secret_key: value("aws_secret_access_key")?,
        token: value("aws_session_token"),
    })
}

#[async_trait::async_trait]
impl CredentialProvider for Profile {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        self.keys().map_err(failed)
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "
[default]
aws_access_key_id = A
aws_secret_access_key=b+/=
# aws_session_token = old

[ survey ]
region = eu-central-1
aws_access_key_id=C
aws_secret_access_key = d
aws_session_token = e==
[role]
role_arn = arn:aws:iam::1:role/r
source_profile = default
";

    #[test]
    fn keys_are_those_of_the_section() {
        let keys = |name| keys_of(FILE, name).map(|keys| (keys.key_id, keys.secret_key, keys.token));
        assert_eq!(keys("default"), Some(("A".into(), "b+/=".into(), None)));
        assert_eq!(keys("survey"), Some(("C".into(), "d".into(), Some("e==".into()))));
        assert_eq!(keys("role"), None);
        assert_eq!(keys("nobody"), None);
    }
}
