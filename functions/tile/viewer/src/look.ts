/** How a layer is shown: its own style, one of the presets, or an expression, each with ranges and colours. */

import type { Layer } from "./server";

/** What the picture is made of. */
export type Mode = "layer" | "colour" | "ndvi" | "expression";

/** The values that become the first and the last colour. */
export type Range = [number, number];

export interface Look {
  mode: Mode;
  /** In use when the mode is `expression`. */
  expression: string;
  /** One range for each output band, or one for all; empty where the layer sets none. */
  ranges: Range[];
  /** A colormap's name, for pictures of one band; empty for none. */
  colormap: string;
}

/** The colours in which an index is shown until another choice. */
const INDEX_COLOURS = "rdylgn";

function bandNamed(layer: Layer, name: string): string | undefined {
  return layer.bands.find((each) => each.name.toLowerCase() === name)?.name;
}

function isUnnamed(layer: Layer): boolean {
  return layer.bands.every((each) => /^b\d+$/i.test(each.name));
}

/** The band numbers of red, green and blue: by name, or the first three of a file that names none. */
export function rgb(layer: Layer): number[] | undefined {
  const find = (name: string) => layer.bands.find((each) => each.name.toLowerCase() === name)?.index;
  const named = ["red", "green", "blue"].map(find);
  if (named.every((index) => index !== undefined)) return named as number[];
  return isUnnamed(layer) && layer.bands.length >= 3 ? [1, 2, 3] : undefined;
}

/** The names by which an expression calls red and near infrared. */
function redNir(layer: Layer): [string, string] | undefined {
  const [red, nir] = [bandNamed(layer, "red"), bandNamed(layer, "nir") ?? bandNamed(layer, "nir08")];
  if (red && nir) return [red, nir];
  // Four bands without names are red, green, blue, near infrared in most orthophotos.
  return isUnnamed(layer) && layer.bands.length === 4 ? ["b1", "b4"] : undefined;
}

function normalised(a: string | undefined, b: string | undefined): string {
  return `(${a}-${b})/(${a}+${b})`;
}

/** The vegetation index of a layer, as an expression. */
function ndvi(layer: Layer): string {
  const [red, nir] = redNir(layer) ?? ["b1", "b2"];
  return normalised(nir, red);
}

/** Indices that a layer's bands allow, to start from. Reflectance is taken as stored, times 10000. */
export function recipes(layer: Layer): { name: string; title: string; expression: string }[] {
  const [blue, green] = [bandNamed(layer, "blue"), bandNamed(layer, "green")];
  const [red, nir] = redNir(layer) ?? [];
  const evi = `2.5*(${nir}-${red})/(${nir}+6*${red}-7.5*${blue}+10000)`;
  const savi = `1.5*(${nir}-${red})/(${nir}+${red}+5000)`;
  const all = [
    { name: "NDVI", title: "Vegetation", needs: [red, nir], expression: normalised(nir, red) },
    { name: "NDWI", title: "Open water", needs: [green, nir], expression: normalised(green, nir) },
    { name: "GNDVI", title: "Chlorophyll", needs: [green, nir], expression: normalised(nir, green) },
    { name: "EVI", title: "Dense vegetation", needs: [blue, red, nir], expression: evi },
    { name: "SAVI", title: "Sparse vegetation", needs: [red, nir], expression: savi },
  ];
  return all.filter((recipe) => recipe.needs.every((name) => name !== undefined));
}

/** Whether a layer is a picture as it stands: configured to be, or a file of colours. */
export function isPicture(layer: Layer): boolean {
  return layer.url === undefined || (layer.dataType === "uint8" && layer.bands.length <= 4);
}

/** The mode a layer is first shown in: raw values as they are would be black for the most part. */
export function usual(layer: Layer): Mode {
  if (isPicture(layer)) return "layer";
  return rgb(layer) ? "colour" : "expression";
}

/** The modes a layer offers with their names, each way to see it once: its own style may be one of the presets. */
export function modes(layer: Layer): { mode: Mode; name: string }[] {
  const isColour = layer.style.bidx !== undefined && layer.style.bidx.join() === rgb(layer)?.join();
  const isNdvi = redNir(layer) !== undefined && layer.style.expression?.[0]?.replace(/\s/g, "") === ndvi(layer);
  const offered: { mode: Mode; name: string }[] = isColour || isNdvi || !isPicture(layer) ? [] : [{ mode: "layer", name: "Default" }];
  if (rgb(layer)) offered.push({ mode: isColour ? "layer" : "colour", name: "True colour" });
  if (redNir(layer)) offered.push({ mode: isNdvi ? "layer" : "ndvi", name: "NDVI" });
  return [...offered, { mode: "expression", name: "Expression" }];
}

function ownRanges(layer: Layer): Range[] {
  const ranges = (layer.style.rescale ?? []).map((text) => text.split(",").map(Number) as Range);
  return ranges.filter(([min, max]) => Number.isFinite(min) && Number.isFinite(max));
}

/** A range for raw values of a type, until a better one is known. */
function typical(dataType: string): Range {
  if (dataType === "uint8") return [0, 255];
  return dataType.startsWith("float") ? [0, 1] : [0, 3000];
}

/** The look a mode starts with. `others` may know what suits the same bands. */
export function initial(layer: Layer, mode: Mode, others: Layer[]): Look {
  const look: Look = { mode, expression: "", ranges: [], colormap: "" };
  if (mode === "layer") {
    return { ...look, ranges: ownRanges(layer), colormap: layer.style.colormap_name?.[0] ?? "" };
  }
  if (mode === "colour") {
    const wanted = rgb(layer)?.join();
    const isAlike = (each: Layer) => each.dataType === layer.dataType && each.style.bidx?.join() === wanted;
    const alike = [layer, ...others].find(isAlike);
    const known = alike ? ownRanges(alike) : [];
    return { ...look, ranges: known.length > 0 ? known : [typical(layer.dataType)] };
  }
  const own = layer.style.expression?.[0];
  const expression = mode === "ndvi" ? ndvi(layer) : (own ?? (redNir(layer) ? ndvi(layer) : "b1"));
  const isRaw = /^\w+$/.test(expression);
  const ranges = mode === "expression" && own ? ownRanges(layer) : [];
  if (ranges.length === 0) ranges.push(isRaw ? typical(layer.dataType) : [-0.2, 0.9]);
  const colormap = isRaw ? "viridis" : INDEX_COLOURS;
  return { mode, expression: mode === "ndvi" ? "" : expression, ranges, colormap };
}

/** The arithmetic of the picture, when it is arithmetic. */
export function formula(layer: Layer, look: Look): string | undefined {
  if (look.mode === "ndvi") return ndvi(layer);
  if (look.mode === "expression") return look.expression;
  return look.mode === "layer" ? layer.style.expression?.[0] : undefined;
}

/** What the output bands are called: three make a colour, one takes a colormap. */
export function outputs(layer: Layer, look: Look): string[] {
  if (look.mode === "ndvi") return ["NDVI"];
  const arithmetic = formula(layer, look);
  if (arithmetic !== undefined) return arithmetic.split(";").map((part) => part.trim()).filter((part) => part !== "");
  const indexes = look.mode === "colour" ? rgb(layer) : layer.style.bidx?.map(Number);
  const chosen = indexes ?? layer.bands.map((each) => each.index);
  return chosen.map((index) => layer.bands.find((each) => each.index === index)?.name ?? `b${index}`);
}

/** The query for the bands of a look without their ranges and colours: what data is asked by. */
export function bandPairs(layer: Layer, look: Look): [string, string][] {
  const arithmetic = formula(layer, look);
  if (arithmetic !== undefined) return [["expression", arithmetic]];
  const own = layer.style.bidx?.map(Number) ?? layer.bands.map((each) => each.index);
  const indexes = look.mode === "colour" ? (rgb(layer) ?? own) : own;
  return indexes.map((index) => ["bidx", `${index}`]);
}

/** The query that asks for a look: nothing where the layer's own style says it already. */
export function query(layer: Layer, look: Look): [string, string][] {
  const isOwn = look.mode === "layer";
  const own = initial(layer, "layer", []);
  const pairs = isOwn ? [] : bandPairs(layer, look);
  const isSaid = isOwn && look.ranges.join(";") === own.ranges.join(";");
  if (!isSaid) pairs.push(...look.ranges.map((range): [string, string] => ["rescale", range.join(",")]));
  const takesColours = outputs(layer, look).length === 1 && look.colormap !== "";
  if (takesColours && !(isOwn && look.colormap === own.colormap)) pairs.push(["colormap_name", look.colormap]);
  return pairs;
}
