// The list of findings.

import { make, plural, prose } from "./dom.js";

/** Returns a finding as an element. `onfollow` is called with the finding and the place to go to. */
function card({ finding, seeds }, onfollow) {
  const { kind, severity, title, help, rule, notes = [], message, here, there } = finding;
  const place = (name, site) => site && make("li", {},
    make("button", { type: "button", class: `place ${name}`, onclick: () => onfollow(finding, name) },
      make("span", { class: "which" }, name === "here" ? "this" : "other"),
      make("span", { class: "line" }, `line ${site.line}`),
      make("code", {}, site.instruction)),
    make("span", { class: "what" }, " ", ...prose(site.what)),
    make("span", { class: "who" }, ` by thread ${index(site.thread)} of block ${index(site.block)}`));
  const which = seeds.length > 0 && seeds[0] !== undefined
    ? make("p", { class: "seeds" }, `Seeds ${seeds.slice(0, 8).join(", ")}${seeds.length > 8 ? ` and ${seeds.length - 8} more` : ""}.`)
    : undefined;
  return make("li", { class: `finding ${severity}` },
    make("h3", {}, make("span", { class: "kind" }, kind), ` ${title ?? ""}`),
    here
      ? make("ul", { class: "places" }, place("here", here), place("there", there))
      : make("pre", {}, message),
    notes.length > 0 && make("ul", { class: "notes" }, notes.map((note) => make("li", {}, ...prose(note)))),
    help && make("p", { class: "help" }, make("strong", {}, "Fix: "), ...prose(help)),
    make("p", { class: "seeds" }, rule ? `Rule: ${rule}.` : ""),
    which);
}

function index([x, y, z]) {
  return y || z ? `(${x}, ${y}, ${z})` : String(x);
}

/** Shows findings in a container. */
export function showFindings(container, list, onfollow) {
  container.replaceChildren(list.length > 0
    ? make("ol", { class: "findings", "aria-label": plural(list.length, "finding") },
      list.map((found) => card(found, onfollow)))
    : make("p", { class: "clean" }, "Nothing to report: no race, no missing fence, and the expected memory."));
}

/** Returns the marks of a finding: its two lines. */
export function marksOf({ here, there }) {
  const marks = [];
  if (there) marks.push([there.line, "there"]);
  if (here) marks.push([here.line, "here"]);
  return marks;
}
