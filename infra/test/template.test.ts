// What template.yaml promises: the edge function's text, both invoke permissions, least privilege, and how long
// each status is kept.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Resolver, sam, type Fields, type Json } from './templates.ts';

const { source, transformed } = sam();
const plain = new Resolver(transformed, {});
const resources = plain.resources();
const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the template carries the text of normalize.js and of dashboard.json', () => {
  const remedy = 'make edge-text copies them into template.yaml';
  assert.equal(source.Resources.EdgeFunction!.Properties.FunctionCode, read('../edge/normalize.js'), remedy);
  const body = source.Resources.Dashboard!.Properties.DashboardBody as Fields;
  assert.equal(body['Fn::Sub'], read('../dashboard.json'), remedy);
});

test('CloudFront, and this distribution alone, has both permissions that a function URL asks', () => {
  const permissions = Object.values(resources).filter(one => one.Type === 'AWS::Lambda::Permission').map(one => one.Properties);
  assert.deepEqual(permissions.map(one => one.Action).sort(), ['lambda:InvokeFunction', 'lambda:InvokeFunctionUrl']);
  for (const permission of permissions) {
    assert.equal(permission.Principal, 'cloudfront.amazonaws.com');
    assert.match(JSON.stringify(permission.SourceArn), /distribution\/\$\{Distribution\}/);
    assert.deepEqual(permission.FunctionName, { Ref: 'FunctionAliaslive' });
  }
  assert.equal(permissions.find(one => one.Action === 'lambda:InvokeFunction')!.InvokedViaFunctionUrl, true);
});

test('the function URL is closed and its answers are buffered', () => {
  const url = resources.FunctionUrl!.Properties;
  assert.equal(url.AuthType, 'AWS_IAM');
  assert.equal(url.InvokeMode, 'BUFFERED');
  assert.deepEqual(url.TargetFunctionArn, { Ref: 'FunctionAliaslive' });
});

test('without buckets the role writes its log and its traces and no more', () => {
  const policies = resources.Role!.Properties.Policies as Fields[];
  assert.deepEqual(policies.map(one => one.PolicyName), ['log', 'trace']);
});

test('with buckets it reads those; listing and decrypting are asked for', () => {
  const names = (values: Record<string, Json>) => {
    const role = new Resolver(transformed, values).resources().Role!.Properties.Policies as Fields[];
    return Object.fromEntries(role.map(one => [one.PolicyName as string, ((one.PolicyDocument as Fields).Statement as Fields[])[0]!]));
  };
  const two = names({ Buckets: 'a,b' });
  assert.deepEqual(two.read!.Action, 's3:GetObject');
  assert.deepEqual(two.read!.Resource, ['arn:aws:s3:::a/*', 'arn:aws:s3:::b/*']);
  assert.equal(two.list, undefined);
  const all = names({ Buckets: 'a,b', ListBuckets: 'true', KmsKeyArn: 'arn:aws:kms:eu-central-1:1:key/k' });
  assert.deepEqual(all.list!.Resource, ['arn:aws:s3:::a', 'arn:aws:s3:::b']);
  assert.equal(all.decrypt!.Resource, 'arn:aws:kms:eu-central-1:1:key/k');
});

test('only the X-Ray statement names all resources', () => {
  for (const policy of resources.Role!.Properties.Policies as Fields[]) {
    const starred = JSON.stringify(policy).includes('"Resource":"*"');
    assert.equal(starred, policy.PolicyName === 'trace');
  }
});

test('concurrency is reserved only when asked: an account may not have it to give', () => {
  assert.equal(resources.Function!.Properties.ReservedConcurrentExecutions, undefined);
  const asked = new Resolver(transformed, { ReservedConcurrency: 20 }).resources();
  assert.equal(asked.Function!.Properties.ReservedConcurrentExecutions, 20);
});

test('CloudFront outwaits the function by three seconds, whatever its timeout', () => {
  for (const seconds of (source.Parameters.TimeoutSeconds as unknown as { AllowedValues: number[] }).AllowedValues) {
    const made = new Resolver(transformed, { TimeoutSeconds: seconds }).resources();
    const origin = (((made.Distribution!.Properties.DistributionConfig as Fields).Origins as Fields[])[0]!.CustomOriginConfig as Fields);
    assert.equal(origin.OriginReadTimeout, seconds + 3);
    assert.equal(made.SlowAlarm!.Properties.Threshold, seconds * 800);
  }
});

test('the words of the policy names fit CloudFormation: every name holds the region, so that stacks can stand side by side', () => {
  for (const [id, one] of Object.entries(source.Resources)) {
    const text = JSON.stringify(one.Properties);
    if (one.Type.startsWith('AWS::CloudFront::') && one.Type !== 'AWS::CloudFront::Distribution') assert.match(text, /AWS::Region/, id);
  }
});

/** How long each status is kept, as infra/README.md says: the shared cache's least time by the distribution. */
const KEPT_S: Record<number, number> = { 400: 300, 403: 10, 404: 300, 405: 300, 500: 0, 502: 0, 503: 0, 504: 0 };

test('the error times of the distribution are those of the contract', () => {
  const config = resources.Distribution!.Properties.DistributionConfig as Fields;
  const errors = Object.fromEntries((config.CustomErrorResponses as Fields[]).map(one => [one.ErrorCode, one.ErrorCachingMinTTL]));
  assert.deepEqual(errors, KEPT_S);
});

test('the table of the README is the contract', () => {
  const rows = [...read('../README.md').matchAll(/^\| ([0-9, ]+)\b[^|]*\| `([^`]+)` \|/gm)];
  const said = new Map(rows.flatMap(([, statuses, header]) => statuses!.split(',').map(one => [Number(one), header!] as const)));
  for (const [status, seconds] of Object.entries(KEPT_S)) {
    const expected = seconds === 0 ? 'no-store' : `public, max-age=${seconds}`;
    assert.equal(said.get(Number(status)), expected, status);
  }
  assert.equal(said.get(200), source.Parameters.CacheControl!.Default);
});

test('images are not compressed again, other answers are', () => {
  const config = resources.Distribution!.Properties.DistributionConfig as Fields;
  assert.equal((config.DefaultCacheBehavior as Fields).Compress, true);
  for (const behavior of config.CacheBehaviors as Fields[]) assert.equal(behavior.Compress, false, String(behavior.PathPattern));
});

test('tiles, and tiles alone, match the patterns of tiles', () => {
  const config = resources.Distribution!.Properties.DistributionConfig as Fields;
  const patterns = (config.CacheBehaviors as Fields[]).map(one => new RegExp(`^${String(one.PathPattern).replaceAll('*', '.*')}$`));
  const isTile = (path: string) => patterns.some(one => one.test(path));
  for (const path of ['/tiles/a/1/0/0', '/tiles/a/1/0/0@2x.png', '/ndvi/1/0/0.png', '/index/NDWI/1/0/0.png', '/cog/tiles/WebMercatorQuad/1/0/0', '/stac/tiles/T/1/0/0.png', '/mosaicjson/tiles/T/1/0/0']) {
    assert.ok(isTile(path), path);
  }
  for (const path of ['/', '/viewer', '/tiles/a/tilejson.json', '/tiles/a/point/1,2', '/ndvi/tilejson.json', '/ndvi/point/1,2', '/index/NDWI/tilejson.json', '/index/NDWI/point/1,2', '/indices', '/cog/info', '/cog/WebMercatorQuad/tilejson.json', '/cog/point/1,2', '/colorMaps/viridis', '/tileMatrixSets/WebMercatorQuad']) {
    assert.ok(!isTile(path), path);
  }
});

test('an alarm never writes to nobody', () => {
  for (const [id, one] of Object.entries(resources)) {
    if (one.Type === 'AWS::CloudWatch::Alarm') assert.equal(one.Properties.AlarmActions, undefined, id);
  }
  const mailed = new Resolver(transformed, { AlarmEmail: 'a@b.c' }).resources();
  assert.deepEqual(mailed.ErrorsAlarm!.Properties.AlarmActions, [{ Ref: 'AlarmTopic' }]);
});
