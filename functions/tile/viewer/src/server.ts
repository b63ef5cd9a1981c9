/** The server's routes, as far as the page asks them. Nothing else is ever asked: the page works without a network. */

/** One band of a layer: its number from 1, and its name where the file gives one. */
export interface Band {
  index: number;
  name: string;
}

/** A style's query parameters: one value or several under each name. */
export type Style = Record<string, string[]>;

/** One thing to look at: a configured layer, or a file opened by its address. */
export interface Layer {
  name: string;
  title: string;
  attribution: string;
  /** West, south, east, north in degrees. */
  bounds: [number, number, number, number];
  minzoom: number;
  maxzoom: number;
  bands: Band[];
  style: Style;
  dataType: string;
  /** Set for what is no layer of the server's own. */
  source?: Source;
}

/** Something that is opened by its address: a prefix of routes, and the query behind all of them. */
export interface Source {
  prefix: string;
  query: [string, string][];
}

/** A refusal by the server, in its own words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Where the server's routes begin: the script is served below `viewer/`. */
export const ROOT = new URL("..", import.meta.url);

/** An absolute address below the server's root; braces stay, as map clients want them. */
export function address(path: string): string {
  return ROOT.href + path;
}

/** The words of a failed answer: the problem's detail (RFC 9457), or the status. */
export async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text().catch(() => "");
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown };
    if (typeof detail === "string") return new Refusal(response.status, detail);
  } catch {
    // Not a problem document: a proxy between us answered.
  }
  return new Refusal(response.status, `the server answered ${response.status} ${response.statusText}`.trim());
}

/** The key that opens protected layers. It lives as long as the page does and is written nowhere. */
let key = "";

/** Takes a key, or forgets the last one. */
export function unlock(given: string): void {
  key = given;
}

/** Asks the server, with the key if there is one. */
export function ask(url: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key !== "") headers.set("x-api-key", key);
  return fetch(url, { ...init, headers });
}

async function json<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await ask(address(path), { headers: { accept: "application/json" }, signal: signal ?? null });
  if (!response.ok) throw await refusalOf(response);
  return (await response.json()) as T;
}

interface WrittenLayer {
  name: string;
  title?: string | null;
  attribution?: string | null;
  bounds?: [number, number, number, number] | null;
  minzoom?: number | null;
  maxzoom?: number | null;
  bands?: Band[] | null;
  style?: Record<string, unknown> | null;
  data_type?: string | null;
}

/** What the server was configured with, as far as the key shows it. */
export interface Config {
  version: string;
  layers: Layer[];
  /** Whether a key would show more. */
  wantsKey: boolean;
}

/** The version and the layers. */
export async function config(): Promise<Config> {
  const written = await json<{ version?: string; layers: WrittenLayer[]; wants_key?: boolean }>("viewer/config.json");
  const layers = written.layers.map((layer): Layer => ({
    name: layer.name,
    title: layer.title ?? layer.name,
    attribution: layer.attribution ?? "",
    bounds: eastward(layer.bounds ?? [-180, -85, 180, 85]),
    minzoom: layer.minzoom ?? 0,
    maxzoom: layer.maxzoom ?? 22,
    bands: layer.bands ?? [],
    style: styleOf(layer.style ?? {}),
    dataType: layer.data_type ?? "",
  }));
  return { version: written.version ?? "", layers, wantsKey: written.wants_key ?? false };
}

function styleOf(written: Record<string, unknown>): Style {
  const entries = Object.entries(written).filter(([, value]) => value !== null && value !== "");
  return Object.fromEntries(entries.map(([name, value]) => [name, [value].flat().map(String)]));
}

/** The prefixes that a source may have. */
const PREFIXES = /^(cog|stac|mosaicjson|ndvi|(tiles|index)\/[^/?#]+)$/;
/** Parameters that say how a source is shown, not what it is. */
const OF_STYLE = ["bidx", "expression", "index", "algorithm", "algorithm_params", "rescale", "colormap", "colormap_name", "color_formula"];

/** The source that an address below the root is of, such as `cog?url=scene.tif`. */
export function sourceAt(text: string): Source {
  const [prefix = "", query = ""] = text.replace(/^\//, "").split(/\?(.*)/s);
  if (!PREFIXES.test(prefix)) throw new Refusal(400, `${prefix} is nothing that can be shown`);
  return { prefix, query: [...new URLSearchParams(query)] };
}

/** A file as a source. */
export function fileAt(url: string): Source {
  return { prefix: "cog", query: [["url", url]] };
}

/** The address of a source below the root: what `sourceAt` reads. */
export function addressOf({ prefix, query }: Source): string {
  return `${prefix}${queryText(query)}`;
}

/** The address of a source where it is a file and nothing more. */
export function urlOf({ prefix, query }: Source): string | undefined {
  const [first, ...rest] = query;
  return prefix === "cog" && rest.length === 0 && first?.[0] === "url" ? first[1] : undefined;
}

/** Describes a source, so that it can be shown like a layer. */
export async function open(source: Source): Promise<Layer> {
  const { prefix, query } = source;
  const path = `${prefix}${isOnGrids(prefix) ? "/WebMercatorQuad" : ""}/tilejson.json${queryText(query)}`;
  const told = await json<TileJson>(path);
  const bands = (told.band_descriptions ?? []).map(([number, name], i) => ({ index: i + 1, name: name || number }));
  const style: Style = {};
  for (const [name, value] of query) if (OF_STYLE.includes(name)) style[name] = [...(style[name] ?? []), value];
  const index = prefix === "ndvi" ? "ndvi" : prefix.split("index/")[1];
  if (index !== undefined && style.expression === undefined) style.index ??= [decodeURIComponent(index)];
  const title = fileName(query.find(([name]) => name === "url")?.[1] ?? told.name ?? prefix);
  const { minzoom, maxzoom, attribution = "" } = told;
  const bounds = eastward(isAround(told.bounds) ? await outlineOf(source, told.bounds) : told.bounds);
  const [dataType, name] = [told.data_type ?? "", addressOf(source)];
  return { name, title, attribution, bounds, minzoom, maxzoom, bands, style, dataType, source };
}

interface TileJson {
  name?: string;
  bounds: Layer["bounds"];
  minzoom: number;
  maxzoom: number;
  attribution?: string;
  /** Of each band its number, such as `b1`, and its name. */
  band_descriptions?: [string, string][];
  data_type?: string | null;
}

/** Whether bounds go round the world: in TileJSON those do that cross the antimeridian. */
function isAround([west, , east]: Layer["bounds"]): boolean {
  return east - west >= 360;
}

/** The box of a source as GeoJSON writes it, where east may lie below west (RFC 7946, section 5.2). */
async function outlineOf({ prefix, query }: Source, unknown: Layer["bounds"]): Promise<Layer["bounds"]> {
  const told = await json<{ bbox?: Layer["bounds"] }>(`${prefix}/info.geojson${queryText(query)}`).catch(() => undefined);
  return told?.bbox?.length === 4 ? told.bbox : unknown;
}

/** The keys of a STAC item's files. */
export function assetsOf(url: string): Promise<string[]> {
  return json<string[]>(`stac/assets${queryText([["url", url]])}`);
}

/** Whether a key was given. */
export function isUnlocked(): boolean {
  return key !== "";
}

/** Whether grids stand in a prefix's paths. */
function isOnGrids(prefix: string): boolean {
  return /^(cog|stac|mosaicjson)$/.test(prefix);
}

/** Bounds across the antimeridian come with east below west: here east goes on past 180. */
function eastward([west, south, east, north]: Layer["bounds"]): Layer["bounds"] {
  return [west, south, east < west ? east + 360 : east, north];
}

function fileName(url: string): string {
  return url.split(/[?#]/)[0]?.split("/").pop() || url;
}

/** The part of a layer's routes that is its own. */
function sourceOf({ name, source }: Layer): Source {
  return source ?? { prefix: `tiles/${encodeURIComponent(name)}`, query: [] };
}

/** A query with a style: what the style says holds in place of what the query says. */
function styled(query: [string, string][], style: [string, string][]): [string, string][] {
  const said = style.map(([name]) => name);
  // Other bands are shown in another way altogether.
  const isOther = ["bidx", "expression", "index"].some((name) => said.includes(name));
  const replaced = isOther ? OF_STYLE : said;
  return [...query.filter(([name]) => !replaced.includes(name)), ...style];
}

/** A query string that people can read: only what must be escaped is, `+` among it. */
export function queryText(pairs: [string, string][]): string {
  const escape = (text: string) => encodeURIComponent(text).replace(/%(2C|2F|3A|3B)/gi, decodeURIComponent);
  return pairs.length === 0 ? "" : `?${pairs.map(([name, value]) => `${name}=${escape(value)}`).join("&")}`;
}

/** The address of a layer's tiles, with `{z}`, `{x}`, `{y}`; `suffix` is scale and format, such as `@2x.png`. */
export function tileTemplate(layer: Layer, style: [string, string][], suffix = ".png"): string {
  const { prefix, query } = sourceOf(layer);
  const tiles = isOnGrids(prefix) ? `${prefix}/tiles/WebMercatorQuad` : prefix;
  return `${address(tiles)}/{z}/{x}/{y}${suffix}${queryText(styled(query, style))}`;
}

/** The server's own legend of a layer as it was asked. */
export function legendAddress(layer: Layer): string {
  const { prefix, query } = sourceOf(layer);
  return address(`${prefix}/legend.png${queryText(query)}`);
}

/** The values of bands or of an expression at one place; null where there is nothing. */
export async function values(
  layer: Layer,
  [lon, lat]: [number, number],
  style: [string, string][],
  signal: AbortSignal,
): Promise<{ values: (number | null)[]; names: string[] }> {
  const { prefix, query } = sourceOf(layer);
  const path = `${prefix}/point/${lon.toFixed(7)},${lat.toFixed(7)}${queryText(styled(query, style))}`;
  const answer = await json<{ values: (number | null)[]; band_names?: string[] }>(path, signal);
  return { values: answer.values, names: answer.band_names ?? [] };
}

/** A spectral index that the server knows. */
export interface Index {
  id: string;
  title: string;
  formula: string;
  bands: string[];
  range: [number, number];
  colormap_name: string;
  wants_reflectance: boolean;
}

/** The spectral indices. */
export async function indices(): Promise<Index[]> {
  return (await json<{ indices: Index[] }>("indices")).indices;
}

/** Something that is made of bands before they are coloured. */
export interface Algorithm {
  id: string;
  title: string;
  inputs: { nbands: number };
}

/** The algorithms. */
export async function algorithms(): Promise<Algorithm[]> {
  return (await json<{ algorithms: Algorithm[] }>("algorithms")).algorithms;
}

/** The names of all colormaps. */
export async function colormapNames(): Promise<string[]> {
  return (await json<{ colormaps: { id: string }[] }>("colorMaps")).colormaps.map(one => one.id);
}

/** 256 colours as RGBA bytes in a row. */
export type Ramp = Uint8ClampedArray<ArrayBuffer>;

const ramps = new Map<string, Promise<Ramp>>();

/** The colours of a colormap by name, asked once. */
export function ramp(name: string): Promise<Ramp> {
  let known = ramps.get(name);
  if (!known) {
    known = json<Record<string, number[]>>(`colorMaps/${encodeURIComponent(name)}`).then(rampOf);
    known.catch(() => ramps.delete(name));
    ramps.set(name, known);
  }
  return known;
}

function rampOf(entries: Record<string, number[]>): Ramp {
  const bytes = new Uint8ClampedArray(256 * 4);
  for (const [key, [r = 0, g = 0, b = 0, a = 255]] of Object.entries(entries)) {
    if (Number(key) < 256) bytes.set([r, g, b, a], Number(key) * 4);
  }
  return bytes;
}
