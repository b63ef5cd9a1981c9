// Opens the page of the API in a real browser, on a desk and on a phone.
//
//   node api.mjs http://127.0.0.1:8080 [--pictures FOLDER] [--locked URL --key KEY]
//
// The server must serve the sample scene; the locked one the same, to who has the key. Ends with 1 and the sentence that does not
// hold, or with 0.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { FLAGS, check } from "./look.mjs";

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: { pictures: { type: "string" }, locked: { type: "string" }, key: { type: "string" } },
});
const own = positionals[0]?.replace(/\/$/, "");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** The page, and what went wrong on it. */
async function visit(base, width) {
  const page = await (await browser.newContext({ viewport: { width, height: 800 } })).newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("response", (answer) => answer.status() >= 400 && problems.push(`${answer.status()} ${answer.url()}`));
  await page.goto(`${base}/api.html`);
  await page.waitForSelector("details");
  return { page, problems };
}

/** Opens a route, by its path. */
async function open(page, path) {
  const details = page.locator("details").filter({ has: page.getByText(path, { exact: true }) });
  await details.locator("summary").click();
  await details.locator("form button").waitFor();
  return details;
}

async function picture(page, name) {
  if (!options.pictures) return;
  await mkdir(options.pictures, { recursive: true });
  await page.screenshot({ path: join(options.pictures, `${name}.png`) });
}

try {
  for (const width of [1200, 360]) {
    const { page, problems } = await visit(own, width);
    const tile = await open(page, "/cog/tiles/{tms}/{z}/{x}/{y}.{format}");
    await check(`at ${width} px every field has a name, and nothing is wider than the page`, async () => {
      const unnamed = await page.$$eval("input, select, textarea", (all) => all.filter((one) => !one.labels?.length).map((one) => one.name));
      assert.deepEqual(unnamed, []);
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    });
    await check(`at ${width} px values are chosen from lists, and a tile is shown`, async () => {
      await tile.getByLabel("tms", { exact: true }).selectOption("WebMercatorQuad");
      await tile.getByLabel("format", { exact: true }).selectOption("webp");
      await tile.getByLabel("resampling", { exact: true }).selectOption("cubic_spline");
      assert.ok((await page.locator("datalist#among-index option").count()) > 10);
      for (const [name, value] of Object.entries({ z: "12", x: "2179", y: "1421", url: "sample.tif", bidx: "3 2 1", rescale: "0,3000" })) {
        await tile.getByLabel(name, { exact: true }).fill(value);
      }
      await tile.getByRole("button").click();
      await tile.locator("output img").waitFor();
      assert.match(await tile.locator("output").innerText(), /200 image\/webp/);
    });
    await tile.scrollIntoViewIfNeeded();
    await picture(page, `api-${width}`);
    assert.deepEqual(problems, []);
  }
  if (options.locked) {
    const { page } = await visit(options.locked, 1200);
    const info = await open(page, "/cog/info");
    await info.getByLabel("url", { exact: true }).fill("sample.tif");
    await check("what is protected opens with a key", async () => {
      await info.getByRole("button").click();
      await info.getByText("401 application/problem+json").waitFor();
      await page.getByLabel("A key").fill(options.key);
      await info.getByRole("button").click();
      await info.getByText("200 application/json").waitFor();
    });
  }
} finally {
  await browser.close();
}
