// The launches of a launch file as a form. What is typed goes into the text, which is checked as a whole.

import { make } from "./dom.js";
import { extent, withKey } from "./launch-text.js";

const FIELDS = [
  ["grid", "Grid", "Blocks of the grid, as 4 or 4, 2"],
  ["block", "Block", "Threads of a block, as 128 or 16, 8"],
  ["cluster", "Cluster", "Blocks of a cluster; empty if the kernel declares it"],
  ["shared_bytes", "Dynamic shared memory", "Bytes; empty for none"],
];

const shown = (launch, key) => {
  const value = launch[key];
  if (value === null || value === 0) return "";
  if (!Array.isArray(value)) return String(value);
  const [x, y, z] = value;
  return z > 1 ? `${x}, ${y}, ${z}` : y > 1 ? `${x}, ${y}` : String(x);
};

/** Shows the launches; `editor` has the text. */
export function showForm(container, launches, editor, onedit) {
  const focused = document.activeElement?.id;
  container.replaceChildren(...launches.map((launch, number) => make("fieldset", {},
    make("legend", {}, `Launch ${number}: ${launch.entry}`),
    FIELDS.map(([key, label, hint]) => {
      const id = `launch-${number}-${key}`;
      const error = make("small", { class: "field-error", id: `${id}-error` });
      const field = make("input", {
        id, value: shown(launch, key), placeholder: hint, inputmode: "numeric", autocomplete: "off",
        "aria-describedby": error.id,
        onchange: () => {
          const given = field.value.trim();
          const isOptional = key === "cluster" || key === "shared_bytes";
          const { value, message } = given === "" && isOptional ? { value: "" } : extent(given);
          error.textContent = message ?? "";
          field.setAttribute("aria-invalid", String(message !== undefined));
          if (message !== undefined) return;
          editor.value = withKey(editor.value, number, key, value);
          onedit();
        },
      });
      return make("div", { class: "field" }, make("label", { for: id }, label), field, error);
    }))));
  if (focused?.startsWith("launch-")) document.getElementById(focused)?.focus();
}
