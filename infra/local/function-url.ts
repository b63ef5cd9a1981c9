// A Function URL and the Lambda Runtime API on this machine: HTTP requests become events for instances of the real
// binary. Each instance has one request at a time, as on Lambda; an instance that dies fails its request alone.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What Lambda takes of a buffered answer, in bytes of JSON. */
const LARGEST_ANSWER_BYTES = 6_291_556;

export interface FunctionUrlOptions {
  /** The bootstrap. */
  readonly binary: string;
  readonly environment: Record<string, string>;
  /** Most instances at once; further requests wait. */
  readonly instances: number;
  readonly timeoutSeconds: number;
  readonly port?: number;
}

interface Job {
  readonly id: string;
  readonly event: object;
  readonly deadlineMs: number;
  answer(status: number, headers: Record<string, string | string[]>, body: Buffer): void;
}

/** The Lambda service, as far as a function behind its URL sees it. */
export class FunctionUrl {
  /** Requests that reached the function, as "METHOD /path?query". */
  readonly seen: string[] = [];
  /** The statuses that were answered, in order. */
  readonly answered: number[] = [];
  private readonly options: FunctionUrlOptions;
  private readonly instances = new Set<Instance>();
  private readonly waiting: Job[] = [];
  private server?: Server;

  constructor(options: FunctionUrlOptions) {
    this.options = options;
  }

  /** Listens, and says on which port. No instance is started before a request needs one. */
  async start(): Promise<number> {
    this.server = createServer((request, response) => void this.accept(request, response));
    this.server.keepAliveTimeout = 65_000;
    return listen(this.server, this.options.port);
  }

  async stop(): Promise<void> {
    for (const instance of this.instances) instance.kill('SIGKILL');
    this.server?.closeAllConnections();
    await new Promise(done => this.server?.close(done));
  }

  /** Kills an instance that is at work, if there is one; says whether there was. */
  killBusy(): boolean {
    const busy = [...this.instances].find(instance => instance.busy);
    busy?.kill('SIGKILL');
    return busy !== undefined;
  }

  get instanceCount(): number {
    return this.instances.size;
  }

  private async accept(request: IncomingMessage, response: ServerResponse): Promise<void> {
    for await (const _ of request);
    this.seen.push(`${request.method} ${request.url}`);
    this.waiting.push({
      id: randomUUID(),
      event: eventOf(request),
      deadlineMs: Date.now() + this.options.timeoutSeconds * 1000,
      answer: (status, headers, body) => {
        this.answered.push(status);
        if (!response.writableEnded) response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : body);
      },
    });
    this.dispatch();
  }

  private dispatch(): void {
    while (this.waiting.length > 0) {
      const idle = [...this.instances].find(instance => instance.idle);
      if (!idle) break;
      idle.take(this.waiting.shift()!);
    }
    const starting = [...this.instances].filter(instance => !instance.busy && !instance.idle).length;
    const wanted = Math.min(this.waiting.length - starting, this.options.instances - this.instances.size);
    for (let more = 0; more < wanted; more++) {
      const instance: Instance = new Instance(this.options, () => this.dispatch(), () => {
        this.instances.delete(instance);
        this.dispatch();
      });
      this.instances.add(instance);
    }
  }
}

/** One execution environment: a process and the Runtime API that it talks to. */
class Instance {
  private readonly server: Server;
  private child?: ChildProcess;
  private next?: ServerResponse;
  private job?: Job;
  private timer?: NodeJS.Timeout;
  private readonly options: FunctionUrlOptions;
  private readonly onIdle: () => void;
  private readonly onEnd: () => void;

  constructor(options: FunctionUrlOptions, onIdle: () => void, onEnd: () => void) {
    this.options = options;
    this.onIdle = onIdle;
    this.onEnd = onEnd;
    this.server = createServer((request, response) => void this.serve(request, response));
    this.server.keepAliveTimeout = 0;
    void listen(this.server).then(port => this.spawn(port));
  }

  get idle(): boolean {
    return this.next !== undefined;
  }

  get busy(): boolean {
    return this.job !== undefined;
  }

  take(job: Job): void {
    const next = this.next!;
    this.next = undefined;
    this.job = job;
    this.timer = setTimeout(() => this.kill('SIGKILL'), job.deadlineMs - Date.now());
    const body = JSON.stringify(job.event);
    next.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'lambda-runtime-aws-request-id': job.id,
      'lambda-runtime-deadline-ms': String(job.deadlineMs),
      'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:edgetile:live',
      'lambda-runtime-trace-id': `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${job.id.replaceAll('-', '').slice(0, 24)};Sampled=0`,
    }).end(body);
  }

  kill(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  private spawn(port: number): void {
    const child = spawn(this.options.binary, [], {
      env: {
        ...this.options.environment,
        AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
        AWS_LAMBDA_FUNCTION_NAME: 'edgetile',
        AWS_LAMBDA_FUNCTION_VERSION: '1',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
        AWS_REGION: 'us-east-1',
        _HANDLER: 'bootstrap',
      },
      stdio: ['ignore', process.env.EDGETILE_LOG ? 'inherit' : 'ignore', process.env.EDGETILE_LOG ? 'inherit' : 'ignore'],
    });
    this.child = child;
    child.on('error', () => this.end());
    child.on('exit', () => this.end());
  }

  private end(): void {
    this.finish(502, {}, Buffer.from('Internal Server Error'));
    this.next = undefined;
    this.server.closeAllConnections();
    this.server.close();
    this.onEnd();
  }

  private finish(status: number, headers: Record<string, string | string[]>, body: Buffer): void {
    clearTimeout(this.timer);
    this.job?.answer(status, headers, body);
    this.job = undefined;
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '';
    if (request.method === 'GET' && path.endsWith('/runtime/invocation/next')) {
      this.next = response;
      this.onIdle();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const fits = body.length <= LARGEST_ANSWER_BYTES;
    if (path.endsWith('/response') && fits) this.finish(...answerOf(body));
    else this.finish(502, {}, Buffer.from('Internal Server Error'));
    response.writeHead(fits ? 202 : 413, { 'content-type': 'application/json' }).end('{"status":"OK"}');
  }
}

/** The event of payload format 2.0, as a Function URL makes it. */
function eventOf(request: IncomingMessage): object {
  const [path, query = ''] = (request.url ?? '/').split(/\?(.*)/s);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(',') : value]));
  const parameters: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) parameters[name] = name in parameters ? `${parameters[name]},${value}` : value;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers,
    ...(query && { queryStringParameters: parameters }),
    requestContext: {
      accountId: 'anonymous',
      apiId: 'local',
      domainName: headers.host,
      domainPrefix: 'local',
      http: { method: request.method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: headers['user-agent'] ?? '' },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    isBase64Encoded: false,
  };
}

function answerOf(posted: Buffer): [number, Record<string, string | string[]>, Buffer] {
  const { statusCode = 200, headers = {}, cookies = [], body = '', isBase64Encoded = false } = JSON.parse(posted.toString('utf8'));
  const content = Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8');
  const own = Object.fromEntries(Object.entries(headers as Record<string, string>).filter(([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name)));
  const answer: Record<string, string | string[]> = { ...own };
  if (statusCode !== 204 && statusCode !== 304) answer['content-length'] = String(content.length);
  if (cookies.length > 0) answer['set-cookie'] = cookies;
  return [statusCode, answer, content];
}

/** Listens on loopback and gives the port. */
async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>(ready => server.listen(port, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
}
