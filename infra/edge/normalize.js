// Makes one cache key of every spelling of one request, and answers at the edge what needs no origin.
// Runtime cloudfront-js-2.0, viewer request. The distribution's cache policies key on whole query strings,
// because this function has already left out what changes no answer. Two requests whose answers may differ
// never get one key: when in doubt, a request keeps its spelling and costs a miss.

var NAMES = ('access_token algorithm algorithm_params alpha asset_as_band asset_bidx asset_expression assets '
  + 'bands bbox bbox-crs bbox_crs bidx buffer c categorical color_formula colormap colormap_name coord-crs '
  + 'coord_crs cover_scale crs dst-crs dst_crs expires expression f height histogram_bins '
  + 'histogram_range index indexes max_size maxzoom minzoom nir nodata nodata_value orientation p padding pixel_selection quality red reproject '
  + 'resampling resampling_method rescale return_mask sidecars signature strict tile_format tilesize unscale url use_epsg v width').split(' ');

// Keys of WMTS requests in pairs (request/kvp.rs), read below this path alone.
var KEYS = 'acceptversions format layer request service style tilecol tilematrix tilematrixset tilerow version'.split(' ');
var WMTS = /\/WMTSCapabilities\.xml$/;

// Values that say what silence says, too. A configured layer has defaults of its own: there they stay. NDVI
// and other indices without a source are of a layer.
var DEFAULTS = { alpha: 'true', asset_as_band: 'false', buffer: '0', padding: '0', reproject: 'nearest', resampling: 'nearest',
  return_mask: 'true', unscale: 'false' };

// CloudFront's own signature on a viewer's URL, checked before this function runs. Exactly this spelling.
var CLOUDFRONT = ['Expires', 'Key-Pair-Id', 'Policy', 'Signature'];

// 1: what stands before z, 2 or 3: grid, 4 to 6: z, x, y, 7: scale, 8: format.
var TILE = /^(\/tiles\/[^\/]+(?:\/([^\/]+))?|\/ndvi|\/index\/[^\/]+|\/(?:cog|stac|mosaicjson)\/tiles\/([^\/]+))\/(\d+)\/(\d+)\/(\d+)(@\d+x)?(\.[A-Za-z0-9]+)?$/;
var DEEPEST = 24;

// What is asked by POST: features are drawn, and what values within them come to.
var POSTED = /^\/(?:(?:tiles|index)\/[^\/]+|ndvi|cog|stac|mosaicjson)\/(?:statistics|feature(?:\.[A-Za-z0-9]+)?|feature\/[^\/]+)\/?$/;

// What a tile without a format may be, as the origin lists it (request/accept.rs).
var PAGES = ['text/html', 'application/json'];
var FORMATS = ['image/png', 'image/jpeg', 'image/webp', 'application/x-binary', 'image/tiff'];

function handler(event) {
  var request = event.request;
  if (request.method === 'OPTIONS') {
    return answer(204, 'No Content', { 'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
      'access-control-allow-headers': '*', 'access-control-max-age': '86400', 'cache-control': 'public, max-age=86400' });
  }
  var posted = request.method === 'POST' && POSTED.test(request.uri);
  if (request.method !== 'GET' && request.method !== 'HEAD' && !posted) {
    var methods = !POSTED.test(request.uri) ? ['GET and HEAD are', 'GET, HEAD, OPTIONS']
      : /\/statistics\/?$/.test(request.uri) ? ['GET, HEAD and POST are', 'GET, HEAD, POST, OPTIONS'] : ['POST is', 'POST, OPTIONS'];
    return refuse(405, 'Method Not Allowed', 'only ' + methods[0] + ' answered here', { allow: methods[1] });
  }
  var tile = TILE.exec(request.uri);
  if (tile) {
    var grid = tile[2] || tile[3] || 'WebMercatorQuad';
    if (grid === 'WebMercatorQuad' && !(tile[4] <= DEEPEST && onGrid(tile[5], tile[4]) && onGrid(tile[6], tile[4]))) {
      return refuse(404, 'Not Found', offGrid(plain(tile[4]), plain(tile[5]), plain(tile[6])));
    }
    request.uri = [tile[1], plain(tile[4]), plain(tile[5]), plain(tile[6])].join('/')
      + (tile[7] === '@1x' ? '' : tile[7] || '') + (tile[8] || '');
  }
  var query = canonical(request.querystring, request.uri);
  if (query === null) {
    return refuse(400, 'Bad Request', 'one parameter stands in two spellings: write names in lower case');
  }
  request.querystring = query;
  // CloudFront signs its requests in Authorization: a caller's key goes on under the other name, which is part of the key.
  var bearer = request.headers.authorization;
  if (bearer && /^bearer /i.test(bearer.value)) {
    request.headers['x-api-key'] = { value: bearer.value.slice(7).trim() };
  }
  // Only what decides the answer is left of Accept: it is part of the key.
  var wanted = posted || tile && !tile[8] ? best(request.headers.accept, FORMATS)
    : request.uri === '/' ? best(request.headers.accept, PAGES) : '';
  if (wanted) {
    request.headers.accept = { value: wanted };
  } else {
    delete request.headers.accept;
  }
  // Whatever the viewer sent under this name is overwritten: answers that name their host can be trusted.
  request.headers['x-public-host'] = { value: request.headers.host ? request.headers.host.value : '' };
  return request;
}

// The type of `types` that a field names and wants most; of those wanted alike the first of `types`.
function best(field, types) {
  var found = '';
  var most = 0;
  (field ? field.value : '').split(',').forEach(function (range) {
    var parts = range.split(';');
    var at = types.indexOf(parts[0].trim().toLowerCase());
    var weight = 1;
    parts.slice(1).reverse().forEach(function (part) {
      var text = part.trim();
      weight = text.indexOf('q=') === 0 ? Number(text.slice(2)) || 0 : weight;
    });
    if (at >= 0 && weight > 0 && (weight > most || weight === most && at < types.indexOf(found))) {
      found = types[at];
      most = weight;
    }
  });
  return found;
}

function onGrid(index, z) {
  return index < Math.pow(2, z);
}

// In the origin's words.
function offGrid(z, x, y) {
  var edge = Math.pow(2, z);
  return 'tile ' + [z, x, y].join('/') + ' is not on the grid WebMercatorQuad: '
    + (z <= DEEPEST ? 'at this zoom x is below ' + edge + ' and y below ' + edge : 'its zooms are 0 to ' + DEEPEST);
}

function plain(digits) {
  return digits.replace(/^0+(?=\d)/, '');
}

// The query in its one spelling, or null when two spellings of a name stand side by side: the runtime hands
// over values by name, so the order between the two is lost and may matter.
function canonical(query, path) {
  var values = {};
  var names = [];
  var known = WMTS.test(path) ? NAMES.concat(KEYS) : NAMES;
  for (var raw in query) {
    var name = folded(raw, known);
    if (name === null) {
      continue;
    }
    if (names.indexOf(name) >= 0) {
      return null;
    }
    var list = query[raw].multiValue || [query[raw]];
    values['=' + name] = list.map(function (one) { return encoded(one.value); });
    names.push(name);
  }
  var said = function (name) { return names.indexOf(name) >= 0; };
  var layer = path.indexOf('/tiles/') === 0 || path === '/WMTSCapabilities.xml' || path.indexOf('/ndvi') === 0 && !['url', 'red', 'nir'].some(said)
    || path.indexOf('/index/') === 0 && !names.some(function (name) { return /^url(\.|$)/.test(name); });
  names = names.filter(function (name) { return layer || !isDefault(name, values); });
  return names.sort().map(function (name) {
    return values['=' + name].map(function (value) { return name + '=' + value; }).join('&');
  }).join('&');
}

// A name as the origin reads it, or null when no route reads it. What looks like a slip of a known name is
// kept, for the origin refuses it and says which name was meant.
function folded(raw, known) {
  if (CLOUDFRONT.indexOf(raw) >= 0) {
    return null;
  }
  var name = encoded(raw);
  if (/^url\../i.test(name)) {
    return 'url' + name.slice(3);
  }
  var lower = name.toLowerCase();
  if (known.indexOf(lower) >= 0) {
    return lower;
  }
  return NAMES.some(function (other) { return near(lower, other); }) ? name : null;
}

// Whether two names may be a typing slip apart: nearly the same letters, in whatever order.
function near(name, known) {
  var slack = known.length < 7 ? 1 : 2;
  if (known.length < 4 || Math.abs(name.length - known.length) > slack) {
    return false;
  }
  var rest = name;
  var missing = 0;
  for (var i = 0; i < known.length; i++) {
    var at = rest.indexOf(known[i]);
    if (at < 0) {
      missing += 1;
    } else {
      rest = rest.slice(0, at) + rest.slice(at + 1);
    }
  }
  return missing <= slack && rest.length <= slack;
}

function isDefault(name, values) {
  var given = values['=' + name];
  if (!DEFAULTS.hasOwnProperty(name) || given.length !== 1 || given[0].toLowerCase() !== DEFAULTS[name]) {
    return false;
  }
  // A reproject speaks where resampling is silent, so beside another kernel "nearest" must be said.
  var other = values['=reproject'];
  return name !== 'resampling' || other === undefined || isDefault('reproject', values);
}

// One percent-encoding of a text that is encoded already: unreserved characters plain, all others escaped
// with upper-case digits. '+' (a space), '%2B' and stray '%' stay as they are.
function encoded(text) {
  return text.replace(/%[0-9A-Fa-f]{2}|[^A-Za-z0-9\-._~%+]+/g, function (part) {
    if (part[0] !== '%') {
      return escaped(part);
    }
    var character = String.fromCharCode(parseInt(part.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : part.toUpperCase();
  });
}

// Half a surrogate pair has no encoding: it stays as it came.
function escaped(part) {
  try {
    return encodeURIComponent(part).replace(/[!'()*]/g, function (c) { return '%' + c.charCodeAt(0).toString(16).toUpperCase(); });
  } catch (e) {
    return part;
  }
}

function refuse(status, description, detail, more) {
  var headers = { 'cache-control': 'public, max-age=300', 'content-type': 'application/problem+json' };
  for (var name in more) {
    headers[name] = more[name];
  }
  var response = answer(status, description, headers);
  response.body = { encoding: 'text', data: JSON.stringify({ title: description, status: status, detail: detail }) };
  return response;
}

function answer(status, description, headers) {
  var response = { statusCode: status, statusDescription: description, headers: { 'access-control-allow-origin': { value: '*' } } };
  for (var name in headers) {
    response.headers[name] = { value: headers[name] };
  }
  return response;
}
