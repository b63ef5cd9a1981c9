/** The few words that the page's script has for its elements. */

/** An element of the document that is known to be there. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** Makes an element. `given` are its attributes, `children` elements or text, never markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  given: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** Shows a message under a field and marks the field, or takes both away. */
export function complain(field: HTMLElement, place: HTMLElement, message: string): void {
  place.textContent = message;
  place.hidden = message === "";
  field.setAttribute("aria-invalid", `${message !== ""}`);
}

/** Calls once after a pause in calls. */
export function settled<A extends unknown[]>(pauseMs: number, act: (...given: A) => void): (...given: A) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(act, pauseMs, ...given);
  };
}

/** A number as people write it: about four digits, no exponent where it can be helped. */
export function short(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e7) return `${value}`;
  return `${Number(value.toPrecision(4))}`;
}

/** Bytes in the largest unit that leaves a number above one. */
export function sized(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(bytes < 1e4 ? 1 : 0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
