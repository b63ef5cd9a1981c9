// template.yaml for tests: as written, and as the SAM transform makes it, with parameters and conditions resolved.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type Fields = { [key: string]: Json };
export interface Resource {
  Type: string;
  Properties: Fields;
  Condition?: string;
  DeletionPolicy?: string;
}
export interface Template {
  Parameters: Record<string, { Type: string; Default?: Json }>;
  Mappings: Fields;
  Conditions: Fields;
  Resources: Record<string, Resource>;
  Outputs: Record<string, { Value: Json; Condition?: string }>;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where AWS's translator is installed; `make test-edge` puts it there. */
const python = process.env.EDGETILE_PYTHON ?? `${root}target/venv/bin/python`;

/** The template as written and as transformed, for the given parameter values. */
export function sam(values: Record<string, string> = {}): { source: Template; transformed: Template } {
  if (!existsSync(python)) throw new Error(`${python} is missing: make infra-tools installs it`);
  const printed = execFileSync(python, [`${root}infra/test/transform.py`, `${root}template.yaml`, JSON.stringify(values)], {
    encoding: 'utf8',
    env: { ...process.env, AWS_DEFAULT_REGION: 'eu-central-1' },
    maxBuffer: 1 << 26,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(printed);
}

const NOTHING = Symbol('AWS::NoValue');

/** What CloudFormation would make of a template: parameters filled in, conditions decided, absent things gone. */
export class Resolver {
  readonly template: Template;
  private readonly values: Record<string, Json>;

  constructor(template: Template, values: Record<string, Json>) {
    this.template = template;
    this.values = { 'AWS::Region': 'eu-central-1' };
    for (const [name, parameter] of Object.entries(template.Parameters ?? {})) {
      const value = values[name] ?? parameter.Default ?? '';
      this.values[name] = parameter.Type === 'CommaDelimitedList' ? String(value).split(',') : value;
    }
    Object.assign(this.values, Object.fromEntries(Object.entries(values).filter(([name]) => name.startsWith('AWS::'))));
  }

  /** The resources that would exist, by logical id. */
  resources(): Record<string, Resource> {
    const live = Object.entries(this.template.Resources).filter(([, one]) => !one.Condition || this.holds(one.Condition));
    return Object.fromEntries(live.map(([id, one]) => [id, { ...one, Properties: this.value(one.Properties ?? {}) as Fields }]));
  }

  /** The outputs that would exist. */
  outputs(): Fields {
    const live = Object.entries(this.template.Outputs).filter(([, one]) => !one.Condition || this.holds(one.Condition));
    return Object.fromEntries(live.map(([id, one]) => [id, this.value(one.Value)]));
  }

  private holds(condition: string): boolean {
    return this.value(this.template.Conditions[condition] as Json) === true;
  }

  private value(node: Json): Json {
    const resolved = this.resolve(node);
    return resolved === NOTHING ? null : (resolved as Json);
  }

  private resolve(node: Json): Json | typeof NOTHING {
    if (Array.isArray(node)) return node.map(one => this.resolve(one)).filter(one => one !== NOTHING) as Json[];
    if (node === null || typeof node !== 'object') return node;
    const keys = Object.keys(node);
    if (keys.length === 1) {
      const applied = this.apply(keys[0]!, node[keys[0]!]!);
      if (applied !== undefined) return applied;
    }
    const fields = Object.entries(node).map(([key, one]): [string, Json | typeof NOTHING] => [key, this.resolve(one)]);
    return Object.fromEntries(fields.filter(([, one]) => one !== NOTHING)) as Fields;
  }

  private apply(name: string, argument: Json): Json | typeof NOTHING | undefined {
    const list = () => (argument as Json[]).map(one => this.value(one));
    switch (name) {
      case 'Ref':
        if (argument === 'AWS::NoValue') return NOTHING;
        return this.values[argument as string];
      case 'Condition':
        return typeof argument === 'string' ? this.holds(argument) : undefined;
      case 'Fn::If': {
        const [condition, yes, no] = argument as [string, Json, Json];
        return this.resolve(this.holds(condition) ? yes : no);
      }
      case 'Fn::Equals':
        return String(list()[0]) === String(list()[1]);
      case 'Fn::Not':
        return !list()[0];
      case 'Fn::And':
        return list().every(Boolean);
      case 'Fn::Or':
        return list().some(Boolean);
      case 'Fn::FindInMap': {
        const [map, first, second] = list() as [string, Json, string];
        return ((this.template.Mappings[map] as Fields)[String(first)] as Fields)[second]!;
      }
      case 'Fn::Join': {
        const [separator, parts] = list() as [string, Json];
        return Array.isArray(parts) && parts.every(one => typeof one !== 'object') ? parts.join(separator) : { 'Fn::Join': [separator, parts] };
      }
      case 'Fn::Split': {
        const [separator, text] = list() as [string, Json];
        return typeof text === 'string' ? text.split(separator) : { 'Fn::Split': [separator, text] };
      }
      case 'Fn::Sub':
        return this.substitute(argument);
      default:
        return undefined;
    }
  }

  /** Fills in what is known; what only a deployment knows stays as ${Name}. */
  private substitute(argument: Json): Json {
    const [text, own] = Array.isArray(argument) ? (argument as [string, Fields]) : [argument as string, {} as Fields];
    const left: Fields = {};
    const filled = text.replace(/\$\{([^}!]+)\}/g, (whole, name: string) => {
      const value = name in own ? this.value(own[name]!) : this.values[name];
      if (value === undefined) return whole;
      if (typeof value !== 'object' || value === null) return String(value);
      left[name] = value;
      return whole;
    });
    if (!filled.includes('${')) return filled;
    return { 'Fn::Sub': Object.keys(left).length > 0 ? [filled, left] : filled };
  }
}
