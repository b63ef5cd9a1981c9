// The stack of template.yaml for users of the CDK; test/parity.test.ts holds the two together.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Aws, CfnOutput, Stack, aws_lambda as lambda, type StackProps } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { Edge } from './edge.ts';
import { TileFunction } from './function.ts';
import { acknowledgeFindings } from './findings.ts';
import type { Settings } from './settings.ts';
import { Watch } from './watch.ts';

/** The package that `make package` builds. */
export const PACKAGE = fileURLToPath(new URL('../../target/package/edgetile.zip', import.meta.url));

export interface EdgetileStackProps extends StackProps {
  readonly settings: Settings;
  /** A zip with a `bootstrap` inside. */
  readonly package: string;
}

/** A function that renders tiles, CloudFront in front of it, and what watches them. */
export class EdgetileStack extends Stack {
  constructor(scope: Construct, id: string, props: EdgetileStackProps) {
    super(scope, id, { description: 'edgetile - map tiles from Cloud-Optimized GeoTIFFs, a Lambda function behind CloudFront', ...props });
    if (!existsSync(props.package)) throw new Error(`${props.package} is missing: make package builds it`);
    const { settings } = props;
    const tiles = new TileFunction(this, 'Tiles', settings, lambda.Code.fromAsset(props.package));
    const edge = new Edge(this, 'Edge', settings, tiles);
    const watch = new Watch(this, 'Watch', settings, tiles, edge);
    acknowledgeFindings(settings, tiles, edge, watch);
    this.outputs({
      TileUrlTemplate: [`https://${edge.host}/tiles/${settings.layer}/{z}/{x}/{y}.png`, 'Tiles of the layer, for any map library'],
      NdviUrlTemplate: [`https://${edge.host}/ndvi/{z}/{x}/{y}.png?red={red}&nir={nir}`, 'NDVI of two single-band files'],
      TileJsonUrl: [`https://${edge.host}/tiles/${settings.layer}/tilejson.json`, 'The layer as TileJSON'],
      ViewerUrl: [`https://${edge.host}/viewer`, 'A map to look at it'],
      DistributionId: [edge.distribution.distributionId],
      DistributionDomain: [edge.distribution.distributionDomainName, 'Where domainName must point (CNAME or alias)'],
      FunctionName: [tiles.function.functionName],
      FunctionUrl: [tiles.url.url, 'Answers 403 to all but CloudFront'],
      LogGroup: [tiles.log.logGroupName],
      DashboardUrl: [`https://${Aws.REGION}.console.aws.amazon.com/cloudwatch/home?region=${Aws.REGION}#dashboards/dashboard/${watch.dashboard.ref}`],
      ...(edge.store && { TileStoreBucket: [edge.store.bucketName, 'Put tiles here as tiles/LAYER/z/x/y.FORMAT'] as [string, string] }),
    });
  }

  private outputs(named: Record<string, [value: string, description?: string]>): void {
    for (const [name, [value, description]] of Object.entries(named)) new CfnOutput(this, name, { value, description });
  }
}
