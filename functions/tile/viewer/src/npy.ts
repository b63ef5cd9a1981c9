/** Reads the tiles that carry data instead of a picture, to fit a range to what is in view. */

const READERS: Record<string, (view: DataView, at: number) => number> = {
  "|u1": (view, at) => view.getUint8(at),
  "|i1": (view, at) => view.getInt8(at),
  "<u2": (view, at) => view.getUint16(at, true),
  "<i2": (view, at) => view.getInt16(at, true),
  "<u4": (view, at) => view.getUint32(at, true),
  "<i4": (view, at) => view.getInt32(at, true),
  "<f4": (view, at) => view.getFloat32(at, true),
  "<f8": (view, at) => view.getFloat64(at, true),
};

/** The valid values of each band of an array `[bands + mask, rows, columns]` in NumPy's format 1 or 2. */
export function bandsOf(bytes: ArrayBuffer): number[][] {
  const view = new DataView(bytes);
  const isFirst = view.getUint8(6) === 1;
  const start = isFirst ? 10 : 12;
  const length = isFirst ? view.getUint16(8, true) : view.getUint32(8, true);
  const header = new TextDecoder("latin1").decode(new Uint8Array(bytes, start, length));
  const type = /'descr':\s*'([^']+)'/.exec(header)?.[1] ?? "";
  const shape = /'shape':\s*\(([^)]*)\)/.exec(header)?.[1] ?? "";
  const [planes = 0, rows = 0, columns = 0] = shape.split(",").map(Number);
  const read = READERS[type];
  if (!read || planes < 2) return [];
  const [size, count] = [Number(type.slice(2)), rows * columns];
  const at = (plane: number, pixel: number) => read(view, start + length + (plane * count + pixel) * size);
  return Array.from({ length: planes - 1 }, (_, plane) => {
    const kept: number[] = [];
    for (let pixel = 0; pixel < count; pixel++) {
      const value = at(plane, pixel);
      if (at(planes - 1, pixel) !== 0 && Number.isFinite(value)) kept.push(value);
    }
    return kept;
  });
}

/** Two values with 96 % of all between them, rounded to a hundredth of their distance; nothing without values. */
export function spread(values: number[]): [number, number] | undefined {
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const pick = (share: number) => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
  const [low, high] = [pick(0.02), pick(0.98)];
  if (!(low < high)) return [low, low + 1];
  const power = Math.floor(Math.log10(high - low)) - 2;
  const round = (value: number) => Number((Math.round(value / 10 ** power) * 10 ** power).toFixed(Math.max(0, -power)));
  return [round(low), round(high)];
}
