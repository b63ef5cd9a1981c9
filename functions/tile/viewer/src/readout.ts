/** The values at a place, in a bubble on the map. */

import maplibregl from "maplibre-gl";
import { make, short } from "./dom";
import { type Look, bandPairs, formula, indexOf, initial, modes, outputs } from "./look";
import { colourOf } from "./legend";
import { type Layer, Refusal, values } from "./server";

let last: { popup: maplibregl.Popup; abort: AbortController } | undefined;

/** Closes the bubble, if one is open. */
export function closeReadout(): void {
  last?.abort.abort();
  last?.popup.remove();
  last = undefined;
}

/** Opens the bubble at a place and fills it when the server has answered. */
export async function readout(map: maplibregl.Map, at: maplibregl.LngLat, layer: Layer, look: Look): Promise<void> {
  closeReadout();
  const place = at.wrap();
  const body = make("div", { class: "readout", role: "status" }, make("p", { class: "quiet" }, "reading…"));
  const popup = new maplibregl.Popup({ maxWidth: "260px", focusAfterOpen: false });
  popup.setLngLat(at).setDOMContent(body).addTo(map);
  const abort = new AbortController();
  last = { popup, abort };
  const title = make("p", { class: "place" }, `${place.lat.toFixed(5)}, ${place.lng.toFixed(5)}`);
  try {
    body.replaceChildren(title, ...(await rows(layer, look, [place.lng, place.lat], abort.signal)));
  } catch (error) {
    if (abort.signal.aborted) return;
    const isEmpty = error instanceof Refusal && error.status === 404;
    const message = error instanceof Refusal ? error.message : "the server did not answer";
    body.replaceChildren(title, make("p", { class: "quiet" }, isEmpty ? "no data here" : message));
  }
}

async function rows(layer: Layer, look: Look, at: [number, number], signal: AbortSignal): Promise<Node[]> {
  const arithmetic = formula(layer, look);
  const [raw, computed] = await Promise.all([
    everyBand(layer, at, signal),
    arithmetic === undefined && indexOf(layer, look) === undefined ? undefined : values(layer, at, bandPairs(layer, look), signal),
  ]);
  if (raw.values.every((value) => value === null)) return [make("p", { class: "quiet" }, "no data here")];
  const table = make("table");
  const add = (name: string, value: number | null | undefined, colour = "") => {
    const swatch = make("i", { class: "swatch" });
    swatch.style.background = colour;
    const number = make("td", {}, value === null || value === undefined ? "–" : short(value));
    table.append(make("tr", {}, make("th", { scope: "row" }, ...(colour ? [swatch] : []), name), number));
  };
  layer.bands.forEach((band, i) => add(band.name, raw.values[i]));
  // Values are those before an algorithm, as the server tells them.
  const names = outputs(layer, { ...look, algorithm: "" });
  for (const [i, value] of (computed?.values ?? []).entries()) {
    const range = look.ranges[0];
    const isShown = names.length === 1 && look.algorithm === "";
    const colour = isShown && range && value !== null ? await colourOf(value, range, look.colormap) : "";
    add(names[i] ?? "", value, colour);
  }
  if (modes(layer).some(({ name }) => name === "NDVI") && !names.some(isNdvi(layer))) {
    const index = initial(layer, "ndvi", []);
    const { values: [value] } = await values(layer, at, bandPairs(layer, index), signal);
    const colour = typeof value === "number" ? await colourOf(value, index.ranges[0] ?? [-1, 1], index.colormap) : "";
    add("NDVI", value, colour);
  }
  return [table];
}

/** The value of every band: by number in one file, by name where each band is a file of its own. */
async function everyBand(layer: Layer, at: [number, number], signal: AbortSignal): ReturnType<typeof values> {
  const numbers = layer.bands.map((band): [string, string] => ["bidx", `${band.index}`]);
  try {
    return await values(layer, at, numbers, signal);
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 400)) throw error;
    return values(layer, at, [["expression", layer.bands.map((band) => band.name).join(";")]], signal);
  }
}

function isNdvi(layer: Layer): (name: string) => boolean {
  const text = formula(layer, initial(layer, "ndvi", []))?.replace(/\s/g, "");
  return (name) => name === "NDVI" || name.replace(/\s/g, "") === text;
}
