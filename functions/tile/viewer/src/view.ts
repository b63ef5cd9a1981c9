/** The view as text behind `#`, so that a copied address shows the same. */

import type { Look, Mode, Range } from "./look";

/** Everything that makes up a view, each absent where the default holds. */
export interface View {
  layer?: string;
  url?: string;
  /** What else is shown: an address below the server's root. */
  of?: string;
  /** Zoom, latitude and longitude in degrees. */
  at?: [number, number, number];
  /** 0 to 1. */
  opacity?: number;
  look: Partial<Look>;
}

const MODES: readonly string[] = ["layer", "colour", "ndvi", "expression"] satisfies Mode[];

/** Reads an address's hash; what cannot be read is left out. */
export function read(hash: string): View {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const view: View = { look: {} };
  const [layer, url, of] = ["layer", "url", "of"].map((name) => given.get(name));
  if (layer) view.layer = layer;
  if (url) view.url = url;
  if (of) view.of = of;
  const at = (given.get("at") ?? "").split("/").map(Number);
  if (at.length === 3 && at.every(Number.isFinite) && Math.abs(at[1] ?? 99) < 90) view.at = at as View["at"] & object;
  const opacity = Number(given.get("opacity") ?? Number.NaN);
  if (opacity >= 0 && opacity <= 1) view.opacity = opacity;

  const [mode, expression, colormap] = [given.get("show"), given.get("expression"), given.get("colormap")];
  if (mode && MODES.includes(mode)) view.look.mode = mode as Mode;
  if (expression) view.look.expression = expression;
  const [index, algorithm] = [given.get("index"), given.get("algorithm")];
  if (index) view.look.index = index;
  if (algorithm) view.look.algorithm = algorithm;
  if (colormap) view.look.colormap = colormap;
  const ranges = given.getAll("rescale").map((text) => text.split(",").map(Number));
  const areSound = ranges.every((range) => range.length === 2 && range.every(Number.isFinite));
  if (ranges.length > 0 && areSound) view.look.ranges = ranges as Range[];
  return view;
}

/** Writes a view as a hash. */
export function write(view: View): string {
  const [zoom, lat, lon] = view.at ?? [0, 0, 0];
  const pairs: [string, string | undefined][] = [
    ["layer", view.layer],
    ["url", view.url],
    ["of", view.of],
    ["at", view.at && `${zoom.toFixed(3)}/${lat.toFixed(5)}/${lon.toFixed(5)}`],
    ["show", view.look.mode],
    ["expression", view.look.expression || undefined],
    ["index", view.look.index || undefined],
    ["algorithm", view.look.algorithm || undefined],
    ...(view.look.ranges ?? []).map((range): [string, string] => ["rescale", range.join(",")]),
    ["colormap", view.look.colormap || undefined],
    ["opacity", view.opacity === undefined || view.opacity === 1 ? undefined : `${view.opacity}`],
  ];
  const given = new URLSearchParams(pairs.filter((pair): pair is [string, string] => pair[1] !== undefined));
  return `#${given.toString().replaceAll("%2F", "/").replaceAll("%2C", ",")}`;
}
