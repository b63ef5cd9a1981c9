//! The routes as OpenAPI 3.0, from the table that is held to the parser; and a page to try them.

use serde_json::{Map, Value, json};

use crate::request::table::{ALONE, PARAMETERS, PREFIXES, Row};

/// The media type of the document, as TiTiler names it.
pub(super) const MEDIA_TYPE: &str = "application/vnd.oai.openapi+json;version=3.0";
/// The page: it asks nobody but this server.
pub(super) const PAGE: &str = include_str!("api.html");

/// The document; `base` is the server's own address.
pub(super) fn document(base: &str) -> Value {
    let mut paths = Map::new();
    for prefix in PREFIXES {
        for row in prefix.rows() {
            let required = prefix
                .sources
                .iter()
                .copied()
                .take(usize::from(prefix.needs_first))
                .collect::<Vec<_>>();
            let parameters: Vec<&str> = prefix.parameters_of(row).collect();
            let path = prefix.path_of(row);
            let summary = format!("{}: {}", prefix.title, row.title);
            let operation = operation(&path, &summary, row, &parameters, &required);
            // A path may be asked in two ways.
            let methods = paths.entry(path).or_insert_with(|| json!({}));
            methods[if row.is_posted { "post" } else { "get" }] = operation;
        }
    }
    for row in ALONE {
        let required: Vec<&str> = row
            .parameters
            .iter()
            .copied()
            .filter(|name| *name == "url")
            .collect();
        paths.insert(
            row.path.to_owned(),
            json!({"get": operation(row.path, row.title, row, row.parameters, &required)}),
        );
    }
    json!({
        "openapi": "3.0.3",
        "info": {
            "title": "edgetile",
            "description": "Map tiles from Cloud-Optimized GeoTIFFs",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "servers": [{"url": base}],
        "paths": paths,
        "components": {"securitySchemes": {
            "bearer": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            "token": {"type": "apiKey", "in": "query", "name": "access_token"},
        }},
    })
}

fn operation(path: &str, summary: &str, row: &Row, parameters: &[&str], required: &[&str]) -> Value {
    let in_path = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
    let in_path = in_path
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
    let mut seen: Vec<&str> = Vec::new();
    let in_query = parameters.iter().copied().filter(|name| {
        let is_new = !seen.contains(name) && !path.contains(&format!("{{{name}}}"));
        if is_new {
            seen.push(name);
        }
        is_new
    });
    let in_query = in_query.filter_map(|name| {
        let (_, kind, about) = PARAMETERS.iter().find(|(known, ..)| *known == name)?;
        let schema = match kind.strip_suffix("[]") {
            Some(items) => json!({"type": "array", "items": {"type": items}}),
            None => json!({"type": kind}),
        };
        Some(json!({
            "name": name, "in": "query", "required": required.contains(&name), "description": about, "schema": schema,
        }))
    });
    let problem = json!({"description": "a problem (RFC 9457)", "content": {"application/problem+json": {}}});
    let (status, answer) = if row.is_elsewhere {
        let location = json!({"Location": {"description": row.title, "schema": {"type": "string"}}});
        (
            "307",
            json!({"description": "it is at another address", "headers": location}),
        )
    } else {
        (
            "200",
            json!({"description": row.title, "content": {row.media_type: {}}}),
        )
    };
    let mut operation = json!({
        "summary": summary,
        "parameters": in_path.chain(in_query).collect::<Vec<_>>(),
        "responses": {status: answer, "default": problem},
    });
    if row.is_posted {
        operation["requestBody"] = json!({
            "required": true,
            "description": "a GeoJSON Feature (RFC 7946)",
            "content": {"application/geo+json": {"schema": {"type": "object"}}},
        });
    }
    operation
}
