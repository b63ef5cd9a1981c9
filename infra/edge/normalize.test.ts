// The viewer-request function in node:vm, in a context as bare as cloudfront-js-2.0, and the properties that
// its sampled cases cannot show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const source = readFileSync(new URL('normalize.js', import.meta.url), 'utf8');
const sampled = readFileSync(new URL('cases.js', import.meta.url), 'utf8');

interface Request {
  uri: string;
  querystring: string;
  headers: Record<string, { value: string }>;
}
interface Answer {
  statusCode: number;
  headers: Record<string, { value: string }>;
  body?: { encoding: string; data: string };
}
interface Edge {
  CASES: [shows: string, request: string, outcome: string | number][];
  handler(event: object): Request & Answer;
  eventOf(request: string): object;
  outcomeOf(result: object): string | number;
}

/** A fresh runtime: the language alone, without modules, timers, console, eval or anything of Node's. */
function runtime(): Edge {
  const bare = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
  runInContext('delete globalThis.console; delete globalThis.WebAssembly; delete globalThis.SharedArrayBuffer;', bare);
  runInContext(`'use strict';\n${source}\n${sampled}\nglobalThis.edge = { CASES, handler, eventOf, outcomeOf };`, bare);
  return bare.edge as Edge;
}

const edge = runtime();
const outcome = (request: string) => edge.outcomeOf(edge.handler(edge.eventOf(request)));

for (const [shows, request, expected] of edge.CASES) {
  test(shows, () => assert.equal(outcome(request), expected));
}

test('a canonical request is its own canonical form', () => {
  for (const [, , expected] of edge.CASES) {
    if (typeof expected === 'string') assert.equal(outcome(expected), expected);
  }
});

test('the function fits CloudFront: below 10 KB, no import, no module system', () => {
  assert.ok(Buffer.byteLength(source) < 10_240);
  assert.doesNotMatch(source, /\b(import|export|require|eval|module)\b\s*[({'"]/);
});

test('x-public-host is the host asked, whatever the viewer sent', () => {
  const request = edge.handler(edge.eventOf('/tiles/demo/tilejson.json'));
  assert.equal(request.headers['x-public-host']?.value, 'tiles.example');
});

test('a key goes on under the one name that the origin gets', () => {
  const event = edge.eventOf('/tiles/demo/0/0/0.png') as { request: { headers: Record<string, { value: string }> } };
  event.request.headers.authorization = { value: 'bearer  abc ' };
  assert.equal(edge.handler(event).headers['x-api-key']?.value, 'abc');
  event.request.headers = { authorization: { value: 'Basic eDp5' } };
  assert.equal(edge.handler(event).headers['x-api-key'], undefined);
});

test('a method that is not answered is told which are, in the words of the origin', () => {
  for (const [request, detail, allow] of [
    ['POST /cog/info', 'only GET and HEAD are answered here', 'GET, HEAD, OPTIONS'],
    ['PUT /ndvi/statistics', 'only GET, HEAD and POST are answered here', 'GET, HEAD, POST, OPTIONS'],
    ['DELETE /cog/feature/40x30.png', 'only POST is answered here', 'POST, OPTIONS'],
  ] as const) {
    const answer = edge.handler(edge.eventOf(request));
    assert.deepEqual([JSON.parse(answer.body?.data ?? '').detail, answer.headers.allow?.value], [detail, allow]);
  }
});

test('refusals are readable by scripts of other origins and kept five minutes', () => {
  for (const request of ['/tiles/demo/3/8/0', '/tiles/demo/25/0/0', 'POST /', '/cog/info?url=a&Url=b']) {
    const answer = edge.handler(edge.eventOf(request));
    assert.equal(answer.headers['access-control-allow-origin']?.value, '*');
    assert.equal(answer.headers['cache-control']?.value, 'public, max-age=300');
    assert.equal(answer.headers['content-type']?.value, 'application/problem+json');
    assert.equal(JSON.parse(answer.body?.data ?? '').status, answer.statusCode);
  }
});

/** Park and Miller's generator: the same queries in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

const WORDS = ['a.tif', 'https://h/ä b.tif?X=1&Sig=q%2F+', '-1,1', '(b1-b2)/(b1+b2)', 'B08', "it's*!()", '', '~', '100%'];
const NAMES = ['url', 'bidx', 'rescale', 'expression', 'colormap_name', 'v', 'nodata', 'red', 'assets'];

/** A random spelling of one character: plain, escaped, escaped in lower case. */
function spell(text: string, below: (n: number) => number): string {
  return [...text].map(character => {
    const escapes = [...new TextEncoder().encode(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
    const must = '%&+#= '.includes(character);
    return !must && below(3) > 0 ? character : below(2) ? escapes : escapes.toUpperCase();
  }).join('');
}

/** A random spelling of `pairs`: other order (repeated names in theirs), other case, other escapes, noise. */
function respell(pairs: [string, string][], below: (n: number) => number): string {
  const names = [...new Set(pairs.map(([name]) => name))].sort(() => below(2) - 0.5);
  const fields = names.flatMap(name => {
    const written = [...name].map(c => (below(4) ? c : c.toUpperCase())).join('');
    return pairs.filter(pair => pair[0] === name).map(([, value]) => `${written}=${spell(value, below)}`);
  });
  fields.splice(below(fields.length + 1), 0, `cachebust=${below(1000)}`);
  return fields.join('&');
}

const decoded = (query: string) => JSON.stringify([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value])
  .filter(([name]) => name !== 'cachebust').map((pair, at) => ({ pair, at }))
  .sort((a, b) => (a.pair[0]! < b.pair[0]! ? -1 : a.pair[0]! > b.pair[0]! ? 1 : a.at - b.at)).map(one => one.pair));

test('every spelling of a query has one key, and the key says what the query said', () => {
  const below = random(7);
  for (let round = 0; round < 2000; round++) {
    const pairs = Array.from({ length: 1 + below(5) }, (): [string, string] => [NAMES[below(NAMES.length)]!, WORDS[below(WORDS.length)]!]);
    const spellings = [respell(pairs, below), respell(pairs, below), respell(pairs, below)];
    const keys = spellings.map(query => String(outcome(`/cog/info?${query}`)));
    assert.equal(new Set(keys).size, 1, spellings.join('\n'));
    assert.equal(decoded(keys[0]!.slice('/cog/info?'.length)), decoded(spellings[0]!), spellings[0]);
  }
});

test('different queries never share a key', () => {
  const below = random(11);
  const meaning = new Map<string, string>();
  for (let round = 0; round < 4000; round++) {
    const pairs = Array.from({ length: 1 + below(2) }, (): [string, string] => [NAMES[below(NAMES.length)]!, WORDS[below(WORDS.length)]!]);
    const query = respell(pairs, below);
    const key = String(outcome(`/cog/info?${query}`));
    const said = decoded(query);
    assert.equal(meaning.get(key) ?? said, said, key);
    meaning.set(key, said);
  }
});
