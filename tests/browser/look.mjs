// What the tests of pages in a browser have in common: how it is started, and how pixels are looked at.

import { PNG } from "pngjs";

// WebGL without a graphics card, and no request of the browser's own.
export const FLAGS = [
  "--no-sandbox",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The pixels of a part of the page, as [red, green, blue] each. */
export async function pixels(page, { x, y, width, height }) {
  const { data } = PNG.sync.read(await page.screenshot({ clip: { x, y, width, height }, animations: "disabled" }));
  return Array.from({ length: data.length / 4 }, (_, i) => [data[4 * i], data[4 * i + 1], data[4 * i + 2]]);
}

/** The share of pixels for which a sentence holds. */
export const share = (all, holds) => all.filter(holds).length / all.length;
/** How many different colours there are, to four bits each. */
export const colours = (all) => new Set(all.map(([r, g, b]) => (r >> 4) * 256 + (g >> 4) * 16 + (b >> 4))).size;
/** The ends of the RdYlGn ramp: what grows and what does not. */
export const isGrowing = ([r, g, b]) => g > r + 25 && g > b + 25;
export const isBare = ([r, g, b]) => r > g + 40 && r > b + 60;

/** A sentence that must hold. */
export async function check(sentence, act) {
  try {
    await act();
    console.log(`ok   ${sentence}`);
  } catch (error) {
    throw new Error(`${sentence}: ${error.message}`, { cause: error });
  }
}
