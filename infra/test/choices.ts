// The choices for which the two stacks are compared and checked.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every optional part of the stack, in use. */
export const EVERYTHING: Record<string, string> = {
  Buckets: 'a,b',
  DataRoot: 's3://a/prefix',
  AllowUrls: 'https://example.org/*',
  LayersFile: 's3://a/layers.json',
  IndexFile: 's3://a/index',
  Layer: 'demo',
  EmptyTile: 'transparent',
  CacheControl: 'public, max-age=60',
  CacheMegabytes: '64',
  ReadsInFlight: '16',
  MetricsNamespace: 'tiles',
  ListBuckets: 'true',
  KmsKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/k',
  RequesterPays: 'true',
  BucketSettings: '{"s3://a": {"role": "arn:aws:iam::111122223333:role/maps"}}',
  AssumeRoles: 'arn:aws:iam::111122223333:role/imagery,arn:aws:iam::111122223333:role/maps',
  ApiKeys: 'a-key-of-many-letters,an-older-key-of-them',
  SigningKeys: 'a-secret-that-signs',
  Protect: 'layers',
  Architecture: 'x86_64',
  MemoryMegabytes: '3008',
  TimeoutSeconds: '30',
  ReservedConcurrency: '20',
  ProvisionedConcurrency: '2',
  GradualRollout: 'true',
  PriceClass: 'PriceClass_All',
  OriginShieldRegion: 'eu-west-1',
  DomainName: 'tiles.example.org',
  CertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/c',
  WebAclArn: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/w/1',
  KeyGroupId: 'key-group',
  EnableTileStore: 'true',
  AlarmEmail: 'someone@example.org',
  LogRetentionDays: '7',
  AccessLogBucket: 'logs.s3.amazonaws.com',
};

export const CHOICES: Record<string, Record<string, string>> = {
  'the defaults': {},
  everything: EVERYTHING,
  'no shield, no gradual rollout': { OriginShieldRegion: 'off', GradualRollout: 'false' },
};

/** The same choices for the CDK app: `DataRoot` is `-c dataRoot=`. */
export function contextOf(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name[0]!.toLowerCase() + name.slice(1), value]));
}

/** A file in the place of the package: what is in it makes no difference to a template. */
export function standIn(): string {
  const zip = join(mkdtempSync(join(tmpdir(), 'edgetile-cdk-')), 'edgetile.zip');
  writeFileSync(zip, 'stands in for the package');
  return zip;
}
