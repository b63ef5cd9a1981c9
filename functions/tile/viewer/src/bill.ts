/** The table of what the last tiles cost, and their sum. */

import { make, sized } from "./dom";
import { type Spent, list } from "./spent";

/** Rows that are shown. */
const SHOWN = 8;

/** Fills the table's body and the line of sums. */
export function bill(rows: HTMLElement, total: HTMLElement): void {
  const all = list();
  rows.replaceChildren(...all.slice(0, SHOWN).map(row));
  if (all.length === 0) {
    total.textContent = "nothing was asked yet";
    return;
  }
  const read = all.filter((each) => each.cached === "");
  const sum = (name: string) => read.reduce((before, each) => before + (each.cost[name] ?? 0), 0);
  const times = all.map((each) => each.tookMs).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const parts = [
    `${all.length} ${all.length === 1 ? "tile" : "tiles"}`,
    `median ${median.toFixed(0)} ms`,
    `${sum("gets")} GETs`,
    `${sized(sum("bytes"))} read`,
  ];
  total.textContent = parts.join(" · ");
}

function row(one: Spent): Node {
  const steps = one.steps.map(([name, ms]) => `${name} ${ms.toFixed(1)} ms`).join("\n");
  const { gets, bytes, level, blocks } = one.cost;
  const detail = level === undefined ? "" : `overview level ${level}, ${blocks ?? 0} blocks`;
  const isCached = one.cached !== "";
  const read = (value: string | undefined) => make("td", { title: detail }, isCached ? "" : (value ?? "–"));
  return make(
    "tr",
    isCached ? { class: "cached" } : {},
    make("th", { scope: "row" }, one.tile),
    make("td", { title: steps }, `${one.tookMs.toFixed(0)} ms`),
    isCached ? make("td", {}, one.cached) : read(gets?.toString()),
    read(bytes === undefined ? undefined : sized(bytes)),
    make("td", {}, sized(one.sentBytes)),
  );
}
