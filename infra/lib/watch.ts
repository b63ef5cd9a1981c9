// Watching the stack: alarms, whom they tell, and one dashboard.
import { readFileSync } from 'node:fs';
import { Aws, CfnCondition, Duration, Fn, aws_cloudwatch as cloudwatch, aws_cloudwatch_actions as actions, aws_iam as iam, aws_sns as sns, aws_sns_subscriptions as subscriptions } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { Edge } from './edge.ts';
import type { TileFunction } from './function.ts';
import type { Settings } from './settings.ts';

/** Alarms on the function and the edge, and the dashboard of infra/dashboard.json. */
export class Watch extends Construct {
  readonly dashboard: cloudwatch.CfnDashboard;
  /** Who is told, when someone is. */
  readonly subscription?: sns.Subscription;
  private readonly topic?: sns.Topic;
  private readonly functionName: string;

  constructor(scope: Construct, id: string, settings: Settings, tiles: TileFunction, edge: Edge) {
    super(scope, id);
    this.functionName = tiles.function.functionName;
    if (settings.alarmEmail) {
      this.topic = this.cloudWatchTopic();
      this.subscription = this.topic.addSubscription(new subscriptions.EmailSubscription(settings.alarmEmail));
    }
    const { GREATER_THAN_THRESHOLD, GREATER_THAN_OR_EQUAL_TO_THRESHOLD } = cloudwatch.ComparisonOperator;
    this.alarm('ErrorsAlarm', 'More than 1 in 100 invocations crashed, ran out of memory or out of time', {
      metric: this.percentage('Errors, %', ['errors', 'Errors'], ['invocations', 'Invocations']),
      evaluationPeriods: 2,
      threshold: 1,
      comparisonOperator: GREATER_THAN_THRESHOLD,
    });
    this.alarm('ServerErrorsAlarm', 'More than 5 in 100 answers of the function were 5xx - a store fails, throttles, or is too slow', {
      metric: this.percentage('5xx, %', ['failed', 'Url5xxCount'], ['requests', 'UrlRequestCount']),
      evaluationPeriods: 2,
      threshold: 5,
      comparisonOperator: GREATER_THAN_THRESHOLD,
    });
    this.alarm('ThrottlesAlarm', 'Requests were turned away - reserved or account concurrency is used up', {
      metric: this.metric('Throttles', 'Sum', Duration.minutes(1)),
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      threshold: 1,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    });
    this.alarm('SlowAlarm', 'The slowest 1 in 100 tiles take over 80 % of the time they may take', {
      metric: this.metric('Duration', 'p99', Duration.minutes(5)),
      evaluationPeriods: 3,
      datapointsToAlarm: 2,
      threshold: settings.timeoutSeconds * 800,
      comparisonOperator: GREATER_THAN_THRESHOLD,
    });
    this.alarm('FaultsAlarm', 'The function itself went wrong on a request (500) - its log names the request', {
      metric: new cloudwatch.Metric({
        namespace: settings.metricsNamespace,
        metricName: 'Faults',
        dimensionsMap: { FunctionName: this.functionName },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
      evaluationPeriods: 1,
      threshold: 1,
      comparisonOperator: GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    });
    const edgeAlarm = this.alarm('EdgeErrorsAlarm', 'More than 5 in 100 answers of CloudFront were 5xx', {
      metric: new cloudwatch.Metric({
        namespace: 'AWS/CloudFront',
        metricName: '5xxErrorRate',
        dimensionsMap: { DistributionId: edge.distribution.distributionId, Region: 'Global' },
        statistic: 'Average',
        period: Duration.minutes(5),
      }),
      evaluationPeriods: 2,
      threshold: 5,
      comparisonOperator: GREATER_THAN_THRESHOLD,
    });
    // CloudFront's metrics exist in us-east-1 alone; elsewhere ServerErrorsAlarm stands for this one.
    (edgeAlarm.node.defaultChild as cloudwatch.CfnAlarm).cfnOptions.condition = new CfnCondition(this, 'SeesEdgeMetrics', {
      expression: Fn.conditionEquals(Aws.REGION, 'us-east-1'),
    });
    this.dashboard = new cloudwatch.CfnDashboard(this, 'Dashboard', {
      dashboardName: `${Aws.STACK_NAME}-${Aws.REGION}`,
      dashboardBody: Fn.sub(readFileSync(new URL('../dashboard.json', import.meta.url), 'utf8'), {
        Distribution: edge.distribution.distributionId,
        Function: this.functionName,
        LogGroup: tiles.log.logGroupName,
        MetricsNamespace: settings.metricsNamespace,
      }),
    });
  }

  private cloudWatchTopic(): sns.Topic {
    const topic = new sns.Topic(this, 'AlarmTopic', { enforceSSL: true });
    topic.addToResourcePolicy(new iam.PolicyStatement({
      principals: [new iam.ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    }));
    return topic;
  }

  private alarm(id: string, alarmDescription: string, props: Omit<cloudwatch.AlarmProps, 'alarmDescription'>): cloudwatch.Alarm {
    const alarm = new cloudwatch.Alarm(this, id, { alarmDescription, treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING, ...props });
    if (this.topic) alarm.addAlarmAction(new actions.SnsAction(this.topic));
    return alarm;
  }

  private metric(metricName: string, statistic: string, period: Duration): cloudwatch.Metric {
    return new cloudwatch.Metric({ namespace: 'AWS/Lambda', metricName, dimensionsMap: { FunctionName: this.functionName }, statistic, period });
  }

  private percentage(label: string, [part, partName]: [string, string], [whole, wholeName]: [string, string]): cloudwatch.MathExpression {
    const period = Duration.minutes(5);
    return new cloudwatch.MathExpression({
      expression: `100 * ${part} / ${whole}`,
      label,
      period,
      usingMetrics: { [part]: this.metric(partName, 'Sum', period), [whole]: this.metric(wholeName, 'Sum', period) },
    });
  }
}
