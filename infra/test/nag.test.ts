// `cdk synth` as a deployer runs it, with cdk-nag: a finding that is not acknowledged with a reason fails it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { CHOICES, contextOf, standIn } from './choices.ts';

const infra = fileURLToPath(new URL('../', import.meta.url));

function synth(context: Record<string, string>): { status: number | null; said: string } {
  const chosen = Object.entries(context).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const output = mkdtempSync(join(tmpdir(), 'edgetile-synth-'));
  const run = spawnSync('npx', ['cdk', 'synth', '--no-lookups', '--strict', '--quiet', '--output', output, ...chosen], { cwd: infra, encoding: 'utf8' });
  return { status: run.status, said: run.stdout + run.stderr };
}

for (const title of ['the defaults', 'everything']) {
  test(`${title}: cdk synth, and cdk-nag finds nothing that is not acknowledged`, () => {
    const { status, said } = synth({ ...contextOf(CHOICES[title]!), package: standIn() });
    assert.equal(status, 0, said);
    assert.doesNotMatch(said, /^(ERROR|WARNING) /m, said);
  });
}

test('without a package, synth says how to make one', () => {
  const { status, said } = synth({ package: '/nowhere/edgetile.zip' });
  assert.notEqual(status, 0);
  assert.match(said, /\/nowhere\/edgetile\.zip is missing: make package builds it/);
});
