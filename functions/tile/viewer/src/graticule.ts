/** A net of meridians and parallels, fine enough for the zoom: the ground under tiles on a page without a base map. */

/** Distances between lines in degrees, coarse to fine. */
const STEPS = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001];

/** The edge of the web's map, in degrees. */
const EDGE_LAT = 85.0511;

/** The lines that cross a view, with `strong` on every fifth. Bounds are west, south, east, north in degrees. */
export function graticule([west, south, east, north]: [number, number, number, number]): GeoJSON.FeatureCollection {
  const step = STEPS.findLast((each) => (east - west) / each < 10) ?? 30;
  const [left, right] = [west - step, east + step];
  const [low, high] = [Math.max(south - step, -EDGE_LAT), Math.min(north + step, EDGE_LAT)];
  const features: GeoJSON.Feature[] = [];
  const add = (index: number, coordinates: [number, number][]) => {
    const strong = index % 5 === 0;
    features.push({ type: "Feature", properties: { strong }, geometry: { type: "LineString", coordinates } });
  };
  for (let i = Math.ceil(left / step); i * step <= right; i++) add(i, [[i * step, low], [i * step, high]]);
  for (let i = Math.ceil(low / step); i * step <= high; i++) add(i, [[left, i * step], [right, i * step]]);
  return { type: "FeatureCollection", features };
}
