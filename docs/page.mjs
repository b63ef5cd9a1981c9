// Takes a picture of the map of a running server, showing NDVI.
//
//   node page.mjs http://127.0.0.1:8080 map.jpg
//
// CHROMIUM names the browser, /usr/bin/chromium unless set. The browser's driver is that of tests/browser.

import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { basename } from "node:path";

const { chromium } = createRequire(new URL("../tests/browser/package.json", import.meta.url))("playwright-core");

const [base, path] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // WebGL without a graphics card.
  args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
try {
  const page = await browser.newPage({ viewport: { width: 1180, height: 720 }, colorScheme: "light" });
  await page.goto(`${base}/#layer=ndvi&at=12.4/48.1205/11.53`);
  await page.waitForSelector("body[data-map=idle]", { timeout: 60_000 });
  await page.waitForTimeout(500);
  await page.waitForSelector("body[data-map=idle]", { timeout: 60_000 });
  // The server's port is another one each time; that of `make run` is what readers know.
  await page.evaluate((port) => {
    const address = document.querySelector("#tile-url");
    address.value = address.value.replace(port, ":8080/");
  }, `:${new URL(base).port}/`);
  await page.screenshot({ path, type: "jpeg", quality: 82 });
  console.log(`${basename(path)}: ${statSync(path).size} bytes`);
} finally {
  await browser.close();
}
