/** Which tile lies where, on the web's own grid. */

export interface Tile {
  z: number;
  x: number;
  y: number;
}

/** The tile of a zoom at a place in degrees (OGC 17-083r4, Annex D.1); places off the grid fall on its edge. */
export function tileAt([lon, lat]: [number, number], z: number): Tile {
  const count = 2 ** z;
  const sine = Math.sin((Math.max(-85, Math.min(85, lat)) * Math.PI) / 180);
  const x = Math.floor(((lon + 180) / 360) * count);
  const y = Math.floor((0.5 - Math.atanh(sine) / (2 * Math.PI)) * count);
  return { z, x: Math.max(0, Math.min(count - 1, x)), y: Math.max(0, Math.min(count - 1, y)) };
}

/** The deepest tile that is at least as wide as some degrees. */
export function zoomOf(width: number): number {
  return Math.max(0, Math.floor(Math.log2(360 / Math.max(width, 1e-6))));
}

/** A template's address for one tile. */
export function fill(template: string, { z, x, y }: Tile): string {
  return template.replace("{z}", `${z}`).replace("{x}", `${x}`).replace("{y}", `${y}`);
}
