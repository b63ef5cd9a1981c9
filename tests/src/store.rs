//! An S3 that checks signatures and ranges: the `s3s` library over objects in memory, seeded with AWS's own SDK.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use aws_sdk_s3::config::{BehaviorVersion, Credentials, Region};
use bytes::Bytes;
use futures_util::TryStreamExt;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, IF_MATCH, RANGE};
use http::{HeaderMap, HeaderName, Request, Response};
use hyper::body::Incoming;
use s3s::auth::SimpleAuth;
use s3s::dto::{
    ETag, ETagCondition, GetObjectInput, GetObjectOutput, PutObjectInput, PutObjectOutput, StreamingBlob,
};
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{Body, HttpError, S3, S3Request, S3Response, S3Result, s3_error};

use crate::listen::listen;
use crate::log::{Entry, Log};

const KEY: &str = "AKIAEDGETILETESTS000";
const SECRET: &str = "the secret of the tests";
const REGION: &str = "eu-central-1";

/// A running store.
#[derive(Debug)]
pub struct Store {
    /// Where it listens.
    pub address: SocketAddr,
    /// What it was asked.
    pub log: Arc<Log>,
}

impl Store {
    /// Starts an empty store that waits `latency` before each answer.
    pub async fn start(latency: Duration) -> Self {
        Self::start_in(None, latency).await
    }

    /// Starts an empty store whose buckets lie in a region: reads that are signed for another are sent there.
    pub async fn start_in(region: Option<&'static str>, latency: Duration) -> Self {
        let mut builder = S3ServiceBuilder::new(Memory::default());
        builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = builder.build();
        let log = Arc::new(Log::default());
        let shared = log.clone();
        let address = listen(Arc::default(), move |request, connection| {
            answer(
                service.clone(),
                shared.clone(),
                region,
                latency,
                request,
                connection.number,
            )
        })
        .await;
        Self { address, log }
    }

    /// The variables with which a process may read it.
    pub fn environment(&self) -> [(&'static str, String); 5] {
        [
            ("AWS_ACCESS_KEY_ID", KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
            ("AWS_REGION", REGION.to_owned()),
            ("AWS_ENDPOINT_URL", format!("http://{}", self.address)),
            ("AWS_ALLOW_HTTP", "true".to_owned()),
        ]
    }

    /// Puts an object, as an operator would; what the log holds is left as it was.
    pub async fn put(&self, bucket: &str, key: &str, bytes: impl Into<Bytes>) {
        let config = aws_sdk_s3::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .credentials_provider(Credentials::new(KEY, SECRET, None, None, "tests"))
            .region(Region::new(REGION))
            .endpoint_url(format!("http://{}", self.address))
            .force_path_style(true)
            .http_client(aws_smithy_http_client::Builder::new().build_http())
            .build();
        let body = bytes.into().into();
        let put = aws_sdk_s3::Client::from_conf(config)
            .put_object()
            .bucket(bucket)
            .key(key)
            .body(body)
            .send()
            .await;
        put.expect("the object is put");
    }
}

async fn answer(
    service: S3Service,
    log: Arc<Log>,
    region: Option<&'static str>,
    latency: Duration,
    request: Request<Incoming>,
    connection: u64,
) -> Result<Response<Body>, HttpError> {
    let came = Instant::now();
    let text = |headers: &HeaderMap, name: HeaderName| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_owned()
    };
    let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
    let query = request.uri().query().unwrap_or_default().to_owned();
    let (range, if_match) = (text(request.headers(), RANGE), text(request.headers(), IF_MATCH));
    tokio::time::sleep(latency).await;
    let signed = text(request.headers(), AUTHORIZATION);
    let response = match region {
        Some(region) if method != "PUT" && !signed.contains(&format!("/{region}/s3/")) => Response::builder()
            .status(301)
            .header("x-amz-bucket-region", region)
            .body(Body::empty())
            .expect("headers of text"),
        _ => service.call(request.map(Body::from)).await?,
    };
    if method != "PUT" {
        let bytes = text(response.headers(), CONTENT_LENGTH)
            .parse()
            .unwrap_or_default();
        let status = response.status().as_u16();
        log.add(Entry {
            method,
            path,
            query,
            range,
            if_match,
            status,
            bytes,
            connection,
            came,
            went: Instant::now(),
        });
    }
    Ok(response)
}

/// Objects by bucket and key, each with its version.
#[derive(Debug, Default)]
struct Memory {
    objects: Mutex<HashMap<(String, String), (Bytes, String)>>,
}

#[async_trait::async_trait]
impl S3 for Memory {
    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        let found = self
            .objects
            .lock()
            .expect("no panic holds it")
            .get(&(input.bucket, input.key))
            .cloned();
        let (bytes, version) = found.ok_or_else(|| s3_error!(NoSuchKey))?;
        if let Some(ETagCondition::ETag(wanted)) = &input.if_match
            && wanted.value() != version
        {
            return Err(s3_error!(PreconditionFailed));
        }
        let size = bytes.len() as u64;
        let mut output = GetObjectOutput {
            accept_ranges: Some("bytes".to_owned()),
            e_tag: Some(ETag::Strong(version)),
            last_modified: Some(SystemTime::now().into()),
            ..GetObjectOutput::default()
        };
        let part = match input.range {
            Some(range) => {
                let range = range.check(size).map_err(|_| s3_error!(InvalidRange))?;
                output.content_range = Some(format!("bytes {}-{}/{size}", range.start, range.end - 1));
                bytes.slice(range.start as usize..range.end as usize)
            }
            None => bytes,
        };
        output.content_length = Some(part.len() as i64);
        output.body = Some(StreamingBlob::from(Body::from(part)));
        Ok(S3Response::new(output))
    }

    async fn put_object(&self, request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let input = request.input;
        let parts: Vec<Bytes> = match input.body {
            Some(body) => body.try_collect().await.map_err(|_| s3_error!(IncompleteBody))?,
            None => Vec::new(),
        };
        let mut objects = self.objects.lock().expect("no panic holds it");
        let version = format!("version-{}", objects.len() + 1);
        let old = objects.get(&(input.bucket.clone(), input.key.clone()));
        let version = old.map_or(version, |(_, old)| format!("{old}-next"));
        objects.insert(
            (input.bucket, input.key),
            (parts.concat().into(), version.clone()),
        );
        let e_tag = Some(ETag::Strong(version));
        Ok(S3Response::new(PutObjectOutput {
            e_tag,
            ..PutObjectOutput::default()
        }))
    }
}
