// The copies of a tensor map, drawn at coordinates that can be moved.

import { make, showDrawing } from "./dom.js";

/** Shows the maps of a launch file in a container. */
export class Maps {
  constructor(container, checker) {
    this.checker = checker;
    this.controls = make("div", { class: "bar" });
    this.summary = make("div", { class: "summary", "aria-live": "polite" });
    this.picture = make("div");
    container.replaceChildren(this.controls, this.summary, this.picture);
    this.at = {};
  }

  /** Shows these maps; `at` has the coordinates by the map's name. */
  async show(input, maps, onmove) {
    this.input = input;
    this.onmove = onmove;
    if (maps.length === 0) {
      this.controls.replaceChildren();
      this.picture.replaceChildren();
      this.summary.textContent = "The launch file has no tensor maps.";
      return;
    }
    const select = make("select", { "aria-label": "Tensor map", onchange: () => this.#choose(maps, select.value) },
      maps.map(({ name }) => make("option", { value: name }, name)));
    this.select = select;
    await this.#choose(maps, select.value);
  }

  async #choose(maps, name) {
    const map = maps.find((map) => map.name === name);
    const at = this.at[name]?.length === map.dims.length ? this.at[name] : map.dims.map(() => 0);
    this.at[name] = at;
    const store = make("input", { type: "checkbox", onchange: () => this.#draw(name, at, store.checked) });
    const fields = map.dims.map((dim, index) => {
      const field = make("input", {
        type: "number", value: String(at[index]), step: "1", "aria-label": `Coordinate ${index}`,
        oninput: () => {
          at[index] = Number.parseInt(field.value, 10) || 0;
          this.onmove?.();
          this.#draw(name, at, store.checked);
        },
      });
      return make("label", {}, `${index === 0 ? "coordinates, innermost first: " : ""}`, field, make("small", {}, ` of ${dim}`));
    });
    this.controls.replaceChildren(make("label", {}, "map ", this.select), ...fields, make("label", {}, store, " store"));
    await this.#draw(name, at, store.checked);
  }

  async #draw(map, at, store) {
    const answer = await this.checker.ask({ verb: "draw", ...this.input, map, at, store });
    if (answer.message) {
      this.summary.textContent = answer.message;
      return;
    }
    this.summary.replaceChildren(...answer.summary.map((line) => make("p", {}, line)));
    showDrawing(this.picture, answer.svg, `Copy by the map ${map} at ${at.join(", ")}`);
  }
}
