// The whole edge on this machine: client, nginx in CloudFront's place, Function URL, instances of the real binary,
// and an S3-compatible store. `npx tsx local/edge.ts BINARY [PORT]` starts it for a person; local/edge.test.ts asks it.
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sam, type Fields } from '../test/templates.ts';
import { FunctionUrl } from './function-url.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

export interface LocalEdgeOptions {
  readonly binary: string;
  readonly instances?: number;
  readonly port?: number;
  readonly timeoutSeconds?: number;
  /** Settings of the function beside those that lead it to the store. */
  readonly environment?: Record<string, string>;
}

/** Everything between a viewer and the bytes of a file. */
export class LocalEdge {
  readonly url: string;
  /** Host and port of the function URL, past nginx. */
  readonly origin: string;
  readonly function: FunctionUrl;
  readonly store: Store;
  private readonly nginx: ChildProcess;
  private readonly work: string;

  private constructor(parts: { url: string; origin: string; function: FunctionUrl; store: Store; nginx: ChildProcess; work: string }) {
    this.url = parts.url;
    this.origin = parts.origin;
    this.function = parts.function;
    this.store = parts.store;
    this.nginx = parts.nginx;
    this.work = parts.work;
  }

  static async start(options: LocalEdgeOptions): Promise<LocalEdge> {
    const work = mkdtempSync(join(tmpdir(), 'edgetile-edge-'));
    const store = new Store(work, await freePort());
    await store.start();
    const lambda = new FunctionUrl({
      binary: resolve(options.binary),
      instances: options.instances ?? 8,
      timeoutSeconds: options.timeoutSeconds ?? 15,
      environment: { ...store.environment(), ...options.environment },
    });
    const origin = `127.0.0.1:${await lambda.start()}`;
    const port = options.port ?? (await freePort());
    const nginx = startNginx(work, { LISTEN: `127.0.0.1:${port}`, ORIGIN: origin });
    await reachable(port);
    return new LocalEdge({ url: `http://127.0.0.1:${port}`, origin, function: lambda, store, nginx, work });
  }

  async stop(): Promise<void> {
    this.nginx.kill('SIGTERM');
    await this.function.stop();
    await this.store.stop();
    rmSync(this.work, { recursive: true, force: true });
  }
}

/** nginx with the edge function in front of its cache. */
function startNginx(work: string, names: Record<string, string>): ChildProcess {
  const distribution = sam().source.Resources.Distribution!.Properties.DistributionConfig as Fields;
  const patterns = (distribution.CacheBehaviors as Fields[]).map(one => `^${String(one.PathPattern).replaceAll('/', '\\/').replaceAll('*', '.*')}$`);
  const fill = (from: string) => from.replace(/@([A-Z]+)@/g, (_, name: string) => ({ ...names, WORK: work, USER: userInfo().username, TILES: `/${patterns.join('|')}/` })[name]!);
  writeFileSync(join(work, 'edge.js'), text('../edge/normalize.js') + fill(text('nginx-edge.js')));
  writeFileSync(join(work, 'nginx.conf'), fill(text('nginx.conf.in')));
  const nginx = spawn('nginx', ['-p', work, '-c', join(work, 'nginx.conf')], { stdio: 'inherit' });
  nginx.on('error', () => console.error('nginx is missing: apt-get install nginx libnginx-mod-http-js'));
  return nginx;
}

/** The S3 of the local AWS emulator, with one bucket, `data`. */
export class Store {
  readonly port: number;
  private readonly work: string;
  private process?: ChildProcess;

  constructor(work: string, port: number) {
    this.work = work;
    this.port = port;
  }

  async start(): Promise<void> {
    this.process = spawn(`${root}target/venv-local/bin/ministack`, [], {
      env: { ...process.env, SERVICES: 's3', GATEWAY_PORT: String(this.port), BIND_HOST: '127.0.0.1', S3_PERSIST: '1', S3_DATA_DIR: join(this.work, 's3'), TMPDIR: this.work },
      stdio: 'ignore',
    });
    this.process.on('error', () => console.error('the emulator is missing: make local-tools installs it'));
    await reachable(this.port);
    await fetch(`http://127.0.0.1:${this.port}/data`, { method: 'PUT' });
  }

  /** Puts an object into the bucket. */
  async put(key: string, body: Buffer): Promise<void> {
    const answer = await fetch(`http://127.0.0.1:${this.port}/data/${key}`, { method: 'PUT', body: new Uint8Array(body) });
    if (!answer.ok) throw new Error(`the store answered ${answer.status} to PUT ${key}`);
  }

  /** Holds the store (`SIGSTOP`) or lets it go on (`SIGCONT`). */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.process?.kill(signal);
  }

  async stop(): Promise<void> {
    const ended = new Promise(done => this.process?.once('exit', done));
    if (this.process?.kill('SIGKILL')) await ended;
  }

  /** What leads the function here. The credentials are the emulator's, not secrets. */
  environment(): Record<string, string> {
    return {
      EDGETILE_DATA: 's3://data',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${this.port}`,
      AWS_ALLOW_HTTP: 'true',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
    };
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise(done => server.close(done));
  return port;
}

/** Waits until something listens on `port`. */
async function reachable(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const open = await new Promise<boolean>(done => {
      const socket = connect(port, '127.0.0.1', () => socket.end(() => done(true)));
      socket.on('error', () => done(false));
    });
    if (open) return;
    await sleep(100);
  }
  throw new Error(`nothing listens on port ${port}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [binary, port] = process.argv.slice(2);
  if (!binary) throw new Error('usage: edge.ts BINARY [PORT]');
  const edge = await LocalEdge.start({ binary, port: Number(port ?? 8080) });
  console.log(`${edge.url}/viewer (Ctrl-C ends it)\nS3: http://127.0.0.1:${edge.store.port}, bucket data, any credentials`);
  process.on('SIGINT', () => void edge.stop().then(() => process.exit(0)));
}
