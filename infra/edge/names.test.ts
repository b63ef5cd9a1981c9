// The edge must not drop what the origin reads: every parameter that the request module names goes on.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

const requests = new URL('../../functions/tile/src/request/', import.meta.url);
const sources = readdirSync(requests).filter(name => name.endsWith('.rs') && name !== 'tests.rs')
  .map(name => readFileSync(new URL(name, requests), 'utf8').split('#[cfg(test)]')[0]!);

/** Parameters that are read by name, and those of the lists of known names. */
const read = new Set(sources.flatMap(text => [
  ...[...text.matchAll(/\bquery\s*\.(?:one|many)\("([^"]+)"\)/g)].map(found => found[1]!),
  ...[...text.matchAll(/\b(?:KNOWN|SHORT|PARAMETERS): &\[&str\] = &\[([^\]]*)\]/g)].flatMap(found => [...found[1]!.matchAll(/"([^"]+)"/g)].map(one => one[1]!)),
]));

test('the origin\'s parameters were found', () => {
  for (const name of ['url', 'bidx', 'expression', 'v', 'tile_format', 'rescale']) assert.ok(read.has(name), name);
});

test('every parameter that the origin reads goes on, and none by luck of a likeness', () => {
  const edge = createContext(Object.create(null));
  runInContext(readFileSync(new URL('normalize.js', import.meta.url), 'utf8'), edge);
  for (const name of read) {
    assert.ok(edge.NAMES.includes(name), `${name}: add it to NAMES in infra/edge/normalize.js`);
  }
});

test('WMTS\'s keys are the origin\'s, and go on to its documents alone', () => {
  const edge = createContext(Object.create(null));
  runInContext(readFileSync(new URL('normalize.js', import.meta.url), 'utf8'), edge);
  const origin = readFileSync(new URL('kvp.rs', requests), 'utf8').match(/KEYS: &\[&str\] = &\[([^\]]*)\]/)![1]!;
  assert.deepEqual([...edge.KEYS], [...origin.matchAll(/"([^"]+)"/g)].map(one => one[1]!));
});
