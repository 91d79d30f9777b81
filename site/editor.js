// A text with line numbers, in which lines can be marked.

import { make } from "./dom.js";

const LINE_HEIGHT = 20;

/** A text area with a gutter and marks. */
export class Editor {
  constructor(label, { readOnly = false, oninput } = {}) {
    this.gutter = make("div", { class: "gutter", "aria-hidden": "true" });
    this.marks = make("div", { class: "marks", "aria-hidden": "true" });
    this.area = make("textarea", {
      "aria-label": label,
      spellcheck: "false",
      autocapitalize: "off",
      autocomplete: "off",
      wrap: "off",
      readonly: readOnly,
      oninput: () => {
        this.#resize();
        oninput?.();
      },
    });
    const text = make("div", { class: "text" }, this.marks, this.area);
    this.element = make("div", { class: "editor" }, this.gutter, text);
  }

  get value() {
    return this.area.value;
  }

  set value(text) {
    if (text === this.area.value) return;
    this.area.value = text;
    this.mark([]);
    this.#resize();
  }

  /** Marks lines; `marks` are pairs of a line, from 1, and a class. */
  mark(marks) {
    this.marks.replaceChildren(...marks.map(([line, kind]) => {
      const mark = make("div", { class: `mark ${kind}`, "data-line": line });
      mark.style.top = `${(line - 1) * LINE_HEIGHT}px`;
      return mark;
    }));
    const kinds = new Map(marks);
    for (const [index, number] of [...this.gutter.children].entries()) {
      number.className = kinds.get(index + 1) ?? "";
    }
  }

  /** Scrolls to a line and puts the cursor there. */
  reveal(line, focus = true) {
    const { element, area } = this;
    element.scrollTop = Math.max(0, (line - 1) * LINE_HEIGHT - element.clientHeight / 2);
    const start = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    if (focus) area.focus({ preventScroll: true });
    area.setSelectionRange(start, start);
  }

  #resize() {
    const lines = this.area.value.split("\n");
    const height = `${lines.length * LINE_HEIGHT}px`;
    const width = Math.max(...lines.map((line) => line.replaceAll("\t", "        ").length));
    this.area.style.height = height;
    this.area.style.width = `max(100%, ${width + 2}ch)`;
    while (this.gutter.children.length > lines.length) this.gutter.lastChild.remove();
    while (this.gutter.children.length < lines.length) {
      this.gutter.append(make("div", {}, String(this.gutter.children.length + 1)));
    }
  }
}
