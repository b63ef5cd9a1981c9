// Opens the pages of examples/ in a real browser, with the map libraries from node_modules in place of their CDN, and looks
// at what is painted.
//
//   node examples.mjs http://127.0.0.1:8080 [--pictures FOLDER]
//
// The server must serve the sample scene. The pages come from an origin of their own, as a site that embeds maps has one.
// CHROMIUM names the browser, /usr/bin/chromium unless set.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { PNG } from "pngjs";
import { FLAGS, check, colours, isGrowing, pixels, share } from "./look.mjs";

const { positionals, values: options } = parseArgs({ allowPositionals: true, options: { pictures: { type: "string" } } });
const server = positionals[0]?.replace(/\/$/, "");
if (!server) {
  console.error("usage: node examples.mjs BASE_URL [--pictures FOLDER]");
  process.exit(2);
}

const MIDDLE = { x: 200, y: 150, width: 400, height: 300 };
const KINDS = { css: "text/css", js: "text/javascript" };
const installed = createRequire(import.meta.url);

const site = createServer(async (request, response) => {
  const { pathname } = new URL(request.url, "http://localhost");
  const body = await readFile(new URL(`../../examples${pathname}`, import.meta.url)).catch(() => undefined);
  response.writeHead(body ? 200 : 404, { "content-type": "text/html" }).end(body);
});
await new Promise((resolve) => site.listen(0, "127.0.0.1", resolve));
const SITE = `http://127.0.0.1:${site.address().port}`;

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });
const problems = [];

/** A file of the library that a page names, if that is the version that is installed. */
async function answer(route) {
  const url = new URL(route.request().url());
  const [, name, version, path] = /^\/([a-z-]+)@([\d.]+)\/(.+)$/.exec(url.pathname) ?? [];
  if (url.origin === "https://unpkg.com" && name && installed(`${name}/package.json`).version === version) {
    const body = await readFile(new URL(`node_modules/${name}/${path}`, import.meta.url));
    return route.fulfill({ body, contentType: KINDS[path.split(".").pop()], headers: { "access-control-allow-origin": "*" } });
  }
  problems.push(`a page asked ${url}`);
  return route.abort();
}

/** A page, and the server's answers to it. */
async function open(name) {
  const page = await browser.newPage({ viewport: { width: 800, height: 600 } });
  page.setDefaultTimeout(60_000);
  const answers = [];
  page.on("pageerror", (error) => problems.push(`${name} threw: ${error.message}`));
  page.on("console", (message) => message.type() === "error" && problems.push(`${name}: ${message.text()}`));
  page.on("response", (response) => {
    if (response.url().startsWith(server)) answers.push({ path: response.url().slice(server.length), status: response.status() });
  });
  await page.route((url) => url.protocol.startsWith("http") && ![server, SITE].includes(url.origin), answer);
  await page.goto(`${SITE}/${name}?server=${encodeURIComponent(server)}`);
  return { page, answers };
}

async function idle(page) {
  await page.waitForSelector("body[data-map=idle]");
}

async function leave(page, name) {
  if (options.pictures) {
    await mkdir(options.pictures, { recursive: true });
    await writeFile(join(options.pictures, `${name}.png`), await page.screenshot());
  }
  await page.close();
}

const drawn = (answers, pattern) => answers.filter(({ path, status }) => pattern.test(path) && status === 200).length;

async function leaflet() {
  const { page, answers } = await open("leaflet.html");
  await check("Leaflet paints true colours", async () => {
    await page.waitForSelector(".leaflet-tile-loaded");
    await page.waitForLoadState("networkidle");
    const seen = await pixels(page, MIDDLE);
    assert.ok(colours(seen) > 60, `only ${colours(seen)} colours`);
    assert.ok(drawn(answers, /^\/tiles\/truecolour\/\d+\/\d+\/\d+\.png$/) > 3, "few tiles were drawn");
  });
  await check("Leaflet paints NDVI when it is chosen", async () => {
    await page.getByLabel("NDVI").check();
    await page.waitForLoadState("networkidle");
    await page.waitForTimeout(500);
    assert.ok(share(await pixels(page, MIDDLE), isGrowing) > 0.25, "little is green");
    assert.ok(drawn(answers, /^\/ndvi\/\d+\/\d+\/\d+\.png$/) > 3, "few tiles were drawn");
  });
  await leave(page, "leaflet");
}

async function raster() {
  const { page, answers } = await open("maplibre-raster.html");
  await check("MapLibre paints a raster source", async () => {
    await idle(page);
    const seen = await pixels(page, MIDDLE);
    assert.ok(colours(seen) > 40, `only ${colours(seen)} colours`);
    assert.ok(share(seen, isGrowing) > 0.25, "little is green");
    assert.ok(drawn(answers, /^\/ndvi\/\d+\/\d+\/\d+@2x\.png/) > 0, "no tile was drawn");
  });
  await leave(page, "maplibre-raster");
}

async function terrain() {
  const { page, answers } = await open("maplibre-terrain.html");
  await check("MapLibre bends the ground by a raster-dem source, and shades it", async () => {
    await idle(page);
    const seen = await pixels(page, MIDDLE);
    assert.ok(colours(seen) > 60, `only ${colours(seen)} colours`);
    assert.ok(drawn(answers, /algorithm=terrainrgb/) > 1, "no heights were drawn");
  });
  await check("MapLibre reads the heights that the server has there", async () => {
    const { height, place } = await page.evaluate(() => ({ ...document.body.dataset }));
    const point = await (await fetch(`${server}/cog/point/${place}?url=sample.tif&expression=b4/50`)).json();
    // Of a coarser zoom than the point's.
    assert.ok(Math.abs(Number(height) - point.values[0]) < 10, `${height} where the server has ${point.values[0]}`);
  });
  await leave(page, "maplibre-terrain");
}

/** What QGIS 3.22 sends for a layer of tiles. */
const QGIS = { accept: "*/*", "user-agent": "Mozilla/5.0 QGIS/32216", "accept-language": "en,*" };

async function qgis() {
  const layers = await readFile(new URL("../../examples/qgis.qlr", import.meta.url), "utf8");
  const addresses = [...layers.matchAll(/type=xyz[^<]*url=([^<&]+)/g)].map(([, url]) => decodeURIComponent(url));
  await check("QGIS gets tiles of 512 pixels of every layer of its file, and nothing beside the scene", async () => {
    assert.equal(addresses.length, 2);
    for (const address of addresses) {
      const ask = (x) => {
        const place = { z: 12, x, y: 1421 };
        const path = address.replace("http://127.0.0.1:8080", "").replace(/\{([zxy])\}/g, (_, name) => place[name]);
        return fetch(server + path, { headers: QGIS });
      };
      const answer = await ask(2179);
      assert.equal(answer.headers.get("content-type"), "image/png");
      const { width, height, data } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
      assert.deepEqual([width, height], [512, 512]);
      const seen = Array.from({ length: data.length / 4 }, (_, i) => [data[4 * i], data[4 * i + 1], data[4 * i + 2]]);
      assert.ok(colours(seen) > 20, `only ${colours(seen)} colours in ${address}`);
      assert.equal((await ask(2190)).status, 204);
    }
  });
  await check("QGIS finds the WMTS layer of its file in the capabilities, and a tile of it", async () => {
    const [, wanted, path] = /layers=(\w+)&amp;[^<]*url=http:\/\/127.0.0.1:8080([^<&]+)/.exec(layers);
    const { accept, ...capabilities } = QGIS;
    const text = await (await fetch(server + path, { headers: capabilities })).text();
    const layer = text.split("<Layer>").find((part) => part.includes(`<ows:Identifier>${wanted}</ows:Identifier>`));
    assert.match(layer, /<TileMatrixSet>WebMercatorQuad<\/TileMatrixSet>/);
    const [, template] = /<ResourceURL format="image\/png"[^>]*template="([^"]+)"/.exec(layer);
    const place = { TileMatrixSet: "WebMercatorQuad", TileMatrix: 12, TileCol: 2179, TileRow: 1421 };
    const answer = await fetch(template.replace(/\{(\w+)\}/g, (_, name) => place[name]), { headers: QGIS });
    const { width } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
    assert.equal(width, 256);
  });
}

try {
  for (const example of [leaflet, raster, terrain, qgis]) await example();
  assert.deepEqual(problems, []);
} catch (error) {
  console.error(`FAIL ${error.message}`);
  if (problems.length > 0) console.error(problems.join("\n"));
  process.exitCode = 1;
} finally {
  await browser.close();
  site.close();
}
