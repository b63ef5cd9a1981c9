// Bundles the page into dist/: one script, one style sheet, one document, each with its gzip beside it, which the binary
// embeds. The document names the other two with a digest of their bytes, so that they may be cached for good.

import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

// Nothing may be lowered below ES2022: MapLibre hands the text of its functions to its worker, and a helper that the
// lowering adds outside of them would be missing there.
await build({
  entryPoints: { viewer: "src/main.ts" },
  outdir: "dist",
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  logLevel: "warning",
  banner: { js: "/* Contains MapLibre GL JS, BSD-3-Clause, https://github.com/maplibre/maplibre-gl-js */" },
});

let page = await readFile("src/index.html", "utf8");
for (const name of ["viewer.js", "viewer.css"]) {
  const bytes = await readFile(`dist/${name}`);
  const version = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
  page = page.replace(`viewer/${name}"`, `viewer/${name}?v=${version}"`);
}
await writeFile("dist/index.html", page);

let total = 0;
for (const name of ["index.html", "viewer.js", "viewer.css"]) {
  const packed = gzipSync(await readFile(`dist/${name}`), { level: 9 });
  await writeFile(`dist/${name}.gz`, packed);
  total += packed.length;
}
console.log(`viewer: ${(total / 1000).toFixed(0)} kB gzipped`);
