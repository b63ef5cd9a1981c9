//! The app: built once, answers every request of every door.
//!
//! [`App::answer`] is the whole interface: an `http` request in, an `http` response out. It never fails and never
//! panics outward; what goes wrong becomes a problem document. One line is logged for each request.

mod api;
mod documents;
mod doors;
mod exceptions;
mod geojson;
mod journal;
mod legend;
mod ogc;
mod public;
mod start;
mod tilesets;
mod wmts;
mod trace;

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use bytes::Bytes;
use edgetile_raster::colour::Colormap;
use futures_util::FutureExt;
use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, Method, Request, Response};
use serde_json::Value;

use self::journal::{Entry, Journal};
use crate::draw;
use crate::event::{Deadline, Trace};
use crate::fetch::Meter;
use crate::guard::{Audience, Guard};
use crate::layers::{Catalog, Files, Task};
use crate::request::{
    Format, Grid, PointRequest, Refused, Route, Sidecars, TileJsonRequest, best, format_of,
};
use crate::response::{About, Cost, ETag, Freshness, Outcome, Policy, Problem, keep_for, preflight, unkept};
use crate::settings::{EmptyTile, Settings};
use crate::tile::{Call, Reading};
use crate::viewer;

pub use start::StartError;

/// How long a request may take when its door does not say: below API Gateway's and most proxies' 30 s.
const PATIENCE: Duration = Duration::from_secs(25);

/// Everything that lives as long as the process.
#[derive(Debug)]
pub struct App {
    settings: Settings,
    catalog: Catalog,
    reading: Reading,
    policy: Policy,
    guard: Guard,
    journal: Journal,
}

/// An answer, and what the journal tells of it.
struct Answer {
    response: Response<Bytes>,
    /// Those that the body of a GET has, where a HEAD has none.
    bytes: usize,
    cost: Option<Cost>,
    problem: Option<Problem>,
}

impl App {
    /// Answers one request.
    pub async fn answer(&self, request: Request<Bytes>) -> Response<Bytes> {
        self.packed(request, |_| Ok(())).await.0
    }

    /// Answers one request, and packs the answer as a door sends it. What `pack` has against an answer is the answer then.
    pub async fn packed<T>(
        &self,
        mut request: Request<Bytes>,
        pack: impl Fn(&Response<Bytes>) -> Result<T, Problem>,
    ) -> (Response<Bytes>, Result<T, Problem>) {
        let started = Instant::now();
        if request.method() == Method::OPTIONS {
            let response = preflight();
            let packed = pack(&response);
            return (response, packed);
        }
        let in_keys = exceptions::restful(&mut request);
        let is_in_keys = in_keys.is_some();
        let outcome = match in_keys {
            Some(Err(refused)) => Err(refused.into()),
            Some(Ok(())) => {
                let outcome = self.outcome(&request).await;
                outcome.map_err(|problem| exceptions::in_keys(problem, self.catalog.grids()))
            }
            None => self.outcome(&request).await,
        };
        let outcome = match outcome {
            // Whatever there is, the caller has some of it: known only now, for it might have been refused.
            Ok(Outcome::Content { about, .. })
                if request.method() != Method::POST && ETag::any_is_held(request.headers()) =>
            {
                Ok(Outcome::NotModified(about))
            }
            outcome => outcome,
        };
        let mut answer = self.written(&request, outcome, is_in_keys);
        let mut packed = pack(&answer.response);
        if let Err(problem) = &packed {
            answer = self.written(&request, Err(problem.clone()), is_in_keys);
            packed = pack(&answer.response);
        }
        self.log(&request, &answer, started);
        (answer.response, packed)
    }

    /// The answer to a request with which a door had a problem before the app saw it.
    pub fn refuse(&self, request: &Request<Bytes>, problem: Problem) -> Response<Bytes> {
        let answer = self.written(request, Err(problem), false);
        self.log(request, &answer, Instant::now());
        answer.response
    }

    /// What a request came to, as it is sent.
    fn written(
        &self,
        request: &Request<Bytes>,
        outcome: Result<Outcome, Problem>,
        is_in_keys: bool,
    ) -> Answer {
        let cost = outcome.as_ref().ok().and_then(|outcome| outcome.about().cost);
        let problem = outcome.as_ref().err().cloned();
        let mut response = self.policy.respond(outcome);
        if let Some(problem) = &problem {
            // It may tell of what only some may see.
            keep_for(self.audience(request), &mut response);
            if is_in_keys {
                exceptions::report(problem, &mut response);
            }
        }
        if request.method() == Method::POST {
            unkept(&mut response);
        }
        let bytes = response.body().len();
        if request.method() == Method::HEAD {
            *response.body_mut() = Bytes::new();
        }
        Answer {
            response,
            bytes,
            cost,
            problem,
        }
    }

    /// Writes the request into the journal.
    fn log(&self, request: &Request<Bytes>, answer: &Answer, started: Instant) {
        let steps = answer.response.headers().get("server-timing");
        let trace = request.extensions().get::<Trace>();
        let problem = answer.problem.as_ref();
        self.journal.write(&Entry {
            method: request.method().as_str(),
            path: request.uri().path(),
            status: answer.response.status().as_u16(),
            ms: started.elapsed().as_secs_f64() * 1e3,
            bytes: answer.bytes,
            cost: answer.cost,
            steps: steps.and_then(|value| value.to_str().ok()).unwrap_or_default(),
            trace: trace.map_or("", |trace| trace.0.as_str()),
            traceparent: trace::caller(request.headers()).unwrap_or_default(),
            detail: &problem.map(ToString::to_string).unwrap_or_default(),
        });
    }

    /// What the request comes to, within its time, whatever happens inside.
    pub async fn outcome(&self, request: &Request<Bytes>) -> Result<Outcome, Problem> {
        let given = request.extensions().get::<Deadline>();
        let deadline = given.map_or_else(|| Instant::now() + PATIENCE, |deadline| deadline.0);
        let work = AssertUnwindSafe(self.route(request, deadline)).catch_unwind();
        match tokio::time::timeout_at(deadline.into(), work).await {
            Ok(Ok(outcome)) => outcome,
            // The panic's own words went to standard error; they are not for callers.
            Ok(Err(_)) => Err(Problem::Internal),
            Err(_) => Err(Problem::OutOfTime),
        }
    }

    async fn route(&self, request: &Request<Bytes>, deadline: Instant) -> Result<Outcome, Problem> {
        let route = Route::read(request, self.catalog.grids())?;
        let audience = self.admit(&route, request)?;
        let varies = self.is_list_by_key(&route);
        let outcome = self.answered(route, request, deadline, audience).await?;
        let outcome = outcome.meant_for(audience);
        Ok(if varies {
            outcome.varying_by("Authorization, X-Api-Key")
        } else {
            outcome
        })
    }

    async fn answered(
        &self,
        route: Route,
        request: &Request<Bytes>,
        deadline: Instant,
        audience: Audience,
    ) -> Result<Outcome, Problem> {
        let none = HeaderMap::new();
        let is_posted = request.method() == Method::POST;
        let call = Call {
            // What caches ask of what they hold (RFC 9110, section 13.1.2) is asked of answers to GET.
            headers: if is_posted { &none } else { request.headers() },
            deadline,
            meter: Meter::default(),
        };
        match route {
            Route::Image(mut asked) => {
                let is_open = asked.format == Format::Fitting;
                if is_open {
                    asked.format = format_of(request.headers());
                }
                let task = self.catalog.task(&asked)?;
                let outcome = self.shown(self.reading.tile(&task, &call).await?, &task)?;
                Ok(if is_open {
                    outcome.varying_by("Accept")
                } else {
                    outcome
                })
            }
            Route::TileJson(asked) => self.tilejson(request, &asked, &call, audience).await,
            Route::Info(asked) => {
                let (files, base) = self.catalog.find(&asked.asked)?;
                let sidecars = asked.sidecars.or(base.sidecars);
                self.catalog.allow_beside(&asked.asked, sidecars)?;
                let info = || Box::pin(self.reading.info(&files, sidecars, &call));
                let info = self.reading.patient(&files, info).await?;
                if asked.is_feature {
                    let feature = geojson::of(&files, info);
                    return Ok(documents::typed(
                        &feature,
                        "application/geo+json",
                        Freshness::Document,
                        request,
                    ));
                }
                Ok(documents::document(&info, Freshness::Document, request))
            }
            Route::Validate(asked) => {
                let (files, base) = self.catalog.find(&asked.asked)?;
                let sidecars = asked.sidecars.or(base.sidecars);
                self.catalog.allow_beside(&asked.asked, sidecars)?;
                // Overviews beside a file matter here, so they are looked for where that is allowed.
                let any = Some(Sidecars::ANY_OVERVIEWS)
                    .filter(|_| matches!(files, Files::One(_) | Files::Named(_)));
                let may_look = || self.catalog.allow_beside(&asked.asked, any).is_ok();
                let sidecars = sidecars.or_else(|| any.filter(|_| may_look()));
                let told = || Box::pin(self.reading.validate(&files, sidecars, asked.is_strict, &call));
                let told = self.reading.patient(&files, told).await?;
                Ok(documents::document(&told, Freshness::Document, request))
            }
            Route::Point(asked) => self.point(request, asked, &call).await,
            Route::Assets(asked) => {
                let assets = self.reading.assets(&asked, &call).await?;
                Ok(documents::document(&assets, Freshness::Document, request))
            }
            Route::Statistics(asked) => {
                let task = self.catalog.task(&asked.image)?;
                Box::pin(self.reading.statistics(&task, &asked.options, &call)).await
            }
            Route::Features(asked) => {
                let tasks = asked.images.iter().map(|image| self.catalog.task(image));
                let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
                let question = (&asked.options, asked.cover_scale);
                Box::pin(
                    self.reading
                        .statistics_of_features(&tasks, &asked.document, question, &call),
                )
                .await
            }
            Route::ViewerConfig => {
                let config = self.viewer_config(request, &call).await;
                Ok(documents::document(&config, Freshness::Revalidate, request))
            }
            Route::Legend(asked) => self.legend(request, &asked, &call).await,
            Route::Tilesets(asked) => self.tilesets(request, &asked, &call, audience).await,
            Route::AllTilesets(form) => self.all_tilesets(request, form, &call).await,
            known => self.known(known, request),
        }
    }

    /// What is known without a file.
    fn known(&self, route: Route, request: &Request<Bytes>) -> Result<Outcome, Problem> {
        let told = |json: &Value| documents::document(json, Freshness::Document, request);
        Ok(match route {
            Route::Viewer(name) if name.is_empty() && wants_json(request) => {
                let landing = ogc::landing(&public::base(&self.settings, request));
                told(&landing).varying_by(PAGE_VARIES_BY)
            }
            Route::Viewer(name) => viewer_file(&name, request)?,
            Route::Elsewhere(address) => Outcome::Elsewhere {
                address,
                about: About {
                    freshness: Freshness::Document,
                    ..About::default()
                },
            },
            Route::ColorMaps => told(&documents::colormaps(&public::base(&self.settings, request))),
            Route::ColorMap(asked) => {
                let map = Colormap::named(&asked.name).ok_or(Refused::Unknown { kind: "colormap" })?;
                match asked.strip {
                    None => told(&documents::colormap(map.lut().as_slice())),
                    Some(strip) => {
                        let picture = documents::strip(map.lut().as_slice(), &strip);
                        let body = draw::in_format(&picture, strip.format, None)?;
                        documents::text(body, strip.format.media_type(), Freshness::Document, request)
                    }
                }
            }
            Route::Algorithms(name) => {
                let base = public::base(&self.settings, request);
                let known = documents::algorithms(name.as_deref(), &base);
                let known = known.ok_or(Refused::Unknown { kind: "algorithm" })?;
                told(&known)
            }
            Route::Indices => told(&documents::indices()),
            Route::TileMatrixSets => told(&documents::grids(
                self.catalog.grids(),
                &public::base(&self.settings, request),
            )),
            Route::TileMatrixSet(grid) => told(&documents::grid(grid.set())),
            Route::Landing => told(&ogc::landing(&public::base(&self.settings, request))),
            Route::Conformance => told(&ogc::conformance()),
            Route::Api => {
                let base = public::base(&self.settings, request);
                let api = api::document(&base, self.catalog.grids(), &self.guard);
                documents::typed(&api, api::MEDIA_TYPE, Freshness::Document, request)
            }
            Route::ApiPage => documents::text(
                api::PAGE.to_owned(),
                "text/html; charset=utf-8",
                Freshness::Document,
                request,
            ),
            Route::Health => documents::document(&documents::health(), Freshness::Never, request),
            // These are answered before.
            Route::Image(_)
            | Route::TileJson(_)
            | Route::Info(_)
            | Route::Validate(_)
            | Route::Point(_)
            | Route::Statistics(_)
            | Route::Features(_)
            | Route::Assets(_)
            | Route::ViewerConfig
            | Route::Legend(_)
            | Route::Tilesets(_)
            | Route::AllTilesets(_) => return Err(Problem::Internal),
        })
    }

    async fn point(
        &self,
        request: &Request<Bytes>,
        asked: PointRequest,
        call: &Call<'_>,
    ) -> Result<Outcome, Problem> {
        let (files, base) = self.catalog.find(&asked.asked)?;
        let style = asked.style.over(&base);
        let files = files.for_style(&style);
        self.catalog.allow_beside(&asked.asked, style.sidecars)?;
        let place = (asked.lon_deg, asked.lat_deg);
        let values = || self.reading.point(&files, &style, place, call);
        let mut values = self.reading.patient(&files, values).await?;
        values["coordinates"] = serde_json::json!([asked.given.0, asked.given.1]);
        Ok(documents::document(&values, Freshness::Document, request))
    }

    /// A picture without data as a transparent one, where the operator wants one.
    fn shown(&self, outcome: Outcome, task: &Task) -> Result<Outcome, Problem> {
        let Outcome::Empty(about) = outcome else {
            return Ok(outcome);
        };
        let size = about.place.as_ref().map(|place| place.size);
        let size = size.filter(|_| self.policy.empty_tile == EmptyTile::Transparent);
        let picture = size.map(|size| draw::nothing(size, task)).transpose()?;
        Ok(match picture.flatten() {
            Some((body, format)) => Outcome::Content {
                body,
                media_type: format.media_type(),
                about,
            },
            None => Outcome::Empty(about),
        })
    }

    async fn tilejson(
        &self,
        request: &Request<Bytes>,
        asked: &TileJsonRequest,
        call: &Call<'_>,
        audience: Audience,
    ) -> Result<Outcome, Problem> {
        let (files, _) = self.catalog.find(&asked.asked)?;
        let layer = self.catalog.layer(&asked.asked)?;
        let extent = || self.reading.extent(&files, asked.grid.clone(), call);
        let extent = self.reading.patient(&files, extent).await?;
        let extent =
            documents::Shown::of(extent, layer, &asked.grid).with_zooms(asked.minzoom, asked.maxzoom);
        let opener = self.opener(request, audience);
        let template = opener.opened(&asked.template);
        let tiles = format!("{}{template}", public::base(&self.settings, request));
        let bands = self.reading.bands(&files, call).await?;
        let json = documents::tilejson(asked.name, layer, &extent, &bands, &tiles);
        Ok(documents::document(&json, Freshness::Document, request))
    }

    /// What the viewer shows: every layer, with what its files say of themselves where they can be read.
    async fn viewer_config(&self, request: &Request<Bytes>, call: &Call<'_>) -> Value {
        let layers = self.visible(request).map(async |layer| {
            let extent = async {
                let grid = Grid::web()?;
                let extent = self.reading.extent(&layer.files, grid.clone(), call).await?;
                Ok::<_, Problem>((grid, extent))
            };
            let bands = self.reading.bands(&layer.files, call);
            let (extent, bands) = tokio::join!(extent, bands);
            documents::viewer_layer(layer, extent.ok(), &bands.unwrap_or_default())
        });
        documents::viewer_config(&futures_util::future::join_all(layers).await, self.hides(request))
    }
}

/// On what the answer at `/` depends.
const PAGE_VARIES_BY: &str = "Accept, Accept-Encoding";

/// Whether a caller of `/` would have the landing page of OGC API rather than the map.
fn wants_json(request: &Request<Bytes>) -> bool {
    best(request.headers(), &["text/html", "application/json"]) == Some(1)
}

/// A file of the viewer: the page for no name. Its other files are asked for with their version in the query.
fn viewer_file(name: &str, request: &Request<Bytes>) -> Result<Outcome, Problem> {
    let page = name.is_empty() || name == viewer::INDEX;
    let asset = viewer::asset(if page { viewer::INDEX } else { name }).ok_or(Refused::NoSuchPath)?;
    let versioned = !page && request.uri().query().is_some();
    let accepted = request.headers().get_all(ACCEPT_ENCODING).iter();
    let gzip = accepted
        .flat_map(|value| value.to_str())
        .any(viewer::accepts_gzip);
    let etag = ETag::of([asset.etag, if gzip { "gzip" } else { "identity" }]);
    let held = etag.is_held_by(request.headers());
    let freshness = if versioned {
        Freshness::Immutable
    } else {
        Freshness::Revalidate
    };
    let about = About {
        freshness,
        etag: Some(etag),
        vary: Some(if name.is_empty() {
            PAGE_VARIES_BY
        } else {
            "Accept-Encoding"
        }),
        ..About::default()
    };
    if held {
        return Ok(Outcome::NotModified(about));
    }
    Ok(Outcome::Content {
        body: if gzip {
            Bytes::from_static(asset.gzip)
        } else {
            asset.inflated().into()
        },
        media_type: asset.content_type,
        about: About { gzip, ..about },
    })
}

#[cfg(test)]
mod clients;
#[cfg(test)]
mod features;
#[cfg(test)]
mod keys;
#[cfg(test)]
mod kinds;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod windows;
