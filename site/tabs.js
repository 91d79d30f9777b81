// Tabs by the pattern of the ARIA guide: arrows move, and the tab that has the focus is the one that is shown.

import { make } from "./dom.js";

/** A list of tabs over panels. */
export class Tabs {
  #tabs = new Map();

  constructor(list) {
    this.list = list;
    list.setAttribute("role", "tablist");
    list.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Adds a tab, or renames the one of this id. */
  add(id, label, panel) {
    const known = this.#tabs.get(id);
    if (known) {
      known.tab.textContent = label;
      return;
    }
    const tab = make("button", {
      type: "button",
      role: "tab",
      id: `tab-${id}`,
      "aria-controls": panel.id,
      tabindex: "-1",
      onclick: () => this.show(id),
    }, label);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    this.list.append(tab);
    this.#tabs.set(id, { tab, panel });
    if (this.#tabs.size === 1) this.show(id);
    else panel.hidden = true;
  }

  /** Removes the tabs whose ids are not wanted. */
  keep(wanted) {
    for (const [id, { tab, panel }] of this.#tabs) {
      if (wanted.includes(id)) continue;
      tab.remove();
      panel.remove();
      this.#tabs.delete(id);
    }
    if (!this.#tabs.has(this.current)) this.show(this.#tabs.keys().next().value);
  }

  show(id) {
    this.current = id;
    for (const [other, { tab, panel }] of this.#tabs) {
      const isIt = other === id;
      tab.setAttribute("aria-selected", String(isIt));
      tab.tabIndex = isIt ? 0 : -1;
      panel.hidden = !isIt;
    }
    this.onshow?.(id);
  }

  #move(event) {
    const ids = [...this.#tabs.keys()];
    const at = ids.indexOf(this.current);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: ids.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const id = ids[(to + ids.length) % ids.length];
    this.show(id);
    this.#tabs.get(id).tab.focus();
  }
}
