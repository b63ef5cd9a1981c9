/** The legend on the map: which colours stand for which values, or which band is which colour. */

import { make, short } from "./dom";
import type { Range } from "./look";
import { type Ramp, ask, ramp } from "./server";

const CHANNELS = ["red", "green", "blue"] as const;

/** Fills `place` for a picture of the named output bands. */
export async function legend(place: HTMLElement, names: string[], ranges: Range[], colormap: string): Promise<void> {
  if (names.length === 1) {
    const colours = colormap ? await ramp(colormap).catch(() => grey()) : grey();
    const title = make("p", { class: "legend-title" }, names[0] ?? "");
    place.replaceChildren(title, bar(colours), ...scale(ranges[0]));
  } else {
    const rows = CHANNELS.slice(0, names.length).map((channel, i) => {
      const range = ranges[i] ?? ranges[0];
      const span = make("span", { class: "quiet" }, range ? `${short(range[0])} – ${short(range[1])}` : "");
      return make("li", {}, make("i", { class: `dot ${channel}` }), make("span", {}, names[i] ?? ""), span);
    });
    place.replaceChildren(make("ul", {}, ...rows));
  }
  place.hidden = false;
}

/** Fills `place` with a legend that the server draws; empties it where it draws none. */
export async function pictured(place: HTMLElement, src: string): Promise<void> {
  const response = await ask(src).catch(() => undefined);
  if (!response?.ok) {
    place.hidden = true;
    return;
  }
  const image = make("img", { alt: "what the colours mean", src: URL.createObjectURL(await response.blob()) });
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  place.replaceChildren(image);
  place.hidden = false;
}

/** The colour of a value, as CSS writes it. */
export async function colourOf(value: number, [min, max]: Range, colormap: string): Promise<string> {
  const colours = colormap ? await ramp(colormap).catch(() => grey()) : grey();
  const at = Math.round(Math.min(1, Math.max(0, (value - min) / (max - min))) * 255) * 4;
  return `rgb(${colours[at]} ${colours[at + 1]} ${colours[at + 2]})`;
}

function grey(): Ramp {
  return new Uint8ClampedArray(1024).map((_, i) => (i % 4 === 3 ? 255 : Math.floor(i / 4)));
}

function bar(colours: Ramp): HTMLCanvasElement {
  const canvas = make("canvas", { width: "256", height: "1", class: "ramp", "aria-hidden": "true" });
  canvas.getContext("2d")?.putImageData(new ImageData(colours, 256, 1), 0, 0);
  return canvas;
}

function scale(range: Range | undefined): Node[] {
  if (!range) return [];
  const [min, max] = range;
  const middle = Number(((min + max) / 2).toPrecision(3));
  return [make("p", { class: "scale" }, ...[min, middle, max].map((value) => make("span", {}, short(value))))];
}
