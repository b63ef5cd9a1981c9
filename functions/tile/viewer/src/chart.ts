/** The map itself: a quiet ground with a graticule, the layer's outline, and the one raster layer above them. */

import maplibregl, { type GeoJSONSource, type RasterTileSource, type StyleSpecification } from "maplibre-gl";
import { graticule } from "./graticule";
import { type Layer, Refusal } from "./server";
import { fetchTile } from "./spent";

/** The scheme under which the map asks for tiles, so that they pass through [`fetchTile`]. */
const SCHEME = "edgetile";

/** How far past a layer's own resolution one may look. */
const DEEPER = 5;

const dark = matchMedia("(prefers-color-scheme: dark)");

function ground(): { land: string; line: string; outline: string } {
  return dark.matches
    ? { land: "#14181d", line: "#8fa3b5", outline: "#5fd0ac" }
    : { land: "#e8ecef", line: "#5c7082", outline: "#0e7c61" };
}

const EMPTY: GeoJSON.FeatureCollection = { type: "FeatureCollection", features: [] };

function style(): StyleSpecification {
  const { land, line, outline } = ground();
  return {
    version: 8,
    sources: { graticule: { type: "geojson", data: EMPTY }, outline: { type: "geojson", data: EMPTY } },
    layers: [
      { id: "ground", type: "background", paint: { "background-color": land } },
      {
        id: "graticule",
        type: "line",
        source: "graticule",
        paint: { "line-color": line, "line-width": 1, "line-opacity": ["case", ["get", "strong"], 0.3, 0.13] },
      },
      {
        id: "outline",
        type: "line",
        source: "outline",
        paint: { "line-color": outline, "line-width": 1.5, "line-opacity": 0.55, "line-dasharray": [3, 2] },
      },
    ],
  };
}

/**
 * A map in `container`, before any layer. What the server refuses is told to `refused` and is an empty tile: MapLibre 5.24
 * draws a tile that failed while it is asked again as if it had a picture, throws, and draws nothing more.
 */
export function chart(container: HTMLElement, refused: (why: Refusal) => void): maplibregl.Map {
  maplibregl.addProtocol(SCHEME, async ({ url }, abort) => {
    try {
      return { data: await fetchTile(url.replace(SCHEME, location.protocol.slice(0, -1)), abort.signal) };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused(error);
      return { data: new ArrayBuffer(0) };
    }
  });
  const map = new maplibregl.Map({
    container,
    style: style(),
    center: [0, 20],
    zoom: 1.2,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    fadeDuration: 120,
  });
  map.touchZoomRotate.disableRotation();
  map.addControl(new maplibregl.NavigationControl({ showCompass: false }), "top-right");
  map.addControl(new maplibregl.ScaleControl(), "bottom-right");
  map.addControl(new maplibregl.AttributionControl({ compact: true }), "bottom-right");
  const draw = () => {
    const bounds = map.getBounds();
    const data = graticule([bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()]);
    map.getSource<GeoJSONSource>("graticule")?.setData(data);
  };
  map.on("moveend", draw);
  map.on("load", draw);
  dark.addEventListener("change", () => {
    const { land, line, outline } = ground();
    map.setPaintProperty("ground", "background-color", land);
    map.setPaintProperty("graticule", "line-color", line);
    map.setPaintProperty("outline", "line-color", outline);
  });
  return map;
}

function asked(template: string): string[] {
  return [template.replace(/^https?/, SCHEME)];
}

/** Puts a layer on the map in place of the last one. */
export function show(map: maplibregl.Map, layer: Layer, template: string, opacity: number): void {
  if (map.getLayer("tiles")) map.removeLayer("tiles");
  if (map.getSource("tiles")) map.removeSource("tiles");
  const { bounds, maxzoom, attribution } = layer;
  // A tile below its lowest zoom still answers; MapLibre would leave the map empty there.
  const tiles = asked(template);
  map.addSource("tiles", { type: "raster", tiles, tileSize: 256, maxzoom, attribution, ...bounded(bounds) });
  const paint = { "raster-opacity": opacity, "raster-resampling": "nearest" } as const;
  map.addLayer({ id: "tiles", type: "raster", source: "tiles", paint });
  map.setMaxZoom(Math.min(maxzoom + DEEPER, 24));
  map.getSource<GeoJSONSource>("outline")?.setData(outlineOf(bounds));
}

/** Asks for the same layer's tiles by another address; the old ones stay until the new are there. */
export function restyle(map: maplibregl.Map, template: string): void {
  map.getSource<RasterTileSource>("tiles")?.setTiles(asked(template));
}

/** Whether any of a layer is in view. */
export function isInView(map: maplibregl.Map, [west, south, east, north]: Layer["bounds"]): boolean {
  const view = map.getBounds();
  return west < view.getEast() && east > view.getWest() && south < view.getNorth() && north > view.getSouth();
}

/** MapLibre cuts a source's bounds at the antimeridian: a layer that crosses it goes without. */
function bounded(bounds: Layer["bounds"]): { bounds?: Layer["bounds"] } {
  return bounds[2] > 180 ? {} : { bounds };
}

function outlineOf([west, south, east, north]: Layer["bounds"]): GeoJSON.Feature {
  const coordinates = [[west, south], [east, south], [east, north], [west, north], [west, south]];
  return { type: "Feature", properties: {}, geometry: { type: "LineString", coordinates } };
}
