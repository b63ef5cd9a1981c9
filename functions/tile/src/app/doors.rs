//! Which callers see what: the guard before every route, and addresses that open for who was let in.

use bytes::Bytes;
use http::Request;

use super::App;
use crate::guard::{Audience, Guard, now_s};
use crate::layers::Layer;
use crate::request::{Asked, Query, Route, Subject, encode};
use crate::response::Problem;

impl App {
    /// Lets a request in, or not. Names that lead nowhere are told by whoever looks them up.
    pub(super) fn admit(&self, route: &Route, request: &Request<Bytes>) -> Result<Audience, Problem> {
        let is_protected = match route.subject() {
            Subject::None => {
                return Ok(match route {
                    // What they list depends on the key.
                    Route::ViewerConfig | Route::AllTilesets(_) => self.audience_of_lists(request),
                    _ => Audience::Everyone,
                });
            }
            Subject::Asked(asked @ (Asked::Layer(_) | Asked::FirstLayer)) => {
                let layer = self.catalog.layer(asked)?;
                layer.is_some_and(|layer| self.needs_key(layer))
            }
            Subject::Asked(_) | Subject::Document => self.guard.protects_urls(),
        };
        if is_protected {
            Ok(self.guard.admit(request, now_s())?)
        } else {
            Ok(Audience::Everyone)
        }
    }

    /// Who may have the answer to a request that came to nothing.
    pub(super) fn audience(&self, request: &Request<Bytes>) -> Audience {
        let route = Route::read(request, self.catalog.grids());
        let admitted = route.ok().and_then(|route| self.admit(&route, request).ok());
        admitted.unwrap_or_default()
    }

    /// Whether a route lists what the caller's key opens.
    pub(super) fn is_list_by_key(&self, route: &Route) -> bool {
        self.guard.has_keys() && matches!(route, Route::ViewerConfig | Route::AllTilesets(_))
    }

    /// Whether a layer needs a key or a signature.
    pub(super) fn needs_key(&self, layer: &Layer) -> bool {
        layer.needs_key.unwrap_or_else(|| self.guard.protects_layers())
    }

    /// The layers that a caller may know of.
    pub(super) fn visible(&self, request: &Request<Bytes>) -> impl Iterator<Item = &Layer> {
        let holds_key = self.holds_key(request);
        let layers = self.catalog.layers().iter();
        layers.filter(move |layer| holds_key || !self.needs_key(layer))
    }

    /// Whether there is something that a key would show to a caller.
    pub(super) fn hides(&self, request: &Request<Bytes>) -> bool {
        let is_protected = |layer: &Layer| self.needs_key(layer);
        let has_some = self.guard.protects_urls() || self.catalog.layers().iter().any(is_protected);
        has_some && self.guard.has_keys() && !self.holds_key(request)
    }

    /// Who else may have a list of layers.
    pub(super) fn audience_of_lists(&self, request: &Request<Bytes>) -> Audience {
        if self.holds_key(request) {
            Audience::KeyHolder
        } else {
            Audience::Everyone
        }
    }

    fn holds_key(&self, request: &Request<Bytes>) -> bool {
        self.guard.key(request, &query_of(request)) == Some(true)
    }
}

/// Makes addresses that open for who asked.
#[derive(Clone, Copy)]
pub(super) struct Opener<'a> {
    guard: &'a Guard,
    request: &'a Request<Bytes>,
    audience: Audience,
}

impl App {
    /// What a caller of that right may hand on.
    pub(super) fn opener<'a>(&'a self, request: &'a Request<Bytes>, audience: Audience) -> Opener<'a> {
        Opener {
            guard: &self.guard,
            request,
            audience,
        }
    }
}

impl Opener<'_> {
    /// An address of this server, or a template of tiles, with what opens it.
    pub(super) fn opened(&self, address: &str) -> String {
        format!("{address}{}", self.behind(address))
    }

    /// What stands behind an address so that it opens: a signature that ends when the caller's own right does, or else the key that
    /// the caller wrote into the address. Nothing where everyone may come in.
    pub(super) fn behind(&self, address: &str) -> String {
        let own_key = || {
            let query = query_of(self.request);
            let key = query
                .many("access_token")
                .next()
                .filter(|_| self.audience == Audience::KeyHolder);
            key.map(|key| format!("access_token={}", encode(key)))
        };
        let credentials = self.guard.grant(self.audience, address, now_s()).or_else(own_key);
        let mark = if address.contains('?') { '&' } else { '?' };
        credentials.map_or_else(String::new, |credentials| format!("{mark}{credentials}"))
    }
}

fn query_of(request: &Request<Bytes>) -> Query {
    Query::parse(request.uri().query().unwrap_or_default()).unwrap_or_default()
}
