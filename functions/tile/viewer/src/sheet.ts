/** The panel of controls: a card that folds, and on a phone a sheet that is pulled up and down. */

import { byId } from "./dom";

/** How far a pull must go before it counts, in CSS pixels. */
const PULL_PX = 24;

/** Whether the screen is a phone's, as the style sheet has it. */
export const phone = matchMedia("(max-width: 720px)");

function setPanel(isOpen: boolean): void {
  byId("panel").dataset.open = `${isOpen}`;
  byId("toggle").setAttribute("aria-expanded", `${isOpen}`);
  byId("panel-body").inert = !isOpen;
}

/** Opens and closes the panel by its button, and on a phone by a pull on it. */
export function wirePanel(): void {
  const toggle = byId("toggle");
  let from: number | undefined;
  let isPulled = false;
  toggle.addEventListener("pointerdown", (event) => {
    [from, isPulled] = [event.clientY, false];
    toggle.setPointerCapture(event.pointerId);
  });
  toggle.addEventListener("pointermove", (event) => {
    if (from === undefined || !phone.matches || Math.abs(event.clientY - from) < PULL_PX) return;
    setPanel(event.clientY < from);
    [from, isPulled] = [undefined, true];
  });
  toggle.addEventListener("pointerup", () => (from = undefined));
  toggle.addEventListener("click", () => {
    if (!isPulled) setPanel(byId("panel").dataset.open !== "true");
    isPulled = false;
  });
  setPanel(!phone.matches);
}
