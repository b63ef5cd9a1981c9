// Resources as values that two templates can be compared by: references say the type they lead to, never the
// logical id, scalars are text, and what the two tools spell differently without meaning it is spelled once.
import type { Fields, Json, Resolver, Resource } from './templates.ts';

/** Resources by type, in an order that does not depend on logical ids. */
export function comparable(resolver: Resolver): Record<string, string[]> {
  const resources = resolver.resources();
  const byType: Record<string, string[]> = {};
  for (const resource of Object.values(resources)) {
    for (const [type, properties] of same(resource, properties => bare(properties, resources) as Fields)) {
      (byType[type] ??= []).push(JSON.stringify(sorted(properties), null, 1));
    }
  }
  for (const list of Object.values(byType)) list.sort();
  return Object.fromEntries(Object.entries(byType).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** References become `${Type}` or `${Type.Attribute}`, joins and substitutions become text. */
function bare(node: Json, resources: Record<string, Resource>): Json {
  const type = (id: string) => label(id, resources[id]);
  if (Array.isArray(node)) return node.map(one => bare(one, resources));
  if (node === null || typeof node !== 'object') return String(node);
  const [key] = Object.keys(node);
  const argument = node[key ?? ''];
  switch (Object.keys(node).length === 1 ? key : undefined) {
    case 'Ref':
      return `\${${type(argument as string)}}`;
    case 'Fn::GetAtt': {
      const [id, attribute] = Array.isArray(argument) ? (argument as string[]) : (argument as string).split(/\.(.*)/s);
      return `\${${type(id!)}.${attribute}}`;
    }
    case 'Fn::Join':
      return ((argument as Json[])[1] as Json[]).map(one => bare(one, resources)).join((argument as string[])[0]);
    case 'Fn::Sub': {
      const [text, own] = Array.isArray(argument) ? (argument as [string, Fields]) : [argument as string, {} as Fields];
      return text.replace(/\$\{([^}]+)\}/g, (_, name: string) => {
        if (name in own) return String(bare(own[name]!, resources));
        const [id, attribute] = name.split('.');
        return attribute && resources[id!] ? `\${${type(id!)}.${attribute}}` : `\${${type(name)}}`;
      });
    }
    default:
      return Object.fromEntries(Object.entries(node).map(([name, one]) => [name, bare(one, resources)]));
  }
}

/** What a reference leads to: the type, and for cache policies, of which there are several, the end of the name. */
function label(id: string, resource?: Resource): string {
  if (!resource) return id;
  const name = resource.Type === 'AWS::CloudFront::CachePolicy' ? /\w+$/.exec(String(bare((resource.Properties.CachePolicyConfig as Fields).Name!, {}))) : null;
  return name ? `${resource.Type} ${name[0]}` : resource.Type;
}

function sorted(node: Json): Json {
  if (Array.isArray(node)) return node.map(sorted);
  if (node === null || typeof node !== 'object') return node;
  return Object.fromEntries(Object.entries(node).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]));
}

/** A resource in the one spelling, as (type, properties); a resource may stand for two. */
function same({ Type, Properties }: Resource, make: (properties: Fields) => Fields): [string, Fields][] {
  const fields = make(Properties);
  switch (Type) {
    case 'AWS::Lambda::Function': {
      // The package lies where each tool put it; SAM tags what it made.
      const { Code: _code, Tags: _tags, ...rest } = fields;
      return [[Type, rest]];
    }
    case 'AWS::CloudFront::Distribution': {
      // The CDK makes up the id of an origin group.
      const [group] = (((fields.DistributionConfig as Fields).OriginGroups as Fields | undefined)?.Items as Fields[]) ?? [];
      return [[Type, group ? JSON.parse(JSON.stringify(fields).replaceAll(`"${String(group.Id)}"`, '"group"')) : fields]];
    }
    case 'AWS::Lambda::Url': {
      // SAM names the alias, the CDK the function and its qualifier.
      const alias = fields.Qualifier ?? (fields.TargetFunctionArn === '${AWS::Lambda::Alias}' ? 'live' : '');
      return [[Type, { AuthType: fields.AuthType!, InvokeMode: fields.InvokeMode!, Alias: alias }]];
    }
    case 'AWS::Lambda::Permission': {
      // The URL's own FunctionArn is the alias. The auth type is a condition that the URL fulfils anyway.
      const { FunctionUrlAuthType: _type, ...rest } = fields;
      return [[Type, { ...rest, FunctionName: String(fields.FunctionName).replace('${AWS::Lambda::Url.FunctionArn}', '${AWS::Lambda::Alias}') }]];
    }
    case 'AWS::CodeDeploy::DeploymentGroup': {
      const rollback = fields.AutoRollbackConfiguration as Fields;
      return [[Type, { ...fields, AutoRollbackConfiguration: { ...rollback, Events: [...(rollback.Events as string[])].sort() } }]];
    }
    case 'AWS::IAM::Role':
      return [[Type, role(fields)]];
    case 'AWS::S3::BucketPolicy':
    case 'AWS::SNS::TopicPolicy':
      return [[Type, { ...fields, PolicyDocument: policy(fields.PolicyDocument as Fields) }]];
    case 'AWS::SNS::Topic': {
      const { Subscription, ...rest } = fields;
      const subscribed = ((Subscription as Fields[]) ?? []).map((one): [string, Fields] => ['AWS::SNS::Subscription', { ...one, TopicArn: '${AWS::SNS::Topic}' }]);
      return [[Type, rest], ...subscribed];
    }
    case 'AWS::CloudWatch::Alarm':
      return [[Type, { ...fields, ...inOrder(fields, 'Dimensions', 'Name'), ...inOrder(fields, 'Metrics', 'Id') }]];
    default:
      return [[Type, fields]];
  }
}

function inOrder(fields: Fields, list: string, key: string): Fields {
  const items = fields[list] as Fields[] | undefined;
  return items ? { [list]: [...items].sort((a, b) => (String(a[key]) < String(b[key]) ? -1 : 1)) } : {};
}

function role(fields: Fields): Fields {
  // CodeDeploy's own role: the CDK takes the narrower of AWS's two policies for it, SAM the wider.
  const managed = (fields.ManagedPolicyArns as string[] | undefined)?.map(one => one.replace('${AWS::Partition}', 'aws').replace(/Limited$/, ''));
  const policies = ((fields.Policies as Fields[]) ?? []).map(one => ({ ...one, PolicyDocument: policy(one.PolicyDocument as Fields) }));
  return { ...fields, AssumeRolePolicyDocument: policy(fields.AssumeRolePolicyDocument as Fields), ...(policies.length > 0 && { Policies: policies }), ...(managed && { ManagedPolicyArns: managed }) };
}

/** One action or resource and a list of one are the same; the order of actions and of statements means nothing. */
function policy(document: Fields): Fields {
  const list = (one: Json | undefined): Json => (Array.isArray(one) ? one : [one ?? '']).map(String).sort();
  const statements = (document.Statement as Fields[]).map(({ Sid: _sid, ...one }) => {
    const principal = (one.Principal === '*' ? { AWS: '*' } : one.Principal) as Fields | undefined;
    return {
      ...one,
      Action: list(one.Action),
      ...(one.Resource !== undefined && { Resource: list(one.Resource) }),
      ...(principal && { Principal: Object.fromEntries(Object.entries(principal).map(([kind, who]) => [kind, list(who)])) }),
    };
  });
  return { ...document, Statement: statements.sort((a, b) => (JSON.stringify(sorted(a)) < JSON.stringify(sorted(b)) ? -1 : 1)) };
}
