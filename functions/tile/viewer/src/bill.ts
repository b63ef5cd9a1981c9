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
  const times = all.map(time).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const parts = [
    `${all.length} ${all.length === 1 ? "tile" : "tiles"}`,
    `median ${milliseconds(median)}`,
    `${sum("gets")} GETs`,
    `${sized(sum("bytes"))} read`,
  ];
  total.textContent = parts.join(" · ");
}

/** The server's own time; the page's where the server tells none, or did not answer itself. */
function time(one: Spent): number {
  if (one.steps.length === 0 || one.cached !== "") return one.tookMs;
  return one.steps.reduce((sum, [, ms]) => sum + ms, 0);
}

function milliseconds(ms: number): string {
  return `${ms.toFixed(ms < 10 ? 1 : 0)} ms`;
}

function row(one: Spent): Node {
  const steps = [...one.steps, ["until it was here", one.tookMs] as const];
  const times = steps.map(([name, ms]) => `${name}: ${milliseconds(ms)}`).join("\n");
  const { gets, bytes, level, blocks } = one.cost;
  const detail = level === undefined ? "" : `overview level ${level}, ${blocks ?? 0} blocks`;
  const isCached = one.cached !== "";
  const read = (value: string | undefined) => make("td", { title: detail }, isCached ? "" : (value ?? "–"));
  return make(
    "tr",
    isCached ? { class: "cached" } : {},
    make("th", { scope: "row" }, one.tile),
    make("td", { title: times }, milliseconds(time(one))),
    isCached ? make("td", {}, one.cached) : read(gets?.toString()),
    read(bytes === undefined ? undefined : sized(bytes)),
    make("td", {}, sized(one.sentBytes)),
  );
}
