//! Credentials of a role that is assumed, kept until shortly before they end.
//!
//! AWS STS, AssumeRole (API version 2011-06-15), as a signed GET; the answer's four texts are cut out of its XML.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::BodyExt;
use object_store::CredentialProvider;
use object_store::aws::{AwsAuthorizer, AwsCredential, AwsCredentialProvider};
use object_store::client::{HttpRequestBody, HttpService};
use tokio::sync::Mutex;

use crate::request::encode;
use crate::source::transport::Transport;

/// How long credentials are asked for: what every role allows, also one that assumes another.
const LIFE: Duration = Duration::from_hours(1);

/// How long before their end new ones are asked for; until then the old ones serve if there are none.
const EARLY: Duration = Duration::from_mins(5);

/// The largest answer that is read, in bytes.
const ANSWER: usize = 64 << 10;

/// Assumes a role with the credentials that the process has.
pub(super) struct AssumedRole {
    /// Those credentials.
    pub(super) own: AwsCredentialProvider,
    /// The role's ARN.
    pub(super) role: String,
    /// What the role's owner asks for beside.
    pub(super) external_id: Option<String>,
    /// Where to ask.
    pub(super) endpoint: String,
    /// For which region requests are signed.
    pub(super) region: String,
    /// Asks.
    pub(super) transport: Transport,
    /// What was given, and when it ends.
    pub(super) held: Mutex<Option<(Arc<AwsCredential>, Instant)>>,
}

/// Why a role cannot be assumed.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("the answer of STS has status {0}")]
    Status(u16),
    #[error("the answer of STS holds no credentials")]
    Incomplete,
}

impl AssumedRole {
    async fn assume(&self) -> object_store::Result<AwsCredential> {
        let own = self.own.get_credential().await?;
        let mut address = format!(
            "{}/?Action=AssumeRole&Version=2011-06-15&RoleSessionName=edgetile&DurationSeconds={}&RoleArn={}",
            self.endpoint.trim_end_matches('/'),
            LIFE.as_secs(),
            encode(&self.role)
        );
        if let Some(id) = &self.external_id {
            address.push_str(&["&ExternalId=", &encode(id)].concat());
        }
        let mut request = http::Request::get(address)
            .body(HttpRequestBody::empty())
            .map_err(failed)?;
        AwsAuthorizer::new(&own, "sts", &self.region).try_authorize(&mut request, None)?;
        let response = self.transport.call(request).await.map_err(failed)?;
        let status = response.status();
        if !status.is_success() {
            return Err(failed(Refused::Status(status.as_u16())));
        }
        let body = http_body_util::Limited::new(response.into_body(), ANSWER);
        let body = body.collect().await.map_err(failed)?.to_bytes();
        credential(&String::from_utf8_lossy(&body)).ok_or_else(|| failed(Refused::Incomplete))
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> object_store::Error {
    object_store::Error::Generic {
        store: "STS",
        source: error.into(),
    }
}

fn credential(xml: &str) -> Option<AwsCredential> {
    let text = |tag: &str| {
        let (_, rest) = xml.split_once(&format!("<{tag}>"))?;
        let (text, _) = rest.split_once(&format!("</{tag}>"))?;
        Some(text.trim().to_owned())
    };
    Some(AwsCredential {
        key_id: text("AccessKeyId")?,
        secret_key: text("SecretAccessKey")?,
        token: Some(text("SessionToken")?),
    })
}

#[async_trait::async_trait]
impl CredentialProvider for AssumedRole {
    type Credential = AwsCredential;

    async fn get_credential(&self) -> object_store::Result<Arc<AwsCredential>> {
        // Held while it is asked for: many requests assume the role once.
        let mut held = self.held.lock().await;
        let left = |until: &Instant| until.saturating_duration_since(Instant::now());
        if let Some((credential, until)) = held.as_ref()
            && left(until) > EARLY
        {
            return Ok(credential.clone());
        }
        let asked = Instant::now();
        match (self.assume().await, held.as_ref()) {
            (Ok(credential), _) => {
                let credential = Arc::new(credential);
                *held = Some((credential.clone(), asked + LIFE));
                Ok(credential)
            }
            (Err(_), Some((credential, until))) if !left(until).is_zero() => Ok(credential.clone()),
            (Err(error), _) => Err(error),
        }
    }
}

impl fmt::Debug for AssumedRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AssumedRole")
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}
