// template.yaml and the CDK app are one stack: every resource of either, resolved for the same choices and with
// logical ids put aside, is a resource of the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { App } from 'aws-cdk-lib';
import { Template as Synthesised } from 'aws-cdk-lib/assertions';
import { settingsFrom } from '../lib/settings.ts';
import { EdgetileStack } from '../lib/stack.ts';
import { CHOICES, EVERYTHING, contextOf, standIn } from './choices.ts';
import { comparable } from './comparable.ts';
import { Resolver, sam, type Json, type Template } from './templates.ts';

function synthesised(values: Record<string, string>): Template {
  const app = new App({ context: contextOf(values) });
  return Synthesised.fromStack(new EdgetileStack(app, 'edgetile', { settings: settingsFrom(app.node), package: standIn() })).toJSON() as Template;
}

for (const [title, values] of Object.entries(CHOICES)) {
  const fromSam = new Resolver(sam(values).transformed, values);
  const fromCdk = new Resolver(synthesised(values), {});

  test(`${title}: both have the same resources`, () => {
    const left = comparable(fromSam);
    const right = comparable(fromCdk);
    assert.deepEqual(Object.keys(right), Object.keys(left), 'types of resources');
    for (const [type, resources] of Object.entries(left)) assert.deepEqual(right[type], resources, type);
  });

  test(`${title}: both have the same outputs`, () => {
    const names = (one: Resolver): Json => Object.keys(one.outputs()).sort();
    assert.deepEqual(names(fromCdk), names(fromSam));
  });
}

test('the comparison sees a difference: another timeout is another stack', () => {
  const left = comparable(new Resolver(sam().transformed, {}));
  const right = comparable(new Resolver(synthesised({ TimeoutSeconds: '30' }), {}));
  assert.notDeepEqual(right['AWS::Lambda::Function'], left['AWS::Lambda::Function']);
  assert.notDeepEqual(right['AWS::CloudFront::Distribution'], left['AWS::CloudFront::Distribution']);
});

test('every parameter of the template is a setting of the app', () => {
  const parameters = Object.keys(sam().source.Parameters).sort();
  assert.deepEqual(Object.keys(EVERYTHING).sort(), parameters);
});
