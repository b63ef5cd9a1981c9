// What cdk-nag finds and why it stays: each acknowledged on the resource it is about, none for the whole stack.
import { Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { Edge } from './edge.ts';
import type { TileFunction } from './function.ts';
import type { Settings } from './settings.ts';
import type { Watch } from './watch.ts';

const MAY_READ_OBJECTS = 'The role reads whole buckets, as their owner listed them: which object a tile needs is known only from its request.';

/** Acknowledges the findings that are meant. */
export function acknowledgeFindings(settings: Settings, tiles: TileFunction, edge: Edge, watch: Watch): void {
  acknowledge(tiles.role, {
    'AwsSolutions::AwsSolutions-IAM5[Resource::*]': 'X-Ray has no resources to name; the statement holds its two write actions alone.',
    'Serverless::Serverless-LambdaStarPermissions': `X-Ray has no resources to name. ${MAY_READ_OBJECTS}`,
    ...Object.fromEntries(settings.buckets.map(name => [`AwsSolutions::AwsSolutions-IAM5[Resource::arn:aws:s3:::${name}/*]`, MAY_READ_OBJECTS])),
  });
  acknowledge(tiles.function, {
    'Serverless::Serverless-LambdaDLQ': 'The function answers requests: it is never invoked asynchronously, so there is no event to keep.',
  });
  if (tiles.deployer) {
    acknowledge(tiles.deployer, {
      'AwsSolutions::AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]':
        "CodeDeploy's own policy for moving an alias; AWS widens it when the service needs more.",
    });
  }
  acknowledge(edge.distribution, {
    'AwsSolutions::AwsSolutions-CFR1': 'Public map tiles are for all countries.',
    ...(!settings.webAclArn && { 'AwsSolutions::AwsSolutions-CFR2': 'A web ACL costs every request and is the deployer\'s choice: webAclArn.' }),
    ...(!settings.accessLogBucket && { 'AwsSolutions::AwsSolutions-CFR3': 'Access logs hold viewers\' addresses and are the deployer\'s choice: accessLogBucket.' }),
    ...(!settings.domainName && { 'AwsSolutions::AwsSolutions-CFR4': 'CloudFront\'s own host name fixes its TLS policy; with domainName it is TLSv1.2_2021.' }),
  });
  if (watch.subscription) {
    acknowledge(watch.subscription, {
      'Serverless::Serverless-SNSRedrivePolicy': 'A mail that cannot be delivered has nowhere better to go; the alarm itself stays on the dashboard.',
    });
  }
  if (edge.store) {
    acknowledge(edge.store, {
      'AwsSolutions::AwsSolutions-S1': 'Only CloudFront reads the tile store; its access logs tell who asked.',
    });
  }
}

function acknowledge(construct: IConstruct, reasons: Record<string, string>): void {
  for (const [id, reason] of Object.entries(reasons)) Validations.of(construct).acknowledge({ id, reason });
}
