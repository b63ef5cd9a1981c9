// Opens the viewer of a running server in a real browser and looks at what is painted.
//
//   node viewer.mjs http://127.0.0.1:8080 [--pictures FOLDER] [--locked URL --key KEY]
//
// The server must serve the sample scene; the locked one the same, to who has the key. CHROMIUM names the browser, /usr/bin/chromium unless set. Ends with 1 and the
// sentence that does not hold, or with 0.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { FLAGS, check, colours, isBare, isGrowing, pixels, share } from "./look.mjs";

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: "string" }, locked: { type: "string" }, key: { type: "string" } },
});
const own = positionals[0]?.replace(/\/$/, "");
if (!own) {
  console.error("usage: node viewer.mjs BASE_URL [--pictures FOLDER]");
  process.exit(2);
}

/** How long the page may take for one step. Pixels are drawn by software here, on a shared machine. */
const PATIENCE_MS = 30_000;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const problems = [];

/** A new page on the viewer, watched: it may ask nobody but the server, and must not throw. */
async function visit(hash, settings, base = own, answers = {}) {
  const context = await browser.newContext(settings);
  // Files that the sample's server does not have. Of several that match the last one answers.
  for (const [path, json] of Object.entries(answers)) {
    await context.route((url) => url.href.startsWith(`${base}/${path}`), (route) => (json ? route.fulfill({ json }) : route.fulfill({ status: 204 })));
  }
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const origin = new URL(base).origin;
  page.on("request", (request) => {
    const url = request.url();
    const isOurs = url.startsWith(`${origin}/`) || url.startsWith("data:") || url.startsWith(`blob:${origin}`);
    if (!isOurs) problems.push(`the page asked ${url}`);
  });
  page.on("pageerror", (error) => problems.push(`the page threw: ${error.message}`));
  page.on("console", (message) => {
    if (/Content Security Policy/i.test(message.text())) problems.push(message.text());
  });
  await page.goto(`${base}/${hash}`);
  await painted(page);
  return page;
}

/** Waits until the map has nothing left to load or draw. */
async function painted(page) {
  await page.waitForSelector("body[data-map=idle]");
  // A control waits a moment before it asks for tiles: idle must last longer than that.
  await page.waitForTimeout(500);
  await page.waitForSelector("body[data-map=idle]");
}

/** The share of pixels that differ between two pictures. */
const change = (a, b) => share(a, (pixel, i) => pixel.some((value, band) => Math.abs(value - b[i][band]) > 12));

async function picture(page, name) {
  if (!options.pictures) return;
  await mkdir(options.pictures, { recursive: true });
  await writeFile(join(options.pictures, `${name}.png`), await page.screenshot());
}

/** A part of the map that no control covers, on a page of 1280 x 800, well inside the sample scene. */
const MIDDLE = { x: 620, y: 200, width: 360, height: 360 };

async function desk() {
  const page = await visit("", { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
  let before = await pixels(page, MIDDLE);

  await check("the sample is painted in many colours", async () => {
    assert.ok(colours(before) > 60, `only ${colours(before)} colours in the middle of the map`);
    await picture(page, "desk-colour");
  });

  await check("the ground around the sample stays quiet", async () => {
    const corner = await pixels(page, { x: 1232, y: 200, width: 40, height: 200 });
    assert.ok(colours(corner) < 8, `${colours(corner)} colours beside the sample`);
  });

  await check("the cost of tiles is listed", async () => {
    const row = page.locator("#cost-rows tr:not(.cached)", { hasText: /kB|MB/ }).first();
    assert.match(await row.innerText(), /\d+\/\d+\/\d+\s+[\d.]+ ms\s+\d+\s+[\d.]+ (B|kB|MB)/);
  });

  await check("dragging the map moves it", async () => {
    await page.mouse.move(800, 400);
    await page.mouse.down();
    await page.mouse.move(700, 340, { steps: 8 });
    await page.waitForTimeout(200);
    await page.mouse.up();
    await painted(page);
    const after = await pixels(page, MIDDLE);
    assert.ok(change(before, after) > 0.3, "the picture is the same as before");
    before = after;
  });

  await check("NDVI paints the ramp from red to green", async () => {
    await page.getByRole("radiogroup", { name: "Show as" }).getByLabel("NDVI").check();
    await painted(page);
    const after = await pixels(page, MIDDLE);
    assert.ok(change(before, after) > 0.8, "the picture is much the same as before");
    assert.ok(share(after, isGrowing) > 0.25, `${share(after, isGrowing)} of the pixels are green`);
    assert.ok(share(after, isBare) > 0.01, `${share(after, isBare)} of the pixels are red`);
    await picture(page, "desk-ndvi");
    before = after;
  });

  await check("the legend shows the ramp and its ends", async () => {
    const legend = page.locator("#legend");
    assert.match(await legend.innerText(), /NDVI\s+-0\.2\s+0\.35\s+0\.9/);
    const bar = await legend.locator("canvas").boundingBox();
    const ramp = await pixels(page, bar);
    assert.ok(share(ramp, isGrowing) > 0.25 && share(ramp, isBare) > 0.25, "the bar is not red and green");
  });

  await check("a click reads the values of every band", async () => {
    await page.mouse.click(800, 380);
    const table = page.locator(".readout table");
    await table.waitFor();
    const text = await table.innerText();
    for (const name of ["blue", "green", "red", "nir"]) assert.match(text, new RegExp(`${name}\\s+\\d+`));
    const [red, nir] = ["red", "nir"].map((name) => Number(new RegExp(`${name}\\s+(\\d+)`).exec(text)?.[1]));
    const shown = Number(/NDVI\s+(-?[\d.]+)/.exec(text)?.[1]);
    assert.ok(Math.abs(shown - (nir - red) / (nir + red)) < 0.001, `NDVI ${shown} of red ${red} and nir ${nir}`);
    await picture(page, "desk-values");
    await page.locator(".maplibregl-popup-close-button").click();
  });

  await check("another colormap changes the tiles", async () => {
    await page.locator("#colormap").selectOption("viridis");
    await painted(page);
    const after = await pixels(page, MIDDLE);
    assert.ok(change(before, after) > 0.8, "the picture is much the same as before");
    before = after;
  });

  await check("another range changes the tiles and the tile address", async () => {
    const field = page.locator("#ranges input[type=number]").first();
    await field.fill("0.6");
    await field.press("Enter");
    await painted(page);
    const after = await pixels(page, MIDDLE);
    assert.ok(change(before, after) > 0.2, "the picture is much the same as before");
    assert.match(await page.locator("#tile-url").inputValue(), /rescale=0\.6,0\.9&colormap_name=viridis$/);
    before = after;
  });

  await check("a range can be fitted to what is in view", async () => {
    await page.getByRole("button", { name: "Fit to view" }).click();
    await page.waitForFunction(() => document.querySelector("#ranges input[type=number]").value !== "0.6");
    const fields = page.locator("#ranges input[type=number]");
    const [low, high] = [Number(await fields.first().inputValue()), Number(await fields.last().inputValue())];
    assert.ok(low > -0.9 && low < 0.4 && high > 0.6 && high < 1, `${low} to ${high}`);
    await painted(page);
  });

  await check("an expression is drawn, and a wrong one is refused in the server's words", async () => {
    await page.getByRole("radiogroup", { name: "Show as" }).getByLabel("Expression").check();
    await page.locator("#expression").fill("(green-nir)/(green+nir)");
    await page.locator("#expression").press("Enter");
    await page.waitForFunction(() => location.hash.includes("green-nir"));
    await painted(page);
    before = await pixels(page, MIDDLE);
    await page.locator("#expression").fill("(green-nir)/(green+");
    const error = page.locator("#expression-error");
    await error.waitFor();
    assert.match(await error.innerText(), /expression/);
    await picture(page, "desk-refused");
    assert.ok(change(before, await pixels(page, MIDDLE)) < 0.02, "the picture changed with a refused expression");
    await page.locator("#expression").fill("(green-nir)/(green+nir)");
    await error.waitFor({ state: "hidden" });
  });

  await check("an index is drawn by its name, in its range and colours", async () => {
    await page.getByLabel("Index").selectOption("NDWI");
    await painted(page);
    assert.match(await page.locator("#tile-url").inputValue(), /\?index=NDWI&rescale=-?[\d.]+,[\d.]+&colormap_name=\w+$/);
    assert.ok(change(before, await pixels(page, MIDDLE)) > 0.3, "the picture is much the same as before");
    assert.match(await page.locator("#legend").innerText(), /NDWI/);
    assert.ok(await page.locator("#expression").isHidden(), "an expression can be written beside an index");
    await picture(page, "desk-index");
    await page.mouse.click(800, 380);
    await page.locator(".readout table", { hasText: /NDWI\s*-?[\d.]+/ }).waitFor();
    await page.locator(".maplibregl-popup-close-button").click();
    await page.getByLabel("Index").selectOption("");
    await page.locator("#expression").fill("(green-nir)/(green+nir)");
    await page.locator("#expression").press("Enter");
    await page.waitForFunction(() => location.hash.includes("green-nir"));
    await painted(page);
    before = await pixels(page, MIDDLE);
  });

  await check("an algorithm is drawn over the bands, and goes again", async () => {
    await page.getByLabel("Algorithm").selectOption("hillshade");
    await painted(page);
    assert.match(await page.locator("#tile-url").inputValue(), /algorithm=hillshade/);
    const shaded = await pixels(page, MIDDLE);
    assert.ok(share(shaded, ([red, green, blue]) => Math.abs(red - green) + Math.abs(green - blue) < 6) > 0.9, "shades are grey");
    await picture(page, "desk-algorithm");
    await page.getByLabel("Algorithm").selectOption("");
    await page.waitForFunction(() => !location.hash.includes("algorithm"));
    await painted(page);
    before = await pixels(page, MIDDLE);
  });

  await check("the address behind # brings the view back", async () => {
    const hash = await page.evaluate(() => location.hash);
    const again = await visit(hash, { viewport: { width: 1280, height: 800 }, colorScheme: "light" });
    const after = await pixels(again, MIDDLE);
    assert.ok(change(before, after) < 0.05, "the view is another one");
    await again.context().close();
  });

  await check("a file is opened by its address, and one that may not be read is refused", async () => {
    await page.locator("#open-url").fill("sample.tif");
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByLabel("sample.tif").waitFor();
    await painted(page);
    assert.ok(colours(await pixels(page, MIDDLE)) > 60, "it is not painted");
    assert.match(await page.locator("#tile-url").inputValue(), /\/cog\/tiles\/WebMercatorQuad\/.*\?url=sample\.tif&bidx=3/);
    await page.locator("#open-url").fill("../secret.tif");
    await page.getByRole("button", { name: "Open" }).click();
    const error = page.locator("#open-error");
    await error.waitFor();
    assert.doesNotMatch(await error.innerText(), /answered/, "the refusal has no words of the server's");
  });

  await check("the keyboard reads values in the middle of the map", async () => {
    await page.locator("canvas.maplibregl-canvas").focus();
    await page.keyboard.press("Enter");
    await page.locator(".readout table, .readout p:nth-child(2)").waitFor();
  });
  await page.context().close();
}

/** What an address names, and what can be made of it. */
async function addresses() {
  const settings = { viewport: { width: 1280, height: 800 }, colorScheme: "light" };
  await check("where the address names no file the page says so, and shows no control of one", async () => {
    const page = await visit("#url=nosuch.tif", settings);
    await page.getByText("Nothing to show yet").waitFor();
    assert.match(await page.locator("#open-error").innerText(), /no file/);
    assert.equal(await page.locator("#open-url").getAttribute("aria-invalid"), "true");
    for (const id of ["algorithm-block", "range-block", "fit", "tile-url", "copy-view"]) assert.ok(await page.locator(`#${id}`).isHidden(), id);
    await picture(page, "no-file");
    await page.locator("#layers .layer").first().click();
    await page.locator("#tile-url").waitFor();
    await page.context().close();
  });

  await check("tiles that are all refused leave the map at rest, and the reason is shown", async () => {
    const page = await visit("#url=sample.tif&show=expression&expression=b1&algorithm=normalizedIndex", settings);
    await page.locator("#notice", { hasText: /needs 2 bands/ }).waitFor();
    const offered = async () => (await page.locator("#algorithm option").allInnerTexts()).includes("normalizedIndex");
    await page.getByLabel("Algorithm").selectOption("");
    await page.waitForFunction(() => !location.hash.includes("algorithm"));
    assert.ok(!(await offered()), "it is offered over one band");
    await page.locator("#expression").fill("b1;b2");
    await page.locator("#expression-error", { hasText: /expression does not fit: 2 bands make no picture: choose 1 or 3/ }).waitFor();
    await page.locator("#expression").fill("red;green;blue");
    await page.waitForFunction(() => location.hash.includes("red%3Bgreen%3Bblue"));
    await painted(page);
    assert.ok(await offered(), "it is not offered over three bands");
    assert.equal(await page.locator("#expression").getAttribute("aria-invalid"), "false");
    assert.ok(colours(await pixels(page, MIDDLE)) > 60, "its range is that of one band");
    await picture(page, "three-bands");
    await page.mouse.click(800, 380);
    await page.locator(".readout table").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".readout").waitFor({ state: "detached" });
    assert.ok(await page.locator("#tile-url-note").isHidden(), "a key is spoken of where none is needed");
    await page.context().close();
  });

  const told = (bounds) => ({ bounds, minzoom: 8, maxzoom: 11, band_descriptions: [["b1", "b1"]], data_type: "uint8" });
  await check("a file across the antimeridian is shown where it is", async () => {
    const page = await visit("#url=across.tif", settings, own, {
      "cog/WebMercatorQuad/tilejson.json?url=across.tif": told([-180, 17, 180, 18]),
      "cog/info.geojson?url=across.tif": { type: "Feature", bbox: [179.5, 17, -179.5, 18], geometry: null, properties: {} },
      "cog/tiles/": undefined,
    });
    await page.waitForFunction(() => location.hash.includes("at="));
    const [zoom, lat, lon] = new URLSearchParams((await page.evaluate(() => location.hash)).slice(1)).get("at").split("/").map(Number);
    assert.ok(zoom > 8 && Math.abs(lat - 17.5) < 1 && Math.abs(Math.abs(lon) - 180) < 1, `${zoom}/${lat}/${lon}`);
    await page.context().close();
  });

  await check("items, mosaics and pages of this server are opened by their addresses", async () => {
    const page = await visit("", settings, own, {
      "stac/": undefined,
      "stac/assets?url=item.json": ["thumbnail", "visual"],
      "stac/WebMercatorQuad/tilejson.json?url=item.json&assets=visual": told([11, 48, 12, 49]),
    });
    const open = async (address) => {
      await page.locator("#open-url").fill(address);
      await page.getByRole("button", { name: "Open" }).click();
    };
    await open("item.json");
    await page.waitForFunction(() => location.hash.includes("of=stac%3Furl%3Ditem.json%26assets%3Dvisual"));
    await open(`${own}/cog/WebMercatorQuad/map.html?url=sample.tif&bidx=4`);
    await page.waitForFunction(() => location.hash.includes("of=cog%3Furl%3Dsample.tif%26bidx%3D4"));
    await open("mosaic.json");
    await page.locator("#open-error", { hasText: /stac\?url=…&assets=…, a mosaic by mosaicjson\?url=…/ }).waitFor();
    await page.context().close();
  });
}

/** Pages that TiTiler has for what is no layer: they lead here. */
async function elsewhere() {
  const settings = { viewport: { width: 1280, height: 800 }, colorScheme: "light" };
  await check("map.html of a file shows it in the style that its address says", async () => {
    const query = "url=sample.tif&expression=(nir-red)/(nir%2Bred)&rescale=-0.2,0.9&colormap_name=rdylgn";
    const page = await visit(`cog/WebMercatorQuad/map.html?${query}`, settings);
    const shown = await pixels(page, MIDDLE);
    assert.ok(share(shown, isGrowing) > 0.25 && share(shown, isBare) > 0.01, "it is no NDVI");
    assert.match(await page.locator("#legend").innerText(), /-0\.2\s+0\.35\s+0\.9/);
    const address = await page.locator("#tile-url").inputValue();
    assert.ok(address.includes("/cog/tiles/WebMercatorQuad/{z}/{x}/{y}.png?url=sample.tif&expression="), address);
    await page.locator("#colormap").selectOption("viridis");
    await painted(page);
    assert.ok(change(shown, await pixels(page, MIDDLE)) > 0.8, "its colours cannot be changed");
    assert.equal((await page.locator("#tile-url").inputValue()).match(/colormap_name=/g).length, 1);
    await picture(page, "elsewhere");
    const again = await visit(await page.evaluate(() => location.hash), settings);
    const [there, here] = await Promise.all([again, page].map((each) => each.locator("#tile-url").inputValue()));
    assert.equal(there, here, "the address behind # is of another picture");
    await again.context().close();
    await page.context().close();
  });

  await check("map.html of an index and of a layer show them, with a legend", async () => {
    const index = await visit("index/NDWI/map.html", settings);
    assert.ok(colours(await pixels(index, MIDDLE)) > 40, "the index is not painted");
    const legend = await index.locator("#legend img").boundingBox();
    const card = await index.locator("#legend").boundingBox();
    assert.ok(legend.width > 100 && legend.x + legend.width <= card.x + card.width, "the legend is wider than its card");
    await picture(index, "elsewhere-index");
    await index.context().close();
    const layer = await visit("tiles/ndvi/map.html", settings);
    assert.ok(await layer.locator("#layers input[value=ndvi]").isChecked());
    await layer.context().close();
  });

  await check("an address that cannot be shown is refused in words", async () => {
    const page = await visit("#of=healthz", settings);
    assert.match(await page.locator("#notice").innerText(), /nothing that can be shown/);
    await page.context().close();
  });
}

async function phone() {
  const page = await visit("", {
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    hasTouch: true,
    isMobile: true,
    colorScheme: "dark",
  });

  await check("on a phone the sample is painted above the sheet", async () => {
    const middle = await pixels(page, { x: 100, y: 260, width: 180, height: 180 });
    assert.ok(colours(middle) > 60, `only ${colours(middle)} colours in the middle of the map`);
    const sheet = await page.locator("#panel").boundingBox();
    assert.ok(sheet.y > 844 * 0.7, `the closed sheet begins at ${sheet.y}`);
    await picture(page, "phone");
  });

  await check("on a phone the sheet opens, and nothing is wider than the screen", async () => {
    await page.locator("#toggle").tap();
    await page.locator("#opacity").waitFor();
    const sheet = await page.locator("#panel").boundingBox();
    assert.ok(sheet.y > 150 && sheet.y < 844 * 0.6, `the open sheet begins at ${sheet.y}`);
    const width = await page.evaluate(() => {
      const parts = [...document.querySelectorAll("#panel *")];
      return Math.max(...parts.map((part) => part.getBoundingClientRect().right));
    });
    assert.ok(width <= 390, `something ends at ${width}`);
    await picture(page, "phone-open");
  });
  await page.context().close();
}

async function locked() {
  const page = await visit("", { viewport: { width: 1280, height: 800 }, colorScheme: "light" }, options.locked);

  await check("where a key is needed the page says so, and shows nothing that needs a layer", async () => {
    await page.getByText("Nothing to show yet").waitFor();
    assert.match(await page.locator("#empty-text").innerText(), /need a key/);
    assert.ok(await page.locator("#notice").isHidden(), "an error is shown");
    assert.ok(await page.locator("#tile-url").isHidden() && (await page.locator("#opacity").isHidden()));
    await page.mouse.click(800, 380);
    await picture(page, "locked");
  });

  await check("a wrong key is refused, and the right one shows the layers until the page is closed", async () => {
    await page.locator("#key").fill("no-key-of-this-server");
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.locator("#unlock-error").waitFor();
    await page.locator("#key").fill(options.key);
    await page.getByRole("button", { name: "Unlock" }).click();
    await page.locator("#layers .layer").first().waitFor();
    await painted(page);
    assert.ok(colours(await pixels(page, MIDDLE)) > 60, "the layer is not painted");
    await page.waitForFunction(() => [...document.querySelectorAll("#layers img")].every((image) => image.naturalWidth > 0));
    assert.ok((await page.locator("#key").isHidden()) && (await page.locator("#empty").isHidden()));
    assert.match(await page.locator("#tile-url-note").innerText(), /a key or a signature/);
    const kept = await page.evaluate(() => location.href + JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie);
    assert.ok(!kept.includes(options.key), "the key is written somewhere");
    await picture(page, "unlocked");
    await page.reload();
    await page.getByText("Nothing to show yet").waitFor();
  });
  await page.context().close();
}

try {
  await desk();
  await addresses();
  await elsewhere();
  await phone();
  if (options.locked) await locked();
  await check("no request left the server, and nothing was thrown", () => assert.deepEqual(problems, []));
} catch (error) {
  console.error(`FAIL ${error.message}`);
  for (const problem of problems) console.error(`     ${problem}`);
  process.exitCode = 1;
} finally {
  await browser.close();
}
