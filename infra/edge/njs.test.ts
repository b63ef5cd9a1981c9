// The same cases under Debian's njs, the dialect that cloudfront-js grew from. Skipped where njs is missing.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const missing = spawnSync('njs', ['-v']).error ? 'njs is missing: apt-get install njs' : false;

test('every case holds under njs', { skip: missing }, () => {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
  const file = join(mkdtempSync(join(tmpdir(), 'edgetile-njs-')), 'all.js');
  writeFileSync(file, ['normalize.js', 'cases.js', 'njs-check.js'].map(read).join('\n'));
  const run = spawnSync('njs', [file], { encoding: 'utf8' });
  assert.equal(run.status, 0, run.stdout + run.stderr);
  assert.match(run.stdout, /^[1-9]\d* passed, 0 failed$/m, run.stdout);
});
