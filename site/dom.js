// Elements, in short.

/** Returns an element with attributes, listeners (`onclick`) and children. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== undefined && child !== false));
  return element;
}

/** Returns the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Shows a drawing of the checker, with a name for those who do not see it. */
export function showDrawing(container, svg, label) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  parsed.setAttribute("role", "img");
  parsed.setAttribute("aria-label", label);
  const frame = make("div", { class: "drawing", tabindex: "0", role: "region", "aria-label": label });
  frame.append(document.importNode(parsed, true));
  container.replaceChildren(frame);
}

/** Reports something to those who look and to those who listen. */
export function say(text, kind = "") {
  const status = byId("status");
  status.className = `status ${kind}`;
  status.textContent = text;
}

/** Returns a message of the checker with its `code` as elements. */
export function prose(text) {
  return text.split("`").map((part, at) => at % 2 === 1 ? make("code", {}, part) : part);
}

/** Returns a count with its noun. */
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
