// The parameters of template.yaml as the CDK app takes them: `-c name=value`, names in lower camel case.
import type { Node } from 'constructs';

/** What a deployment may choose; infra/README.md explains each. Lists are comma-separated on the command line. */
export interface Settings {
  readonly buckets: readonly string[];
  readonly dataRoot?: string;
  readonly allowUrls?: string;
  readonly layersFile?: string;
  readonly indexFile?: string;
  readonly layer: string;
  readonly emptyTile: string;
  readonly cacheControl: string;
  readonly cacheMegabytes: number;
  readonly readsInFlight: number;
  readonly metricsNamespace: string;
  readonly listBuckets: boolean;
  readonly kmsKeyArn?: string;
  readonly requesterPays: boolean;
  readonly bucketSettings?: string;
  readonly assumeRoles: readonly string[];
  readonly apiKeys?: string;
  readonly signingKeys?: string;
  readonly protect?: 'all' | 'urls' | 'layers' | 'none';
  readonly architecture: 'arm64' | 'x86_64';
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly reservedConcurrency: number;
  readonly provisionedConcurrency: number;
  readonly gradualRollout: boolean;
  readonly priceClass: 'PriceClass_100' | 'PriceClass_200' | 'PriceClass_All';
  readonly originShieldRegion: string;
  readonly domainName?: string;
  readonly certificateArn?: string;
  readonly webAclArn?: string;
  readonly keyGroupId?: string;
  readonly enableTileStore: boolean;
  readonly alarmEmail?: string;
  readonly logRetentionDays: number;
  readonly accessLogBucket?: string;
}

/** The defaults of template.yaml. */
export const DEFAULTS: Settings = {
  buckets: [],
  layer: 'truecolour',
  emptyTile: '204',
  cacheControl: 'public, max-age=86400, s-maxage=2592000, stale-while-revalidate=604800, stale-if-error=86400',
  cacheMegabytes: 256,
  readsInFlight: 32,
  metricsNamespace: 'edgetile',
  listBuckets: false,
  requesterPays: false,
  assumeRoles: [],
  architecture: 'arm64',
  memoryMegabytes: 1024,
  timeoutSeconds: 15,
  reservedConcurrency: 0,
  provisionedConcurrency: 0,
  gradualRollout: true,
  priceClass: 'PriceClass_100',
  originShieldRegion: 'stack',
  enableTileStore: false,
  logRetentionDays: 30,
};

const OPTIONAL = [
  'dataRoot', 'allowUrls', 'layersFile', 'indexFile', 'bucketSettings', 'apiKeys', 'signingKeys', 'protect', 'kmsKeyArn', 'domainName', 'certificateArn', 'webAclArn', 'keyGroupId', 'alarmEmail', 'accessLogBucket',
] as const;

/** Reads the settings that stand in the context of `node`, each in the type of its default. */
export function settingsFrom(node: Node): Settings {
  const chosen: Record<string, unknown> = {};
  for (const name of [...Object.keys(DEFAULTS), ...OPTIONAL]) {
    const text: unknown = node.tryGetContext(name);
    if (text !== undefined && text !== '') chosen[name] = read(name, text);
  }
  const settings = { ...DEFAULTS, ...chosen } as Settings;
  if (settings.domainName && !settings.certificateArn) throw new Error('domainName needs certificateArn');
  if (![10, 15, 30, 55].includes(settings.timeoutSeconds)) throw new Error('timeoutSeconds is none of 10, 15, 30, 55');
  return settings;
}

function read(name: string, given: unknown): unknown {
  const fallback = (DEFAULTS as unknown as Record<string, unknown>)[name];
  if (Array.isArray(fallback)) return Array.isArray(given) ? given : String(given).split(',');
  if (typeof fallback === 'boolean') return String(given) === 'true';
  if (typeof fallback === 'number') {
    const value = Number(given);
    if (!Number.isFinite(value)) throw new Error(`${name} is not a number: ${String(given)}`);
    return value;
  }
  return String(given);
}
