// Through the whole edge on this machine, with instances of the real binary: what is kept and for how long, what
// reaches the function, what a failing store or a dying instance does, and a minute of load.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sam } from '../test/templates.ts';
import { LocalEdge } from './edge.ts';

const binary = process.env.EDGETILE_BINARY ?? new URL('../../target/debug/edgetile', import.meta.url).pathname;
const LOAD_SECONDS = Number(process.env.EDGETILE_LOAD_SECONDS ?? 60);
const sample = readFileSync(new URL('../../functions/tile/sample/sample.tif', import.meta.url));

/** What template.yaml says of tiles. */
const TILES_KEPT = String(sam().source.Parameters.CacheControl!.Default);

let edge: LocalEdge;
let tile: { z: number; x: number; y: number };

interface Answer {
  status: number;
  cache: string;
  headers: Headers;
  body: Buffer;
}

async function ask(path: string, headers: Record<string, string> = {}, at = edge): Promise<Answer> {
  const answer = await fetch(at.url + path, { headers });
  return { status: answer.status, cache: answer.headers.get('x-cache')?.split(' ')[0] ?? '', headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

/** A tile of a file in the bucket. Each test asks under a version of its own, so that none finds what another left. */
function path(version: string, file = 'sample.tif'): string {
  return `${unversioned(file)}&v=${version}`;
}

/** The same without a version: kept as long as the operator says, and then asked for again. */
function unversioned(file = 'sample.tif'): string {
  return `/cog/tiles/WebMercatorQuad/${tile.z}/${tile.x}/${tile.y}.png?url=${file}&bidx=1&rescale=0%2C4000`;
}

/** The tile in the middle of a file, at a zoom between its lowest and its deepest. */
async function middle(file: string): Promise<{ z: number; x: number; y: number }> {
  const { body } = await ask(`/cog/WebMercatorQuad/tilejson.json?url=${file}`);
  const { bounds, minzoom, maxzoom } = JSON.parse(body.toString());
  const z = Math.ceil((minzoom + maxzoom) / 2);
  const lat = ((bounds[1] + bounds[3]) / 2) * (Math.PI / 180);
  return {
    z,
    x: Math.floor(((bounds[0] + bounds[2]) / 2 + 180) / 360 * 2 ** z),
    y: Math.floor((1 - Math.asinh(Math.tan(lat)) / Math.PI) / 2 * 2 ** z),
  };
}

before(async () => {
  edge = await LocalEdge.start({ binary, instances: 8, environment: { EDGETILE_CACHE_CONTROL: TILES_KEPT } });
  await edge.store.put('sample.tif', sample);
  tile = await middle('sample.tif');
});
after(() => edge.stop());

test('a tile is a miss, then a hit, byte for byte', async () => {
  const first = await ask(path('hit'));
  const second = await ask(path('hit'));
  assert.deepEqual([first.status, first.cache], [200, 'Miss']);
  assert.deepEqual([second.status, second.cache], [200, 'Hit']);
  assert.equal(first.headers.get('content-type'), 'image/png');
  assert.deepEqual(second.body, first.body);
});

test('a tile that names its version is kept for good, one that does not as long as the operator says', async () => {
  const versioned = await ask(path('hit'));
  assert.equal(versioned.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const plain = await ask(unversioned());
  assert.equal(plain.headers.get('cache-control'), TILES_KEPT);
});

test('thirty viewers who miss one tile at once cost one request of the function', async () => {
  const before = edge.function.seen.length;
  const answers = await Promise.all(Array.from({ length: 30 }, () => ask(path('crowd'))));
  assert.deepEqual([...new Set(answers.map(one => one.status))], [200]);
  assert.equal(edge.function.seen.length - before, 1);
});

test('permuted, padded, upper-case and decorated spellings share one key', async () => {
  const { z, x, y } = tile;
  await ask(path('spelling'));
  const before = edge.function.seen.length;
  for (const spelling of [
    `/cog/tiles/WebMercatorQuad/0${z}/00${x}/0${y}.png?v=spelling&rescale=0,4000&bidx=1&url=sample.tif`,
    `/cog/tiles/WebMercatorQuad/${z}/${x}/${y}@1x.png?URL=sample.tif&BIDX=1&Rescale=0%2c4000&v=spelling&utm_source=x`,
    `/cog/tiles/WebMercatorQuad/${z}/${x}/${y}.png?url=s%61mple.tif&bidx=1&rescale=0%2C4000&v=spelling&resampling=nearest&return_mask=true`,
  ]) {
    const answer = await ask(spelling);
    assert.deepEqual([answer.status, answer.cache], [200, 'Hit'], spelling);
  }
  assert.equal(edge.function.seen.length, before);
});

test('what the edge calls one request, the function does too: one ETag for the spellings it merges', async () => {
  const { z, x, y } = tile;
  const plain = await ask(path('etag'));
  for (const spelling of ['.png?url=sample.tif&bidx=1&rescale=0,4000&v=etag&unscale=false&padding=0&buffer=0&reproject=nearest', '@1x.png?v=etag&bidx=1&url=sample.tif&rescale=0,4000&_=2']) {
    const direct = await fetch(`http://${edge.origin}/cog/tiles/WebMercatorQuad/0${z}/0${x}/0${y}${spelling}`);
    assert.equal(direct.headers.get('etag'), plain.headers.get('etag'), spelling);
  }
});

test('a tile off the grid is refused at the edge', async () => {
  const before = edge.function.seen.length;
  const answer = await ask('/cog/tiles/WebMercatorQuad/3/8/0.png?url=sample.tif', { origin: 'https://example.org' });
  assert.deepEqual([answer.status, answer.cache], [404, 'FunctionGeneratedResponse']);
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(edge.function.seen.length, before);
});

test('the function refuses what the edge refuses, in the same words, and no less', async () => {
  for (const off of ['3/8/0', '24/0/16777216', '25/0/0', '99/0/0']) {
    const atEdge = await ask(`/cog/tiles/WebMercatorQuad/${off}.png?url=sample.tif`);
    const direct = await fetch(`http://${edge.origin}/cog/tiles/WebMercatorQuad/${off}.png?url=sample.tif`);
    assert.deepEqual([direct.status, (await direct.json()).detail], [atEdge.status, JSON.parse(atEdge.body.toString()).detail], off);
  }
  const last = await ask('/cog/tiles/WebMercatorQuad/24/16777215/16777215.png?url=sample.tif');
  assert.ok([200, 204].includes(last.status), `${last.status} ${last.body}`);
});

test('a viewer who has the tile is told so, by the edge alone', async () => {
  const first = await ask(path('304'));
  const before = edge.function.seen.length;
  const second = await ask(path('304'), { 'if-none-match': first.headers.get('etag')! });
  assert.deepEqual([second.status, second.body.length], [304, 0]);
  assert.equal(edge.function.seen.length, before);
});

test('a stale tile is asked for again by its ETag, and the function answers 304', async () => {
  await withCacheControl('public, max-age=1', async brief => {
    const first = await ask(unversioned(), {}, brief);
    await sleep(2100);
    const second = await ask(unversioned(), {}, brief);
    assert.deepEqual([first.status, second.status, second.cache], [200, 200, 'RefreshHit']);
    assert.deepEqual(second.body, first.body);
    assert.deepEqual(brief.function.answered, [200, 304]);
  });
});

test('while a stale tile is asked for again, viewers have the old one at once', async () => {
  await withCacheControl('public, max-age=1, stale-while-revalidate=60', async brief => {
    await ask(unversioned(), {}, brief);
    await sleep(2100);
    brief.store.signal('SIGSTOP');
    const stale = await ask(unversioned(), {}, brief);
    brief.store.signal('SIGCONT');
    assert.deepEqual([stale.status, stale.cache], [200, 'Hit']);
    for (let attempt = 0; attempt < 100 && brief.function.answered.length < 2; attempt++) await sleep(50);
    assert.deepEqual(brief.function.answered, [200, 304]);
  });
});

/** An edge whose tiles say `cacheControl`, for as long as `use` takes. */
async function withCacheControl(cacheControl: string, use: (edge: LocalEdge) => Promise<void>): Promise<void> {
  const brief = await LocalEdge.start({ binary, instances: 1, environment: { EDGETILE_CACHE_CONTROL: cacheControl } });
  try {
    await brief.store.put('sample.tif', sample);
    await use(brief);
  } finally {
    await brief.stop();
  }
}

test('any page may read errors, which say how long they hold', async () => {
  for (const [request, status, kept] of [
    ['/cog/info?url=https%3A%2F%2Fexample.org%2Fa.tif', 403, 'public, max-age=10'],
    ['/cog/info?url=missing.tif', 404, 'public, max-age=300'],
    ['/tiles/nothing/0/0/0.png', 404, 'public, max-age=300'],
    ['/cog/info?url=a.tif&url=b.tif', 400, 'public, max-age=300'],
    ['/cog/info?url=a.tif&rescael=0%2C1', 400, 'public, max-age=300'],
  ] as const) {
    const answer = await ask(request, { origin: 'https://example.org' });
    assert.deepEqual([answer.status, answer.headers.get('cache-control')], [status, kept], `${request}: ${answer.body}`);
    assert.equal(answer.headers.get('access-control-allow-origin'), '*', request);
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/, request);
    const again = await ask(request);
    assert.equal(again.cache, 'Hit', request);
  }
});

test('documents name the host that was asked, and two hosts never share one', async () => {
  const document = async (at: string) => JSON.parse((await ask(`/cog/WebMercatorQuad/tilejson.json?url=sample.tif&v=${at}`)).body.toString());
  const { port } = new URL(edge.url);
  const [one] = (await document('host')).tiles;
  assert.ok(one.includes(`127.0.0.1:${port}/cog/tiles/`), one);
  const other = await fetch(`http://localhost:${port}/cog/WebMercatorQuad/tilejson.json?url=sample.tif&v=host`);
  const [two] = (await other.json()).tiles;
  assert.ok(two.includes(`localhost:${port}/cog/tiles/`), two);
});

test('a failure of the store is never kept', async () => {
  await edge.store.put('later.tif', sample);
  await edge.store.stop();
  const failed = await ask(path('store', 'later.tif'));
  assert.ok([502, 503, 504].includes(failed.status), `${failed.status} ${failed.body}`);
  assert.equal(failed.headers.get('cache-control'), 'no-store');
  assert.equal(failed.headers.get('access-control-allow-origin'), '*');
  await edge.store.start();
  await edge.store.put('later.tif', sample);
  const mended = await ask(path('store', 'later.tif'));
  assert.deepEqual([mended.status, mended.cache], [200, 'Miss']);
});

test('an instance killed at work fails one request, and the next is served', async () => {
  await edge.store.put('held.tif', sample);
  edge.store.signal('SIGSTOP');
  const lost = ask(path('killed', 'held.tif'));
  for (let attempt = 0; attempt < 100 && !edge.function.killBusy(); attempt++) await sleep(20);
  const answer = await lost;
  edge.store.signal('SIGCONT');
  assert.equal(answer.status, 502);
  const next = await ask(path('killed', 'held.tif'));
  assert.equal(next.status, 200, String(next.body));
});

test(`64 viewers at once over 8 instances for ${LOAD_SECONDS} s: every request is served`, async context => {
  const until = Date.now() + LOAD_SECONDS * 1000;
  const statuses = new Map<number, number>();
  let version = 0;
  const viewer = async () => {
    while (Date.now() < until) {
      // Every other request is new to the cache, so that the function works as hard as the edge.
      const { status } = await ask(path(version % 2 ? 'load' : `load${version}`));
      version++;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 64 }, viewer));
  context.diagnostic(`${version} requests, ${(version / LOAD_SECONDS).toFixed(0)}/s, ${edge.function.instanceCount} instances`);
  assert.deepEqual([...statuses.keys()], [200], JSON.stringify([...statuses]));
  assert.ok(edge.function.instanceCount <= 8);
});
