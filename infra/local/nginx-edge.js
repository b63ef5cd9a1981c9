// Lets normalize.js, which stands above in the same file, run in nginx: the event that CloudFront would make, and
// what CloudFront would do with what the function returns.

// One field for each name, values in their order and still encoded.
function querystringOf(raw) {
  var fields = {};
  raw.split('&').forEach(function (field) {
    if (field === '') {
      return;
    }
    var equals = field.indexOf('=');
    var name = equals < 0 ? field : field.slice(0, equals);
    var value = { value: equals < 0 ? '' : field.slice(equals + 1) };
    if (!Object.prototype.hasOwnProperty.call(fields, name)) {
      fields[name] = { value: value.value };
    } else {
      fields[name].multiValue = (fields[name].multiValue || [{ value: fields[name].value }]).concat([value]);
    }
  });
  return fields;
}

// The distribution's path patterns of tiles, which are keyed without the host.
var TILES = @TILES@;

function viewerRequest(r) {
  var target = r.variables.request_uri;
  var mark = target.indexOf('?');
  var result = handler({
    request: {
      method: r.method,
      uri: mark < 0 ? target : target.slice(0, mark),
      querystring: querystringOf(mark < 0 ? '' : target.slice(mark + 1)),
      headers: Object.assign({ host: { value: r.headersIn.Host || '' } }, r.headersIn.Accept ? { accept: { value: r.headersIn.Accept } } : {},
        r.headersIn['X-Api-Key'] ? { 'x-api-key': { value: r.headersIn['X-Api-Key'] } } : {},
        r.headersIn.Authorization ? { authorization: { value: r.headersIn.Authorization } } : {}),
      cookies: {}
    }
  });
  if (result.statusCode !== undefined) {
    Object.keys(result.headers).forEach(function (name) { r.headersOut[name] = result.headers[name].value; });
    r.headersOut['X-Cache'] = 'FunctionGeneratedResponse from local edge';
    r.return(result.statusCode, result.body ? result.body.data : '');
    return;
  }
  r.variables.edge_target = result.uri + (result.querystring === '' ? '' : '?' + result.querystring);
  r.variables.edge_api_key = result.headers['x-api-key'] ? result.headers['x-api-key'].value : '';
  r.variables.edge_accept = result.headers.accept ? result.headers.accept.value : '';
  r.variables.edge_key = (TILES.test(result.uri) ? '' : result.headers['x-public-host'].value) + ' ' + r.variables.edge_target
    + ' ' + r.variables.edge_accept + ' ' + r.variables.edge_api_key;
  r.internalRedirect('@origin');
}

export default { viewerRequest };
