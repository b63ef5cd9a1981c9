/** How a layer is shown: its own style, one of the presets, or an expression, each with ranges and colours. */

import type { Algorithm, Index, Layer } from "./server";

/** What the picture is made of. */
export type Mode = "layer" | "colour" | "ndvi" | "expression";

/** The values that become the first and the last colour. */
export type Range = [number, number];

export interface Look {
  mode: Mode;
  /** In use when the mode is `expression` and there is no index. */
  expression: string;
  /** A spectral index in place of an expression; empty for none. */
  index: string;
  /** What is made of the bands; empty for nothing. */
  algorithm: string;
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

/** The indices that a layer's bands allow by name. Those of reflectance need values that are some. */
export function indicesOf(layer: Layer, all: Index[]): Index[] {
  const isThere = (name: string) => bandNamed(layer, name) !== undefined;
  const isMeant = (index: Index) => !index.wants_reflectance || layer.dataType.startsWith("float");
  return all.filter((index) => isMeant(index) && index.bands.every(isThere));
}

/** Algorithms whose outcome is a picture as it stands. */
const PICTURES = ["hillshade", "contours", "terrainrgb", "terrarium", "grayscale", "bitonal"];
/** Algorithms that leave as many bands as there were. */
const EACH_BAND = ["cast", "ceil", "floor"];
/** Algorithms whose outcome is red, green and blue. */
const COLOURS = ["contours", "terrainrgb", "terrarium"];

/** The ranges with which the outcome of an algorithm is first shown; none for what is a picture. */
export function rangesAfter(algorithm: string, before: Range[]): Range[] {
  if (PICTURES.includes(algorithm)) return [];
  if (algorithm === "slope") return [[0, 60]];
  if (algorithm === "normalizedIndex") return [[-1, 1]];
  return before.slice(0, EACH_BAND.includes(algorithm) ? before.length : 1);
}

/** Whether a layer is a picture as it stands: configured to be, asked with a style, or a file of colours. */
export function isPicture(layer: Layer): boolean {
  const isStyled = layer.source === undefined || Object.keys(layer.style).length > 0;
  return isStyled || (layer.dataType === "uint8" && [1, 3].includes(layer.bands.length));
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

function ownAlgorithm(layer: Layer): string {
  return layer.style.algorithm?.[0] ?? "";
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
  const look: Look = { mode, expression: "", index: "", algorithm: "", ranges: [], colormap: "" };
  if (mode === "layer") {
    return { ...look, algorithm: ownAlgorithm(layer), ranges: ownRanges(layer), colormap: layer.style.colormap_name?.[0] ?? "" };
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
  return { ...look, expression: mode === "ndvi" ? "" : expression, ranges, colormap };
}

/** The arithmetic of the picture, when it is arithmetic. */
export function formula(layer: Layer, look: Look): string | undefined {
  if (look.mode === "ndvi") return ndvi(layer);
  if (look.mode === "expression") return look.index === "" ? look.expression : undefined;
  return look.mode === "layer" ? layer.style.expression?.[0] : undefined;
}

/** The spectral index of the picture, when it is one. */
export function indexOf(layer: Layer, look: Look): string | undefined {
  if (look.mode === "layer") return layer.style.index?.[0];
  return look.mode === "expression" && look.index !== "" ? look.index : undefined;
}

/** Whether a picture is as it was asked, in colours that are no range and no colormap by name. */
export function isFixed(layer: Layer, look: Look): boolean {
  const own = ["algorithm", "colormap", "color_formula", "index"];
  // Percentiles are known to the server alone.
  const isOfPercentiles = (layer.style.rescale ?? []).length > ownRanges(layer).length;
  const isOwn = look.mode === "layer" && look.algorithm === ownAlgorithm(layer);
  return isOwn && (isOfPercentiles || own.some((name) => layer.style[name] !== undefined));
}

/** What the output bands are called: three make a colour, one takes a colormap. */
export function outputs(layer: Layer, look: Look): string[] {
  const { algorithm } = look;
  if (COLOURS.includes(algorithm)) return ["red", "green", "blue"];
  const bands = inputs(layer, look);
  return algorithm === "" || EACH_BAND.includes(algorithm) ? bands : [algorithm];
}

/** The algorithms that the bands of a look are enough for. */
export function algorithmsOf(layer: Layer, look: Look, all: Algorithm[]): Algorithm[] {
  const count = inputs(layer, look).length;
  // Of a mosaic whose files are not known anything may be asked.
  return all.filter((each) => count === 0 || each.inputs.nbands <= count);
}

/** What the bands are called that are read or computed. */
function inputs(layer: Layer, look: Look): string[] {
  if (look.mode === "ndvi") return ["NDVI"];
  const index = indexOf(layer, look);
  if (index !== undefined) return [index];
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
  const index = indexOf(layer, look);
  if (index !== undefined) return [["index", index]];
  const own = layer.style.bidx?.map(Number) ?? layer.bands.map((each) => each.index);
  const indexes = look.mode === "colour" ? (rgb(layer) ?? own) : own;
  return indexes.map((index) => ["bidx", `${index}`]);
}

/** The query that asks for a look: nothing where the layer's own style says it already. */
export function query(layer: Layer, look: Look): [string, string][] {
  const isOwn = look.mode === "layer";
  const own = initial(layer, "layer", []);
  const pairs = isOwn ? [] : bandPairs(layer, look);
  const isSame = isOwn && look.algorithm === own.algorithm;
  if (!isSame && (look.algorithm !== "" || isOwn)) pairs.push(["algorithm", look.algorithm]);
  // What another algorithm was told means nothing to this one.
  if (!isSame && isOwn && own.algorithm !== "") pairs.push(["algorithm_params", ""]);
  const isSaid = isSame && look.ranges.join(";") === own.ranges.join(";");
  // What an algorithm makes is not what the layer's own range and colours are for.
  if (isOwn && !isSame && look.algorithm !== "" && look.ranges.length === 0) pairs.push(["rescale", "0,255"]);
  if (!isSaid) pairs.push(...look.ranges.map((range): [string, string] => ["rescale", range.join(",")]));
  const takesColours = outputs(layer, look).length === 1;
  const colours = look.colormap || (isOwn && !isSame && look.algorithm !== "" && own.colormap !== "" ? "gray" : "");
  if (takesColours && colours !== "" && !(isOwn && colours === own.colormap)) pairs.push(["colormap_name", colours]);
  return pairs;
}
