//! Lambda's Runtime API (2018-06-01), as far as one function needs it, and the binary as that function.
//!
//! A function may open several connections: each is served by itself, or the second would wait for ever.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64_simd::STANDARD;
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::{Mutex as AsyncMutex, mpsc, oneshot};

use crate::binary;

/// How long one invocation may take, as the function's setting says.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The binary as a Lambda function. Dropping it ends it.
#[derive(Debug)]
pub struct Function {
    child: Child,
    api: Arc<Api>,
    log: Arc<Mutex<Vec<String>>>,
}

/// What a function answered to an event.
pub type Answer = Result<Value, Value>;

#[derive(Debug)]
struct Api {
    queue: mpsc::UnboundedSender<(String, Bytes)>,
    events: AsyncMutex<mpsc::UnboundedReceiver<(String, Bytes)>>,
    waiting: Mutex<HashMap<String, oneshot::Sender<Answer>>>,
    count: Mutex<u64>,
}

impl Function {
    /// Starts the function in this environment.
    pub async fn start(environment: &[(&str, &str)]) -> Self {
        let (queue, events) = mpsc::unbounded_channel();
        let (waiting, count) = (Mutex::default(), Mutex::default());
        let api = Arc::new(Api {
            queue,
            events: AsyncMutex::new(events),
            waiting,
            count,
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address").to_string();
        tokio::spawn(serve(listener, api.clone()));
        let mut command = binary::command();
        command.envs([
            ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
            ("AWS_LAMBDA_FUNCTION_NAME", "edgetile"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "1024"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
            ("_HANDLER", "bootstrap"),
        ]);
        command.envs(environment.iter().copied()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the binary starts");
        let log = Arc::new(Mutex::new(Vec::new()));
        let (stdout, lines) = (child.stdout.take().expect("standard output"), log.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                lines.lock().expect("no panic holds it").push(line);
            }
        });
        Self { child, api, log }
    }

    /// Sends an event and waits for what the function makes of it.
    pub async fn invoke(&self, event: &Value) -> Answer {
        let id = {
            let mut count = self.api.count.lock().expect("no panic holds it");
            *count += 1;
            format!("00000000-0000-4000-8000-{:012}", *count)
        };
        let (answer, answered) = oneshot::channel();
        self.api
            .waiting
            .lock()
            .expect("no panic holds it")
            .insert(id.clone(), answer);
        self.api
            .queue
            .send((id, event.to_string().into()))
            .expect("the API lives");
        tokio::time::timeout(TIMEOUT, answered)
            .await
            .expect("an answer in time")
            .expect("an answer")
    }

    /// What the function has logged, once there are so many lines: an answer may overtake the line about it.
    pub async fn log(&self, lines: usize) -> Vec<String> {
        for _ in 0..500 {
            if self.log.lock().expect("no panic holds it").len() >= lines {
                break;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        self.log.lock().expect("no panic holds it").clone()
    }
}

impl Drop for Function {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The body of an answer to a Function URL, an API gateway or a load balancer.
pub fn body(answer: &Value) -> Vec<u8> {
    let text = answer["body"].as_str().expect("a body");
    if answer["isBase64Encoded"] == true {
        STANDARD.decode_to_vec(text).expect("base64")
    } else {
        text.into()
    }
}

async fn serve(listener: TcpListener, api: Arc<Api>) {
    while let Ok((stream, _)) = listener.accept().await {
        let api = api.clone();
        let service = service_fn(move |request| {
            let api = api.clone();
            async move { Ok::<_, Infallible>(api.answer(request).await) }
        });
        tokio::spawn(async move {
            let _ = stream.set_nodelay(true);
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

impl Api {
    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let (head, body) = request.into_parts();
        let body = body
            .collect()
            .await
            .map(http_body_util::Collected::to_bytes)
            .unwrap_or_default();
        let path = head.uri.path().trim_start_matches("/2018-06-01/runtime/");
        match (&head.method, path.split('/').collect::<Vec<_>>().as_slice()) {
            (&Method::GET, ["invocation", "next"]) => self.next().await,
            (&Method::POST, ["invocation", id, "response"]) => {
                self.settle(id, Ok(serde_json::from_slice(&body).expect("JSON")))
            }
            (&Method::POST, ["invocation", id, "error"]) => {
                self.settle(id, Err(serde_json::from_slice(&body).unwrap_or_default()))
            }
            (method, _) => panic!("the function asks what the Runtime API does not have: {method} {path}"),
        }
    }

    async fn next(&self) -> Response<Full<Bytes>> {
        let (id, event) = self
            .events
            .lock()
            .await
            .recv()
            .await
            .expect("the function lives in the API");
        let deadline = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock") + TIMEOUT;
        Response::builder()
            .header("Lambda-Runtime-Aws-Request-Id", &id)
            .header("Lambda-Runtime-Deadline-Ms", deadline.as_millis().to_string())
            .header("Lambda-Runtime-Trace-Id", format!("Root=1-{id}"))
            .header(
                "Lambda-Runtime-Invoked-Function-Arn",
                "arn:aws:lambda:eu-central-1:1:function:edgetile",
            )
            .header("content-type", "application/json")
            .body(Full::new(event))
            .expect("headers of text")
    }

    fn settle(&self, id: &str, answer: Answer) -> Response<Full<Bytes>> {
        if let Some(waiting) = self.waiting.lock().expect("no panic holds it").remove(id) {
            let _ = waiting.send(answer);
        }
        let mut accepted = Response::new(Full::default());
        *accepted.status_mut() = StatusCode::ACCEPTED;
        accepted
    }
}
