/** The list of colormaps to choose from, as the server has them. */

import { make } from "./dom";
import { colormapNames } from "./server";

/** Colormaps that most people look for, before all others. */
const FAVOURITES = ["rdylgn", "viridis", "magma", "turbo", "terrain", "rdbu", "spectral", "gray", "blues", "ylgn"];

/** Fills a select. Reversed colormaps are left out where a box beside it turns the colours round. */
export async function listColormaps(select: HTMLSelectElement): Promise<void> {
  const names = (await colormapNames()).map((name) => name.toLowerCase());
  const plain = names.filter((name) => !(name.endsWith("_r") && names.includes(name.slice(0, -2)))).sort();
  const option = (name: string) => make("option", { value: name }, name);
  const known = FAVOURITES.filter((name) => plain.includes(name));
  const rest = plain.filter((name) => !known.includes(name));
  select.replaceChildren(
    make("option", { value: "" }, "grey"),
    make("optgroup", { label: "Often used" }, ...known.map(option)),
    make("optgroup", { label: "All" }, ...rest.map(option)),
  );
}
