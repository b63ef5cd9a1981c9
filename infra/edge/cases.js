// What the viewer-request function makes of requests: read by both runtimes, so only the oldest syntax.
// [what it shows, request, outcome]: the outcome is the request that goes on, or the status answered at the edge.

var SIGNED = 'https%3A%2F%2Fb.s3.amazonaws.com%2Fa.tif%3FX-Amz-Expires%3D60%26X-Amz-Signature%3Dab%252F%252B1';

var CASES = [
  ['a plain tile goes on as it is', '/tiles/demo/3/4/2.png', '/tiles/demo/3/4/2.png'],
  ['leading zeros of z, x and y', '/ndvi/010/0511/00340?url=a.tif', '/ndvi/10/511/340?url=a.tif'],
  ['zero itself stays', '/tiles/demo/00/000/0.png', '/tiles/demo/0/0/0.png'],
  ['a layer on another grid', '/tiles/demo/EuropeanETRS89_LAEAQuad/01/900/02@1x.png', '/tiles/demo/EuropeanETRS89_LAEAQuad/1/900/2.png'],
  ['a layer on the web\'s grid ends where that does', '/tiles/demo/WebMercatorQuad/1/2/0.png', 404],
  ['scale 1 is no scale', '/tiles/demo/3/4/2@1x.png', '/tiles/demo/3/4/2.png'],
  ['scale 2 stays', '/tiles/demo/03/4/2@2x.webp', '/tiles/demo/3/4/2@2x.webp'],
  ['no format is not png', '/tiles/demo/3/4/2', '/tiles/demo/3/4/2'],
  ['without a format Accept goes on, as the one type that it wants most', '/tiles/demo/3/4/2 Accept: image/jpeg;q=0.4, image/webp ; q=0.5, */*', '/tiles/demo/3/4/2 Accept: image/webp'],
  ['of types wanted alike the first on the list', '/ndvi/3/4/2?url=a Accept: image/tiff;application=geotiff,IMAGE/JPEG', '/ndvi/3/4/2?url=a Accept: image/jpeg'],
  ['a browser that shows a picture', '/tiles/demo/3/4/2@2x Accept: image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', '/tiles/demo/3/4/2@2x Accept: image/webp'],
  ['Accept that names nothing of ours goes', '/tiles/demo/3/4/2 Accept: image/avif,image/*,image/png;q=0', '/tiles/demo/3/4/2'],
  ['the page at / is HTML or JSON', '/ Accept: text/html;q=0.5,application/json,image/webp', '/ Accept: application/json'],
  ['no other document depends on Accept', '/tiles Accept: application/json', '/tiles'],
  ['with a format Accept goes', '/tiles/demo/3/4/2.png Accept: image/webp', '/tiles/demo/3/4/2.png'],
  ['WMTS keys are folded and sorted, their values as they are', '/cog/WMTSCapabilities.xml?SERVICE=WMTS&REQUEST=GetTile&Version=1.0.0&LAYER=a&url=a.tif&TileRow=3&FORMAT=image/png&_=1', '/cog/WMTSCapabilities.xml?format=image%2Fpng&layer=a&request=GetTile&service=WMTS&tilerow=3&url=a.tif&version=1.0.0'],
  ['elsewhere they are nobody\'s', '/tiles/demo/0/0/0.png?LAYER=a&version=3', '/tiles/demo/0/0/0.png'],
  ['all layers in WMTS have defaults of their own', '/WMTSCapabilities.xml?resampling=nearest&request=GetTile', '/WMTSCapabilities.xml?request=GetTile&resampling=nearest'],
  ['parameters are sorted', '/ndvi/1/0/0?url=a.tif&red=3&nir=4', '/ndvi/1/0/0?nir=4&red=3&url=a.tif'],
  ['names are folded to lower case', '/ndvi/1/0/0?URL=a.tif&Red=3&NIR=4', '/ndvi/1/0/0?nir=4&red=3&url=a.tif'],
  ['values keep their case', '/ndvi/1/0/0?url=A.TIF&red=B04&nir=B08', '/ndvi/1/0/0?nir=B08&red=B04&url=A.TIF'],
  ['a repeated parameter keeps its order', '/cog/tiles/WebMercatorQuad/1/0/0?bidx=3&url=a&bidx=1', '/cog/tiles/WebMercatorQuad/1/0/0?bidx=3&bidx=1&url=a'],
  ['unknown parameters go', '/tiles/demo/0/0/0?_=17&utm_source=x&constructor=1&__proto__=2&hasOwnProperty=3', '/tiles/demo/0/0/0'],
  ['a slip of a name goes on to be refused', '/cog/tiles/WebMercatorQuad/1/0/0?url=a&rescael=0,1', '/cog/tiles/WebMercatorQuad/1/0/0?rescael=0%2C1&url=a'],
  ['a hyphen for an underscore is a slip', '/cog/info?url=a&colormap-name=viridis', '/cog/info?colormap-name=viridis&url=a'],
  ['one name in two spellings is refused', '/cog/info?url=a&URL=b', 400],
  ['a presigned url keeps its escaped ampersand', '/cog/info?url=' + SIGNED, '/cog/info?url=' + SIGNED],
  ['what could stand plain is unescaped', '/cog/info?%75rl=%61%2Etif', '/cog/info?url=a.tif'],
  ['what must be escaped is, in upper case', '/cog/info?url=https://h/a,b%c3%a9.tif', '/cog/info?url=https%3A%2F%2Fh%2Fa%2Cb%C3%A9.tif'],
  ['raw text beyond ASCII is escaped as UTF-8', '/cog/info?url=\u00e9.tif', '/cog/info?url=%C3%A9.tif'],
  ['plus and escaped plus stay apart', '/cog/point/1,2?url=a&expression=b1+b2%2bb3', '/cog/point/1,2?expression=b1+b2%2Bb3&url=a'],
  ['a stray percent stays', '/cog/info?url=100%&v=%zz', '/cog/info?url=100%&v=%zz'],
  ['an escaped percent stays escaped', '/cog/info?url=100%2541', '/cog/info?url=100%2541'],
  ['a value may hold an equals sign', '/cog/info?url=a?b=c', '/cog/info?url=a%3Fb%3Dc'],
  ['a parameter without a value', '/cog/info?url', '/cog/info?url='],
  ['defaults go', '/ndvi/1/0/0?url=a&resampling=nearest&reproject=nearest&return_mask=True&unscale=false&padding=0&buffer=0&alpha=true', '/ndvi/1/0/0?url=a'],
  ['other values than defaults stay', '/ndvi/1/0/0?url=a&resampling=cubic&return_mask=false', '/ndvi/1/0/0?resampling=cubic&return_mask=false&url=a'],
  ['nearest stays beside a reproject that it overrules', '/ndvi/1/0/0?url=a&resampling=nearest&reproject=cubic', '/ndvi/1/0/0?reproject=cubic&resampling=nearest&url=a'],
  ['a repeated default stays, for it is refused', '/ndvi/1/0/0?url=a&unscale=false&unscale=true', '/ndvi/1/0/0?unscale=false&unscale=true&url=a'],
  ['a layer has defaults of its own', '/tiles/demo/1/0/0?resampling=nearest', '/tiles/demo/1/0/0?resampling=nearest'],
  ['tilesize has no default that holds everywhere', '/ndvi/1/0/0?url=a&tilesize=256', '/ndvi/1/0/0?tilesize=256&url=a'],
  ['an index of a file, and of a layer', '/index/NDWI(nir=4)/01/0/0?url=a&buffer=0', '/index/NDWI(nir=4)/1/0/0?url=a'],
  ['an index without a source is of a layer', '/index/NDWI/1/0/0?buffer=0', '/index/NDWI/1/0/0?buffer=0'],
  ['NDVI without a source is of a layer', '/ndvi/1/0/0?resampling=nearest', '/ndvi/1/0/0?resampling=nearest'],
  ['named sources are sorted', '/cog/tiles/WebMercatorQuad/1/0/0?URL.red=r&url.nir=n&expression=nir-red', '/cog/tiles/WebMercatorQuad/1/0/0?expression=nir-red&url.nir=n&url.red=r'],
  ['the name of a source keeps its case', '/cog/info?url.B04=r', '/cog/info?url.B04=r'],
  ['CloudFront\'s signature is not ours', '/cog/info?url=a&Expires=1&Signature=x~&Key-Pair-Id=K&Policy=p', '/cog/info?url=a'],
  ['our own signature goes on', '/cog/info?url=a&signature=x&expires=1', '/cog/info?expires=1&signature=x&url=a'],
  ['so does a key', '/tiles/demo/0/0/0.png?access_token=k&utm=1', '/tiles/demo/0/0/0.png?access_token=k'],
  ['a version goes on', '/tiles/demo/0/0/0.png?v=7', '/tiles/demo/0/0/0.png?v=7'],
  ['x off the grid', '/tiles/demo/3/8/2.png', 404],
  ['y off the grid', '/ndvi/3/2/8?url=a', 404],
  ['what is no number is the origin\'s to refuse', '/ndvi/3/-1/2?url=a', '/ndvi/3/-1/2?url=a'],
  ['an x of many digits', '/ndvi/3/99999999999999999999999999/2?url=a', 404],
  ['the last tile of the deepest level', '/ndvi/24/16777215/16777215?url=a', '/ndvi/24/16777215/16777215?url=a'],
  ['one beyond it', '/ndvi/24/16777216/0?url=a', 404],
  ['z too deep', '/ndvi/25/0/0?url=a', 404],
  ['z of many digits', '/ndvi/99999999999999999999/0/0?url=a', 404],
  ['stac and mosaics lie on the same grid', '/stac/tiles/WebMercatorQuad/1/2/0?url=a', 404],
  ['other grids are the origin\'s to judge', '/cog/tiles/WGS1984Quad/01/3/0?url=a', '/cog/tiles/WGS1984Quad/1/3/0?url=a'],
  ['a point is no tile', '/tiles/demo/point/007.50,-1', '/tiles/demo/point/007.50,-1'],
  ['a percent-encoded layer stays', '/tiles/a%2Fb/01/0/0', '/tiles/a%2Fb/1/0/0'],
  ['HEAD shares the key of GET', 'HEAD /tiles/demo/00/0/0.png', '/tiles/demo/0/0/0.png'],
  ['a preflight is answered at the edge', 'OPTIONS /tiles/demo/99/0/0.png', 204],
  ['POST', 'POST /cog/info?url=a', 405],
  ['a feature goes on', 'POST /cog/feature.png?URL=a&_=1', 'POST /cog/feature.png?url=a'],
  ['so do its size and its Accept', 'POST /tiles/demo/feature/40x30 Accept: image/webp, */*', 'POST /tiles/demo/feature/40x30 Accept: image/webp'],
  ['and what its values come to', 'POST /index/NDWI/statistics?p=5', 'POST /index/NDWI/statistics?p=5'],
  ['what is only like it does not', 'POST /cog/features?url=a', 405],
  ['PUT of a feature', 'PUT /cog/feature?url=a', 405],
  ['DELETE', 'DELETE /tiles/demo/0/0/0.png', 405]
];

// The event that CloudFront hands over for "METHOD /path?query Accept: types": values by name, still encoded.
function eventOf(line) {
  var accept = line.indexOf(' Accept: ');
  var text = accept < 0 ? line : line.slice(0, accept);
  var method = /^[A-Z]+ /.test(text) ? text.slice(0, text.indexOf(' ')) : 'GET';
  var target = text.slice(text.indexOf('/'));
  var mark = target.indexOf('?');
  var querystring = Object.create(null);
  (mark < 0 ? '' : target.slice(mark + 1)).split('&').forEach(function (field) {
    if (field === '') {
      return;
    }
    var equals = field.indexOf('=');
    var name = equals < 0 ? field : field.slice(0, equals);
    var value = equals < 0 ? '' : field.slice(equals + 1);
    var known = querystring[name];
    if (known === undefined) {
      querystring[name] = { value: value };
    } else {
      known.multiValue = (known.multiValue || [{ value: known.value }]).concat([{ value: value }]);
    }
  });
  var headers = { host: { value: 'tiles.example' }, 'x-public-host': { value: 'evil.example' } };
  if (accept >= 0) {
    headers.accept = { value: line.slice(accept + 9) };
  }
  return {
    version: '1.0',
    context: { eventType: 'viewer-request' },
    viewer: { ip: '198.51.100.7' },
    request: {
      method: method,
      uri: mark < 0 ? target : target.slice(0, mark),
      querystring: querystring,
      headers: headers,
      cookies: {}
    }
  };
}

// What `handler` answered, in the short form of CASES.
function outcomeOf(result) {
  if (result.statusCode !== undefined) {
    return result.statusCode;
  }
  return (result.method === 'POST' ? 'POST ' : '') + result.uri + (result.querystring === '' ? '' : '?' + result.querystring)
    + (result.headers.accept ? ' Accept: ' + result.headers.accept.value : '');
}
