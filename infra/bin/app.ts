// The CDK app: `npx cdk deploy -c buckets=a,b -c dataRoot=s3://a`, checked by cdk-nag at every synth.
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { settingsFrom } from '../lib/settings.ts';
import { EdgetileStack, PACKAGE } from '../lib/stack.ts';

const app = new App();
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
new EdgetileStack(app, app.node.tryGetContext('stack') ?? 'edgetile', {
  settings: settingsFrom(app.node),
  package: app.node.tryGetContext('package') ?? PACKAGE,
  env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
});
