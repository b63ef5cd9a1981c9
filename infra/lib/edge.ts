// The edge: CloudFront with the normalising function before its cache, signing its requests to the Function URL.
import { fileURLToPath } from 'node:url';
import { Aws, Duration, RemovalPolicy, aws_certificatemanager as acm, aws_cloudfront as cloudfront, aws_cloudfront_origins as origins, aws_s3 as s3 } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { TileFunction } from './function.ts';
import type { Settings } from './settings.ts';

const named = (what: string) => `${Aws.STACK_NAME}-${Aws.REGION}-${what}`;

/** At least so many seconds is an error kept, whatever it says; the function's Cache-Control says the same. */
export const ERRORS_KEPT_S: readonly (readonly [status: number, seconds: number])[] = [
  [400, 300], [403, 10], [404, 300], [405, 300], [500, 0], [502, 0], [503, 0], [504, 0],
];

/** The distribution and what hangs on it. */
export class Edge extends Construct {
  readonly distribution: cloudfront.Distribution;
  readonly host: string;
  readonly store?: s3.Bucket;

  constructor(scope: Construct, id: string, settings: Settings, tiles: TileFunction) {
    super(scope, id);
    const origin = this.functionOrigin(settings, tiles);
    const common = this.behavior(settings);
    const tilePolicy = this.cachePolicy('tiles', 'Tiles - path, normalised query and Accept; never compressed again', {
      queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
      headerBehavior: cloudfront.CacheHeaderBehavior.allowList('accept', 'x-api-key'),
    });
    const tile: cloudfront.BehaviorOptions = { ...common, origin, compress: false, cachePolicy: tilePolicy };
    if (settings.enableTileStore) this.store = this.tileStore();
    this.distribution = new cloudfront.Distribution(this, 'Distribution', {
      comment: `${Aws.STACK_NAME} map tiles`,
      httpVersion: cloudfront.HttpVersion.HTTP2_AND_3,
      enableIpv6: true,
      priceClass: settings.priceClass as cloudfront.PriceClass,
      ...(settings.domainName && {
        domainNames: [settings.domainName],
        certificate: acm.Certificate.fromCertificateArn(this, 'Certificate', settings.certificateArn!),
        minimumProtocolVersion: cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
      }),
      webAclId: settings.webAclArn,
      ...(settings.accessLogBucket && {
        enableLogging: true,
        logBucket: s3.Bucket.fromBucketAttributes(this, 'AccessLogs', {
          bucketName: settings.accessLogBucket.split('.')[0]!,
          bucketRegionalDomainName: settings.accessLogBucket,
        }),
        logFilePrefix: `${Aws.STACK_NAME}/`,
      }),
      // What is not a tile: answers that may name their host. Unknown paths belong here, where the key is finest.
      defaultBehavior: {
        ...common,
        origin,
        // Features come by POST, which is never kept; CloudFront lets it through with all other methods, the edge function stops those.
        allowedMethods: cloudfront.AllowedMethods.ALLOW_ALL,
        compress: true,
        cachePolicy: this.cachePolicy('json', 'TileJSON, viewer and the like - also by public host; compressed', {
          queryStringBehavior: cloudfront.CacheQueryStringBehavior.all(),
          headerBehavior: cloudfront.CacheHeaderBehavior.allowList('x-public-host', 'traceparent', 'accept', 'x-api-key'),
          enableAcceptEncodingGzip: true,
          enableAcceptEncodingBrotli: true,
        }),
      },
      // A star matches slashes too: at least LAYER/z/x/y, so tilejson.json and point/lon,lat stay above.
      additionalBehaviors: {
        '/tiles/*/*/*/*': this.store ? this.storedFirst(tile, this.store) : tile,
        '/ndvi/*/*/*': tile,
        '/index/*/*/*/*': tile,
        '/*/tiles/*/*/*/*': tile,
      },
      errorResponses: ERRORS_KEPT_S.map(([httpStatus, seconds]) => ({ httpStatus, ttl: Duration.seconds(seconds) })),
    });
    this.host = settings.domainName ?? this.distribution.distributionDomainName;
  }

  private functionOrigin(settings: Settings, tiles: TileFunction): cloudfront.IOrigin {
    const shield = settings.originShieldRegion;
    return origins.FunctionUrlOrigin.withOriginAccessControl(tiles.url, {
      originId: 'function',
      originAccessControl: new cloudfront.FunctionUrlOriginAccessControl(this, 'OriginAccess', { originAccessControlName: named('function') }),
      connectionAttempts: 2,
      connectionTimeout: Duration.seconds(3),
      readTimeout: Duration.seconds(settings.timeoutSeconds + 3),
      keepaliveTimeout: Duration.seconds(60),
      ...(shield !== 'off' && { originShieldRegion: shield === 'stack' ? Aws.REGION : shield }),
    });
  }

  /** What all behaviours share: the edge function, the one header for the origin, CORS and HSTS for the viewer. */
  private behavior(settings: Settings) {
    const normalise = new cloudfront.Function(this, 'EdgeFunction', {
      functionName: named('normalize'),
      comment: 'One cache key for every spelling of a request',
      runtime: cloudfront.FunctionRuntime.JS_2_0,
      autoPublish: true,
      code: cloudfront.FunctionCode.fromFile({ filePath: fileURLToPath(new URL('../edge/normalize.js', import.meta.url)) }),
    });
    return {
      viewerProtocolPolicy: cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
      allowedMethods: cloudfront.AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
      cachedMethods: cloudfront.CachedMethods.CACHE_GET_HEAD,
      originRequestPolicy: new cloudfront.OriginRequestPolicy(this, 'HostRequestPolicy', {
        originRequestPolicyName: named('host'),
        comment: 'The host that the viewer asked, as EdgeFunction wrote it, and the viewer\'s trace',
        headerBehavior: cloudfront.OriginRequestHeaderBehavior.allowList('x-public-host'),
      }),
      responseHeadersPolicy: this.headersPolicy(),
      ...(settings.keyGroupId && { trustedKeyGroups: [cloudfront.KeyGroup.fromKeyGroupId(this, 'KeyGroup', settings.keyGroupId)] }),
      functionAssociations: [{ function: normalise, eventType: cloudfront.FunctionEventType.VIEWER_REQUEST }],
    };
  }

  private cachePolicy(name: string, comment: string, more: cloudfront.CachePolicyProps): cloudfront.CachePolicy {
    return new cloudfront.CachePolicy(this, `CachePolicy-${name}`, {
      cachePolicyName: named(name),
      comment,
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.days(365),
      ...more,
    });
  }

  private headersPolicy(): cloudfront.ResponseHeadersPolicy {
    return new cloudfront.ResponseHeadersPolicy(this, 'HeadersPolicy', {
      responseHeadersPolicyName: named('headers'),
      comment: 'Any page may read the tiles, over TLS alone, as what they say they are',
      corsBehavior: {
        accessControlAllowCredentials: false,
        accessControlAllowHeaders: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD', 'POST', 'OPTIONS'],
        accessControlAllowOrigins: ['*'],
        accessControlExposeHeaders: ['ETag', 'Age', 'X-Cache', 'Server-Timing', 'Edgetile-Cost', 'Content-Bbox', 'Content-Crs', 'X-Assets'],
        accessControlMaxAge: Duration.days(1),
        originOverride: true,
      },
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), includeSubdomains: false, preload: false, override: true },
        referrerPolicy: { referrerPolicy: cloudfront.HeadersReferrerPolicy.STRICT_ORIGIN_WHEN_CROSS_ORIGIN, override: false },
      },
    });
  }

  private tileStore(): s3.Bucket {
    return new s3.Bucket(this, 'TileStore', {
      encryption: s3.BucketEncryption.S3_MANAGED,
      blockPublicAccess: s3.BlockPublicAccess.BLOCK_ALL,
      objectOwnership: s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
  }

  /** Asks the store, then the function: a stored tile is found by its path, so only `v` may tell tiles apart. */
  private storedFirst(tile: cloudfront.BehaviorOptions, bucket: s3.Bucket): cloudfront.BehaviorOptions {
    const stored = origins.S3BucketOrigin.withOriginAccessControl(bucket, {
      originId: 'store',
      originAccessControl: new cloudfront.S3OriginAccessControl(this, 'StoreAccess', { originAccessControlName: named('store') }),
      connectionAttempts: 2,
      connectionTimeout: Duration.seconds(3),
    });
    return {
      ...tile,
      // Without leave to list, S3 says 403 of what is not there.
      origin: new origins.OriginGroup({ primaryOrigin: stored, fallbackOrigin: tile.origin, fallbackStatusCodes: [403, 404] }),
      cachePolicy: this.cachePolicy('store', 'Stored tiles - path, v and credentials alone', {
        defaultTtl: Duration.days(1),
        queryStringBehavior: cloudfront.CacheQueryStringBehavior.allowList('access_token', 'expires', 'signature', 'v'),
        headerBehavior: cloudfront.CacheHeaderBehavior.allowList('x-api-key'),
      }),
    };
  }
}
