// The function: its log group, its role, its alias with a gradual rollout, its closed URL.
import { Duration, RemovalPolicy, aws_cloudwatch as cloudwatch, aws_codedeploy as codedeploy, aws_iam as iam, aws_lambda as lambda, aws_logs as logs } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** A Function URL that only IAM opens, on an alias that moves to new versions step by step. */
export class TileFunction extends Construct {
  readonly function: lambda.Function;
  readonly alias: lambda.Alias;
  readonly url: lambda.FunctionUrl;
  readonly log: logs.LogGroup;
  readonly role: iam.Role;
  /** What moves the alias, when versions roll out step by step. */
  readonly deployer?: iam.IRole;

  constructor(scope: Construct, id: string, settings: Settings, code: lambda.Code) {
    super(scope, id);
    this.log = new logs.LogGroup(this, 'Log', { retention: settings.logRetentionDays, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new iam.Role(this, 'Role', {
      description: 'What edgetile may do - write its log and its traces, read the listed buckets',
      assumedBy: new iam.ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: policies(settings, this.log),
    });
    this.function = new lambda.Function(this, 'Function', {
      description: 'One request, one map tile',
      code,
      runtime: lambda.Runtime.PROVIDED_AL2023,
      handler: 'bootstrap',
      architecture: settings.architecture === 'arm64' ? lambda.Architecture.ARM_64 : lambda.Architecture.X86_64,
      memorySize: settings.memoryMegabytes,
      timeout: Duration.seconds(settings.timeoutSeconds),
      // The role above is whole: the construct would add statements of its own.
      role: this.role.withoutPolicyUpdates(),
      tracing: lambda.Tracing.ACTIVE,
      logGroup: this.log,
      loggingFormat: lambda.LoggingFormat.JSON,
      applicationLogLevelV2: lambda.ApplicationLogLevel.INFO,
      systemLogLevelV2: lambda.SystemLogLevel.WARN,
      reservedConcurrentExecutions: settings.reservedConcurrency || undefined,
      environment: environment(settings),
    });
    this.alias = new lambda.Alias(this, 'Live', {
      aliasName: 'live',
      version: this.function.currentVersion,
      provisionedConcurrentExecutions: settings.provisionedConcurrency || undefined,
    });
    this.url = this.alias.addFunctionUrl({ authType: lambda.FunctionUrlAuthType.AWS_IAM, invokeMode: lambda.InvokeMode.BUFFERED });
    const alarm = newVersionAlarm(this, this.function);
    if (settings.gradualRollout) {
      const group = new codedeploy.LambdaDeploymentGroup(this, 'Rollout', {
        alias: this.alias,
        deploymentConfig: codedeploy.LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
        alarms: [alarm],
        autoRollback: { failedDeployment: true, stoppedDeployment: true, deploymentInAlarm: true },
      });
      this.deployer = group.role;
    }
  }
}

function environment(settings: Settings): Record<string, string> {
  const variables: Record<string, string | undefined> = {
    EDGETILE_DATA: settings.dataRoot,
    EDGETILE_ALLOW_URLS: settings.allowUrls,
    EDGETILE_LAYERS: settings.layersFile,
    EDGETILE_INDEX: settings.indexFile,
    EDGETILE_CACHE_MB: String(settings.cacheMegabytes),
    EDGETILE_READS: String(settings.readsInFlight),
    EDGETILE_BUCKETS: settings.bucketSettings,
    EDGETILE_API_KEYS: settings.apiKeys,
    EDGETILE_SIGNING_KEYS: settings.signingKeys,
    EDGETILE_PROTECT: settings.protect,
    EDGETILE_EMPTY_TILE: settings.emptyTile,
    EDGETILE_CACHE_CONTROL: settings.cacheControl,
    EDGETILE_METRICS: settings.metricsNamespace,
    EDGETILE_PUBLIC_URL: settings.domainName && `https://${settings.domainName}`,
    AWS_REQUEST_PAYER: settings.requesterPays ? 'requester' : undefined,
  };
  return Object.fromEntries(Object.entries(variables).filter((pair): pair is [string, string] => Boolean(pair[1])));
}

function policies(settings: Settings, log: logs.LogGroup): Record<string, iam.PolicyDocument> {
  const named: Record<string, iam.PolicyDocument> = {
    log: allow(['logs:CreateLogStream', 'logs:PutLogEvents'], [log.logGroupArn]),
    // X-Ray has no resources to name.
    trace: allow(['xray:PutTraceSegments', 'xray:PutTelemetryRecords'], ['*']),
  };
  if (settings.buckets.length > 0) {
    named.read = allow(['s3:GetObject'], settings.buckets.map(name => `arn:aws:s3:::${name}/*`));
    if (settings.listBuckets) named.list = allow(['s3:ListBucket'], settings.buckets.map(name => `arn:aws:s3:::${name}`));
  }
  if (settings.kmsKeyArn) {
    named.decrypt = allow(['kms:Decrypt'], [settings.kmsKeyArn], { StringLike: { 'kms:ViaService': 's3.*.amazonaws.com' } });
  }
  if (settings.assumeRoles.length > 0) named.assume = allow(['sts:AssumeRole'], [...settings.assumeRoles]);
  return named;
}

function allow(actions: string[], resources: string[], conditions?: Record<string, object>): iam.PolicyDocument {
  return new iam.PolicyDocument({ statements: [new iam.PolicyStatement({ actions, resources, conditions })] });
}

/** Takes a new version back while it has a tenth of the traffic. */
function newVersionAlarm(scope: Construct, fn: lambda.Function): cloudwatch.Alarm {
  const metric = new cloudwatch.Metric({
    namespace: 'AWS/Lambda',
    metricName: 'Errors',
    dimensionsMap: { FunctionName: fn.functionName, Resource: `${fn.functionName}:live`, ExecutedVersion: fn.currentVersion.version },
    statistic: 'Sum',
    period: Duration.minutes(1),
  });
  return new cloudwatch.Alarm(scope, 'NewVersionAlarm', {
    alarmDescription: 'The newest version crashed, ran out of memory or out of time',
    metric,
    evaluationPeriods: 1,
    threshold: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
}
