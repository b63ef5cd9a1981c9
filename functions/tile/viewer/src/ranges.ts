/** Controls for a range: two thumbs on one rail, and the same two numbers to type. */

import { make, short } from "./dom";
import type { Range } from "./look";

/** Steps of a rail. */
const STEPS = 400;

/** The rail's two ends for a range: what an index can be, or room on both sides. */
function ends([min, max]: Range, dataType: string): Range {
  if (min >= -1 && max <= 1) return [-1, 1];
  if (dataType === "uint8" && min >= 0 && max <= 255) return [0, 255];
  const room = max - min;
  const low = dataType.startsWith("uint") && min >= 0 ? Math.max(0, min - room) : min - room;
  return [low, max + room];
}

/** One row of controls for each range; `changed` gets all ranges after each move. */
export function ranges(labels: string[], given: Range[], dataType: string, changed: (ranges: Range[]) => void): Node[] {
  const current = given.map((range): Range => [...range]);
  return current.map((range, i) => {
    const [low, high] = ends(range, dataType);
    return row(labels[i] ?? "", range, [low, high], (next) => {
      current[i] = next;
      changed(current.map((each): Range => [...each]));
    });
  });
}

function row(label: string, [first, second]: Range, [low, high]: Range, changed: (range: Range) => void): Node {
  let range: Range = [first, second];
  const unit = (high - low) / STEPS;
  const digits = Math.max(0, Math.ceil(-Math.log10(unit)));
  const name = (end: string) => (label ? `${label}: ${end}` : end);
  const slider = (end: string) =>
    make("input", { type: "range", min: `${low}`, max: `${high}`, step: `${unit}`, "aria-label": name(end) });
  const number = (end: string) => make("input", { type: "number", step: "any", "aria-label": name(end) });
  const sliders = [slider("lowest value"), slider("highest value")] as const;
  const numbers = [number("lowest value"), number("highest value")] as const;
  const fill = make("span", { class: "fill", "aria-hidden": "true" });

  const draw = () => {
    for (const i of [0, 1] as const) {
      sliders[i].value = `${range[i]}`;
      if (document.activeElement !== numbers[i]) numbers[i].value = short(range[i]);
    }
    const share = (value: number) => Math.min(1, Math.max(0, (value - low) / (high - low)));
    fill.style.left = `${share(range[0]) * 100}%`;
    fill.style.right = `${(1 - share(range[1])) * 100}%`;
  };
  const set = (next: Range) => {
    if (!next.every(Number.isFinite) || !(next[0] < next[1])) return draw();
    range = next;
    draw();
    changed(range);
  };
  const rounded = (text: string) => Number(Number(text).toFixed(digits));
  // The thumbs cannot pass each other: one unit stays between them.
  sliders[0].addEventListener("input", () => set([Math.min(rounded(sliders[0].value), range[1] - unit), range[1]]));
  sliders[1].addEventListener("input", () => set([range[0], Math.max(rounded(sliders[1].value), range[0] + unit)]));
  numbers[0].addEventListener("change", () => set([numbers[0].valueAsNumber, range[1]]));
  numbers[1].addEventListener("change", () => set([range[0], numbers[1].valueAsNumber]));
  for (const input of numbers) input.addEventListener("blur", draw);
  draw();
  const rail = make("span", { class: "rail", "aria-hidden": "true" });
  const rails = make("div", { class: "rails" }, rail, fill, ...sliders);
  const caption = make("span", { class: "range-label" }, label);
  return make("div", { class: "range" }, ...(label ? [caption] : []), numbers[0], rails, numbers[1]);
}
