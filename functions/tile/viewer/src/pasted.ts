/** What an address that somebody gives means: a file, a document, or a page or a route of this server. */

import { Refusal, ROOT, type Source, type Layer, assetsOf, fileAt, open, sourceAt } from "./server";
import { read } from "./view";

/** Routes with what they are about, whatever stands behind: tiles, TileJSON, `map.html`. */
const ROUTE = /^\/?((?:cog|stac|mosaicjson|ndvi|(?:tiles|index)\/[^/?#]+))(\/[^?#]*)?(\?.*)?$/s;
const HINT = "A STAC item is shown by stac?url=…&assets=…, a mosaic by mosaicjson?url=…";

/** The source that an address of this server is about; nothing where it is none. */
function sourceIn(text: string): Source | undefined {
  const isOurs = text.startsWith(ROOT.href);
  const [path = "", hash] = (isOurs ? text.slice(ROOT.href.length) : text).split(/#(.*)/s);
  if (isOurs && hash) {
    const { url, of, layer } = read(hash);
    if (url !== undefined) return fileAt(url);
    const address = of ?? (layer === undefined ? undefined : `tiles/${encodeURIComponent(layer)}`);
    if (address !== undefined) return sourceAt(address);
  }
  const [, prefix, behind = "", query = ""] = ROUTE.exec(path) ?? [];
  // A relative address may be that of a file in a folder of such a name.
  const isRoute = isOurs || /[?&](url|red)=/.test(query) || behind.endsWith("map.html");
  return prefix !== undefined && isRoute ? sourceAt(prefix + query) : undefined;
}

/** A STAC item by one of its assets, the picture if it has one; otherwise a mosaic. */
async function documentAt(url: string): Promise<Source> {
  const keys = await assetsOf(url).catch(() => []);
  const key = keys.find((each) => each === "visual") ?? keys[0];
  return key === undefined
    ? { prefix: "mosaicjson", query: [["url", url]] }
    : { prefix: "stac", query: [["url", url], ["assets", key]] };
}

/** Opens what an address means; refused in words that say how else to ask. */
export async function openAt(text: string): Promise<Layer> {
  const source = sourceIn(text);
  if (source) return open(source);
  const isDocument = /\.(geo)?json$/i.test(text.split(/[?#]/)[0] ?? "");
  try {
    return await open(isDocument ? await documentAt(text) : fileAt(text));
  } catch (error) {
    const isOther = error instanceof Refusal && (isDocument || /not a TIFF/.test(error.message));
    throw isOther ? new Refusal(error.status, `${error.message}. ${HINT}`) : error;
  }
}
