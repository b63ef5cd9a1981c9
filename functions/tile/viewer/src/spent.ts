/** What the tiles cost: fetches them, so that their headers can be read, and keeps the last ones for the table. */

import { ask, refusalOf } from "./server";

/** One answered tile. */
export interface Spent {
  /** z/x/y. */
  tile: string;
  /** From the request to the last byte, as this page saw it, in milliseconds. */
  tookMs: number;
  /** The server's own steps in milliseconds, as `Server-Timing` tells. */
  steps: [string, number][];
  /** Requests to the store, bytes read there, overview level and blocks, as `Edgetile-Cost` tells. */
  cost: Record<string, number>;
  /** Bytes of the answer. */
  sentBytes: number;
  /** Who answered in the server's stead. */
  cached: "" | "browser" | "CDN";
}

/** How many answers are kept. */
const KEPT = 200;

const answers: Spent[] = [];
let listener = () => {};

/** The answers since the last [`clear`], newest first. */
export function list(): readonly Spent[] {
  return answers;
}

/** Calls back after each change of the list. */
export function onChange(callback: () => void): void {
  listener = callback;
}

/** Forgets what was spent before a change of what is shown. */
export function clear(): void {
  answers.length = 0;
  listener();
}

/** `name=value` pairs between semicolons. */
export function parseCost(header: string | null): Record<string, number> {
  const pairs = (header ?? "").split(";").map((pair) => pair.split("=").map((part) => part.trim()));
  return Object.fromEntries(pairs.filter(([name]) => name).map(([name, value]) => [name, Number(value)]));
}

/** Names and durations of `Server-Timing` (W3C Server Timing, 3). */
export function parseTiming(header: string | null): [string, number][] {
  return (header ?? "").split(",").flatMap((metric) => {
    const [name = "", ...parameters] = metric.split(";").map((part) => part.trim());
    const duration = parameters.find((each) => each.startsWith("dur="));
    return duration ? [[name, Number(duration.slice(4))] as [string, number]] : [];
  });
}

/** Fetches one tile and notes what it cost. An empty answer is an empty tile; a refusal is thrown. */
export async function fetchTile(url: string, signal: AbortSignal): Promise<ArrayBuffer> {
  const start = performance.now();
  const response = await ask(url, { signal });
  if (!response.ok) throw await refusalOf(response);
  const body = await response.arrayBuffer();
  const { headers } = response;
  answers.unshift({
    tile: /(\d+\/\d+\/\d+)(?:@\dx)?\.\w+(?:\?|$)/.exec(url)?.[1] ?? "",
    tookMs: performance.now() - start,
    steps: parseTiming(headers.get("server-timing")),
    cost: parseCost(headers.get("edgetile-cost")),
    sentBytes: body.byteLength,
    cached: servedBy(url, headers),
  });
  answers.length = Math.min(answers.length, KEPT);
  listener();
  return body;
}

function servedBy(url: string, headers: Headers): Spent["cached"] {
  const entry = performance.getEntriesByName(url).at(-1) as PerformanceResourceTiming | undefined;
  // The browser keeps 250 of these and then no more, unless they are taken away.
  performance.clearResourceTimings();
  if (entry && entry.transferSize === 0 && entry.decodedBodySize > 0) return "browser";
  return /^hit/i.test(headers.get("x-cache") ?? "") ? "CDN" : "";
}
