/** The page: what is shown, the controls that change it, and the address that tells it. */

import "maplibre-gl/dist/maplibre-gl.css";
import "./style.css";
import { bill } from "./bill";
import { chart, isInView, restyle, show } from "./chart";
import { byId, complain, make, settled } from "./dom";
import { legend, pictured } from "./legend";
import { type Look, type Mode, algorithmsOf, bandPairs, formula, indicesOf, initial, isFixed, isPicture, modes, outputs, query, rangesAfter, usual } from "./look";
import { bandsOf, spread } from "./npy";
import { listColormaps } from "./palette";
import { ranges } from "./ranges";
import { openAt } from "./pasted";
import { closeReadout, readout } from "./readout";
import { type Algorithm, type Index, type Layer, Refusal, algorithms, ask, addressOf, config, indices, isUnlocked, legendAddress, open, refusalOf, sourceAt, tileTemplate, unlock, urlOf } from "./server";
import { phone, wirePanel } from "./sheet";
import * as spent from "./spent";
import { type Tile, fill, tileAt, zoomOf } from "./tile";
import { type View, read, write } from "./view";

/** Pause after typing or dragging before tiles are asked anew: a drag asks some times, not at each pixel. */
const PAUSE_MS = 140;
const TYPING_MS = 450;

const suffix = devicePixelRatio > 1.2 ? "@2x.png" : ".png";
const map = chart(byId("map"), (why) => {
  if (why.status !== 404) notice(why.message);
});
const loaded = new Promise<void>((done) => map.once("load", () => done()));
const given = read(location.hash);

let layers: Layer[] = [];
/** Whether a key would show more. */
let isLocked = false;
/** The names of the layers that everyone sees. */
const everyones = new Set<string>();
/** None until there is one: before, nothing that needs one is shown. */
let layer: Layer;
let look: Look;
/** What the server can make of bands. */
let known: { indices: Index[]; algorithms: Algorithm[] } = { indices: [], algorithms: [] };
let opacity = given.opacity ?? 1;
/** What each layer was last shown as in each mode, so that a switch there and back loses nothing. */
const looks = new Map<string, Look>();

const field = {
  index: byId<HTMLSelectElement>("index"),
  expression: byId<HTMLInputElement>("expression"),
  algorithm: byId<HTMLSelectElement>("algorithm"),
  key: byId<HTMLInputElement>("key"),
  colormap: byId<HTMLSelectElement>("colormap"),
  reverse: byId<HTMLInputElement>("reverse"),
  opacity: byId<HTMLInputElement>("opacity"),
  tileUrl: byId<HTMLInputElement>("tile-url"),
  openUrl: byId<HTMLInputElement>("open-url"),
};

/** The tile under the middle of the view, or of the layer where it is not in view, no deeper than the layer. */
function tileInView(): Tile {
  const [west, south, east, north] = layer.bounds;
  const inside = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  const { lng, lat } = map.getCenter().wrap();
  const place: [number, number] = isInView(map, layer.bounds)
    ? [inside(lng, west, east), inside(lat, south, north)]
    : [(west + east) / 2, (south + north) / 2];
  return tileAt(place, Math.max(0, Math.min(Math.round(map.getZoom()), layer.maxzoom)));
}

/** Draws everything that follows from the layer and the look, but the tiles. */
function describe(): void {
  const names = outputs(layer, look);
  const arithmetic = formula(layer, look);
  byId("formula").hidden = look.mode !== "expression";
  const chosen = known.indices.find((index) => index.id === look.index);
  byId("index-formula").textContent = chosen ? `${chosen.title}: ${chosen.formula}` : "";
  for (const part of [field.expression, field.expression.labels?.[0], byId("expression-bands")]) {
    if (part) part.hidden = look.index !== "";
  }
  field.index.value = look.index;
  drawAlgorithms();
  byId("expression-bands").textContent = `Bands: ${layer.bands.map((band) => band.name).join(", ")}`;
  const isGiven = isFixed(layer, look);
  byId("colormap-block").hidden = names.length !== 1 || isGiven;
  const isPictured = isGiven || (look.ranges.length === 0 && (look.algorithm !== "" || (look.mode === "layer" && layer.dataType === "uint8")));
  byId("range-block").hidden = isPictured;
  field.tileUrl.value = tileTemplate(layer, query(layer, look));
  const title = look.mode === "layer" && arithmetic !== undefined && look.algorithm === "" ? [layer.title] : names;
  const isUnknown = names.length === 0 && look.mode === "layer";
  if (isGiven || isUnknown) void pictured(byId("legend"), legendAddress(layer));
  else if (names.length === 0 || (look.algorithm !== "" && isPictured)) byId("legend").hidden = true;
  else void legend(byId("legend"), names.length === 1 ? title : names, look.ranges, look.colormap);
  byId("tile-url-note").hidden = !isProtected();
  remember();
}

/** Whether the layer is shown by the key alone, as far as the page knows: files are named by whoever has the key. */
function isProtected(): boolean {
  return isUnlocked() && !everyones.has(layer.name);
}

const remember = settled(200, () => {
  const { lng, lat } = map.getCenter();
  const view: View = { at: [map.getZoom(), lat, lng], opacity, look: changes() };
  const url = layer.source && urlOf(layer.source);
  if (url !== undefined) view.url = url;
  else if (layer.source) view.of = addressOf(layer.source);
  else view.layer = layer.name;
  history.replaceState(null, "", write(view));
});

/** The look without what it starts with anyway. */
function changes(): Partial<Look> {
  const plain = initial(layer, look.mode, layers);
  const changed: Partial<Look> = { mode: look.mode };
  if (look.expression !== plain.expression) changed.expression = look.expression;
  if (look.index !== plain.index) changed.index = look.index;
  if (look.algorithm !== plain.algorithm) changed.algorithm = look.algorithm;
  if (look.ranges.join(";") !== plain.ranges.join(";")) changed.ranges = look.ranges;
  if (look.colormap !== plain.colormap) changed.colormap = look.colormap;
  return changed;
}

/** Takes a change of the look to the map. */
function apply(change: Partial<Look>): void {
  look = { ...look, ...change };
  looks.set(`${layer.name} ${look.mode}`, look);
  describe();
  redraw();
}

/** The address that the map asks now. */
let drawn = "";

const redraw = settled(PAUSE_MS, () => {
  const template = tileTemplate(layer, query(layer, look), suffix);
  if (template === drawn) return;
  drawn = template;
  spent.clear();
  notice("");
  restyle(map, template);
});

function drawRanges(): void {
  const names = outputs(layer, look);
  const shown = look.ranges.length > 0 ? look.ranges : initial(layer, "colour", layers).ranges;
  const labels = shown.length > 1 ? names : [];
  byId("ranges").replaceChildren(...ranges(labels, shown, layer.dataType, (next) => apply({ ranges: next })));
}

function drawColormap(): void {
  const isReversed = look.colormap.endsWith("_r");
  const name = isReversed ? look.colormap.slice(0, -2) : look.colormap;
  const isListed = [...field.colormap.options].some((option) => option.value === name);
  if (!isListed) field.colormap.append(make("option", { value: name }, name || "grey"));
  field.colormap.value = name;
  field.reverse.checked = isReversed;
  field.reverse.disabled = name === "";
}

/** Shows the layer in another way. */
function setMode(mode: Mode, change: Partial<Look> = {}): void {
  look = { ...(looks.get(`${layer.name} ${mode}`) ?? initial(layer, mode, layers)), ...change, mode };
  field.expression.value = look.expression;
  complain(field.expression, byId("expression-error"), "");
  for (const radio of document.querySelectorAll<HTMLInputElement>("#modes input")) radio.checked = radio.value === mode;
  drawRanges();
  drawColormap();
  apply({});
}

function drawModes(): void {
  const segments = modes(layer).map(({ mode, name }) => {
    const radio = make("input", { type: "radio", name: "mode", value: mode });
    radio.addEventListener("change", () => setMode(mode));
    return make("label", {}, radio, make("span", {}, name));
  });
  byId("modes").replaceChildren(...segments);
  const offered = indicesOf(layer, known.indices).map((index) => make("option", { value: index.id }, `${index.id} – ${index.title}`));
  field.index.replaceChildren(make("option", { value: "" }, "Own expression"), ...offered);
  field.index.hidden = offered.length === 0;
  const labels = field.index.labels ?? [];
  for (const label of labels) label.hidden = offered.length === 0;
}

/** Offers the algorithms that the shown bands are enough for, and the one that is asked. */
function drawAlgorithms(): void {
  const offered = algorithmsOf(layer, look, known.algorithms);
  const others = known.algorithms.filter((each) => each.id === look.algorithm && !offered.includes(each));
  const options = [...offered, ...others].map(({ id, title }) => make("option", { value: id, title }, id));
  field.algorithm.replaceChildren(make("option", { value: "" }, "none"), ...options);
  field.algorithm.value = look.algorithm;
  byId("algorithm-block").hidden = options.length === 0;
}

/** Shows a spectral index, or the expression again. */
function setIndex(id: string): void {
  const index = known.indices.find((each) => each.id === id);
  const plain = initial(layer, "expression", layers);
  setMode("expression", index
    ? { index: id, algorithm: "", ranges: [index.range], colormap: index.colormap_name.toLowerCase() }
    : { index: "", algorithm: "", ranges: plain.ranges, colormap: plain.colormap });
}

/** Makes something of the bands, or nothing again. */
function setAlgorithm(algorithm: string): void {
  const plain = initial(layer, look.mode, layers);
  const ranges = algorithm === "" ? plain.ranges : rangesAfter(algorithm, plain.ranges);
  setMode(look.mode, { algorithm, ranges, colormap: algorithm === "" ? plain.colormap : "" });
}

/** Puts a layer on the map, in the mode it was last in or its own. */
async function setLayer(next: Layer, from: Partial<Look> = {}, stay = false): Promise<void> {
  layer = next;
  await loaded;
  drawLayers();
  drawModes();
  const offered = modes(layer).map(({ mode }) => mode);
  const mode = from.mode && offered.includes(from.mode) ? from.mode : usual(layer);
  look = { ...initial(layer, mode, layers), ...from, mode };
  spent.clear();
  drawn = tileTemplate(layer, query(layer, look), suffix);
  show(map, layer, drawn, opacity);
  if (!stay && (layer.source !== undefined || !isInView(map, layer.bounds))) frame(layer.bounds);
  setMode(mode, look);
  if (!isPicture(layer) && !from.ranges) void fitRange();
  drawPresence();
}

/** Shows the controls of a layer where there is one, and else what to do. */
function drawPresence(): void {
  const isThere = layer !== undefined;
  const parts = ["modes", "formula", "algorithm-block", "range-block", "colormap-block", "opacity-block", "address-block", "cost", "hint"];
  if (!isThere) for (const id of parts) byId(id).hidden = true;
  else for (const id of ["modes", "opacity-block", "address-block", "cost", "hint"]) byId(id).hidden = false;
  byId("empty").hidden = isThere;
}

function frame(bounds: Layer["bounds"]): void {
  const padding = phone.matches
    ? { top: 40, bottom: 170, left: 12, right: 12 }
    : { top: 40, bottom: 40, left: 390, right: 60 };
  map.fitBounds(bounds, { padding, animate: false });
}

function drawLayers(): void {
  const opened = layer === undefined || layer.source === undefined || layers.includes(layer) ? [] : [layer];
  const cards = [...layers, ...opened].map((each) => {
    const radio = make("input", { type: "radio", name: "layer", value: each.name });
    radio.checked = each === layer;
    radio.addEventListener("change", () => void setLayer(each));
    return make("label", { class: "layer" }, radio, thumbnail(each), make("span", {}, each.title));
  });
  byId("layers").replaceChildren(...cards);
}

/** A small picture of a layer: the tile at its middle, twice as deep as one that would hold it all. */
function thumbnail(of: Layer): Node {
  const [west, south, east, north] = of.bounds;
  const tile = tileAt([(west + east) / 2, (south + north) / 2], Math.min(zoomOf(east - west) + 1, of.maxzoom));
  const src = fill(tileTemplate(of, query(of, initial(of, usual(of), layers))), tile);
  const image = make("img", { alt: "", width: "40", height: "40" });
  image.addEventListener("error", () => image.classList.add("missing"));
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  const paint = async () => {
    const response = await ask(src);
    if (!response.ok || response.status === 204) return image.classList.add("missing");
    image.src = URL.createObjectURL(await response.blob());
  };
  paint().catch(() => image.classList.add("missing"));
  return image;
}

/** Asks the server whether it can draw an expression before the map is given it. */
async function tryExpression(): Promise<void> {
  const text = field.expression.value.trim();
  const place = byId("expression-error");
  if (text === "") return complain(field.expression, place, "write arithmetic over the bands, such as b1/b2");
  const raised = { ...look, mode: "expression" as const, expression: text };
  const asked = layer;
  try {
    const response = await ask(fill(tileTemplate(layer, query(layer, raised), suffix), tileInView()));
    if (field.expression.value.trim() !== text || layer !== asked) return;
    if (!response.ok) throw await refusalOf(response);
    complain(field.expression, place, "");
    if (look.mode === "expression" && text !== look.expression) setExpression(text);
  } catch (error) {
    complain(field.expression, place, error instanceof Refusal ? error.message : "the server did not answer");
  }
}

/** Shows an expression. Ranges were made for as many bands as there were, and an algorithm may want more than there are. */
function setExpression(expression: string): void {
  const before = outputs(layer, look).length;
  const next = { ...look, expression };
  const isFit = algorithmsOf(layer, next, known.algorithms).some(({ id }) => id === look.algorithm);
  const algorithm = isFit ? look.algorithm : "";
  if (outputs(layer, { ...next, algorithm }).length === before) return apply({ expression, algorithm });
  apply({ expression, algorithm, ranges: look.ranges.slice(0, 1) });
  drawRanges();
  void fitRange();
}

/** Sets the ranges to what most of the values in view lie between. */
async function fitRange(): Promise<void> {
  const [asked, shown] = [layer, look.mode];
  try {
    const response = await ask(fill(tileTemplate(layer, bandPairs(layer, look), ".npy"), tileInView()));
    if (!response.ok) throw await refusalOf(response);
    const bands = response.status === 204 ? [] : bandsOf(await response.arrayBuffer()).slice(0, 3);
    if (layer !== asked || look.mode !== shown) return;
    const found = bands.map(spread).filter((range) => range !== undefined);
    if (found.length === 0) return notice("There are no values in the middle of the view.");
    const [lows, highs] = [found.map(([low]) => low), found.map(([, high]) => high)];
    const isEach = look.ranges.length > 1 && found.length === look.ranges.length;
    apply({ ranges: isEach ? found : [[Math.min(...lows), Math.max(...highs)]] });
    drawRanges();
  } catch (error) {
    notice(error instanceof Refusal ? error.message : "The server did not answer.");
  }
}

function notice(message: string): void {
  const place = byId("notice");
  place.textContent = message;
  place.hidden = message === "";
}

async function copy(text: string, button: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without HTTPS there is no clipboard for scripts: the text is selected for the keys.
    field.tileUrl.select();
    return;
  }
  const before = button.textContent;
  byId("copied").textContent = "Copied";
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = before;
    byId("copied").textContent = "";
  }, 1500);
}

async function openFile(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const url = field.openUrl.value.trim();
  const place = byId("open-error");
  if (url === "") return complain(field.openUrl, place, "write the address of a GeoTIFF, a STAC item or a mosaic");
  try {
    await setLayer(await openAt(url));
    complain(field.openUrl, place, "");
  } catch (error) {
    complain(field.openUrl, place, error instanceof Refusal ? error.message : "the server did not answer");
  }
}

/** Takes a key and looks at what it shows. */
async function unlockLayers(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  const place = byId("unlock-error");
  unlock(field.key.value.trim());
  try {
    const answer = await config();
    if (answer.wantsKey) return complain(field.key, place, "this key opens nothing more");
    complain(field.key, place, "");
    field.key.value = "";
    notice("");
    drawLock(false);
    layers = answer.layers;
    if (layer !== undefined) return drawLayers();
    const first = layers.find((each) => each.name === given.layer) ?? layers[0];
    if (!first) return drawEmpty();
    if (!given.at) frame(first.bounds);
    await setLayer(first, given.look, given.at !== undefined);
  } catch (error) {
    complain(field.key, place, error instanceof Refusal ? error.message : "the server did not answer");
  }
}

function drawLock(wantsKey: boolean): void {
  isLocked = wantsKey;
  for (const id of ["unlock", "unlock-hint"]) byId(id).hidden = !isLocked;
}

/** What to do where no layer is shown. */
function drawEmpty(): void {
  const chosen = "Choose a layer below, or open a GeoTIFF by its address.";
  if (layers.length > 0) byId("empty-text").textContent = chosen;
  else byId("empty-text").textContent = isLocked
    ? "The layers of this server need a key: give it below. Or open a GeoTIFF by its address."
    : "No layer is configured here. Open a GeoTIFF by its address below, or start the server with a layers file (--layers).";
  byId("panel").dataset.open = "true";
  drawPresence();
}

function drawOpacity(): void {
  field.opacity.value = `${Math.round(opacity * 100)}`;
  byId("opacity-value").textContent = `${Math.round(opacity * 100)} %`;
}

function wire(): void {
  wirePanel();
  field.expression.addEventListener("input", settled(TYPING_MS, () => void tryExpression()));
  field.expression.addEventListener("keydown", (event) => {
    if (event.key === "Enter") void tryExpression();
  });
  const recolour = () => {
    const name = field.colormap.value;
    field.reverse.disabled = name === "";
    apply({ colormap: name && field.reverse.checked ? `${name}_r` : name });
  };
  field.index.addEventListener("change", () => setIndex(field.index.value));
  field.algorithm.addEventListener("change", () => setAlgorithm(field.algorithm.value));
  field.colormap.addEventListener("change", recolour);
  field.reverse.addEventListener("change", recolour);
  field.opacity.addEventListener("input", () => {
    opacity = Number(field.opacity.value) / 100;
    drawOpacity();
    if (map.getLayer("tiles")) map.setPaintProperty("tiles", "raster-opacity", opacity);
    if (layer !== undefined) remember();
  });
  byId("fit").addEventListener("click", () => void fitRange());
  byId("copy-tiles").addEventListener("click", () => void copy(field.tileUrl.value, byId("copy-tiles")));
  byId("copy-view").addEventListener("click", () => void copy(location.href, byId("copy-view")));
  byId<HTMLFormElement>("open").addEventListener("submit", (event) => void openFile(event));
  byId<HTMLFormElement>("unlock").addEventListener("submit", (event) => void unlockLayers(event));
  spent.onChange(settled(60, () => bill(byId("cost-rows"), byId("cost-total"))));
}

function wireMap(): void {
  const canvas = map.getCanvas();
  canvas.setAttribute("aria-label", "Map. Arrow keys pan, plus and minus zoom, Enter reads the values in the middle.");
  map.on("click", (event) => {
    if (layer !== undefined) void readout(map, event.lngLat, layer, look);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") closeReadout();
  });
  canvas.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && layer !== undefined) void readout(map, map.getCenter(), layer, look);
  });
  map.on("moveend", () => {
    if (layer !== undefined) remember();
  });
  map.on("dataloading", () => (document.body.dataset.map = "loading"));
  map.on("idle", () => (document.body.dataset.map = "idle"));
  map.on("error", ({ error }) => {
    if (error instanceof TypeError) notice("The server does not answer.");
  });
}

async function start(): Promise<void> {
  wire();
  wireMap();
  drawOpacity();
  const [answer, ofBands, made] = await Promise.all([
    config(),
    indices().catch(() => []),
    algorithms().catch(() => []),
    listColormaps(field.colormap).catch(() => undefined),
    loaded,
  ]);
  layers = answer.layers;
  for (const each of layers) everyones.add(each.name);
  known = { indices: ofBands, algorithms: made };
  drawLock(answer.wantsKey);
  byId("version").textContent = answer.version;
  if (given.at) {
    const [zoom, lat, lng] = given.at;
    map.jumpTo({ zoom, center: { lng, lat } });
  }
  try {
    await showGiven();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // What the address names is not there, and so no control of it is.
    notice(error.message);
    if (given.url !== undefined) complain(field.openUrl, byId("open-error"), error.message);
    drawLayers();
    drawEmpty();
  }
}

/** Shows what the page's address names, or else the first layer. */
async function showGiven(): Promise<void> {
  // A layer's own page shows it as it stands in the list.
  const named = layers.find((each) => `tiles/${encodeURIComponent(each.name)}` === given.of);
  const configured = named ?? layers.find((each) => each.name === given.layer) ?? layers[0];
  if (given.url !== undefined) {
    field.openUrl.value = given.url;
    await setLayer(await openAt(given.url), given.look, given.at !== undefined);
  } else if (given.of !== undefined && named === undefined) {
    await setLayer(await open(sourceAt(given.of)), given.look, given.at !== undefined);
  } else if (configured) {
    if (!given.at) frame(configured.bounds);
    await setLayer(configured, given.look, given.at !== undefined);
  } else {
    drawEmpty();
  }
}

start().catch((error: unknown) => {
  notice(error instanceof Refusal ? error.message : `The server does not answer: ${error}`);
});
