// Buffers before and after a run.

import { make, plural } from "./dom.js";

const SHOWN = 256;
const COLUMNS = 8;

const READERS = {
  u8: (view, at) => view.getUint8(at),
  i8: (view, at) => view.getInt8(at),
  u16: (view, at) => view.getUint16(at, true),
  i16: (view, at) => view.getInt16(at, true),
  u32: (view, at) => view.getUint32(at, true),
  i32: (view, at) => view.getInt32(at, true),
  u64: (view, at) => view.getBigUint64(at, true),
  i64: (view, at) => view.getBigInt64(at, true),
  f32: (view, at) => view.getFloat32(at, true),
  f64: (view, at) => view.getFloat64(at, true),
  f16: (view, at) => half(view.getUint16(at, true)),
  bf16: (view, at) => {
    const wide = new DataView(new ArrayBuffer(4));
    wide.setUint32(0, view.getUint16(at, true) << 16);
    return wide.getFloat32(0);
  },
};

function half(bits) {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? (1 + fraction / 1024) * 2 ** (exponent - 15) : fraction * 2 ** -24);
}

/** Returns the bytes of hexadecimal digits. */
export function bytesOf(hex) {
  const bytes = new Uint8Array(hex.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(hex.substr(2 * at, 2), 16);
  return bytes;
}

/** Returns the elements of a buffer. */
export function elements(hex, type, elementBytes) {
  const view = new DataView(bytesOf(hex).buffer);
  const read = READERS[type];
  const count = Math.floor(view.byteLength / elementBytes);
  return Array.from({ length: count }, (_, at) => read(view, at * elementBytes));
}

const shown = (value) => typeof value === "number" && !Number.isInteger(value)
  ? value.toPrecision(5)
  : String(value);

/** Shows the buffers of a run. */
export function showMemory(container, buffers) {
  container.replaceChildren(...buffers.map(table));
}

function table({ name, type, element_bytes, dims, bytes, changed, before, after }) {
  const [old, now] = [before, after].map((hex) => elements(hex, type, element_bytes));
  const differs = (at) => !Object.is(old[at], now[at]);
  const first = Math.max(0, Math.floor((now.findIndex((_, at) => differs(at)) || 0) / COLUMNS) * COLUMNS);
  const from = first + SHOWN > now.length ? Math.max(0, now.length - SHOWN) : first;
  const shownCount = Math.min(SHOWN, now.length - from);
  const rows = [];
  for (let row = from; row < from + shownCount; row += COLUMNS) {
    const cells = [];
    for (let at = row; at < Math.min(row + COLUMNS, from + shownCount); at++) {
      cells.push(differs(at)
        ? make("td", { class: "changed" }, make("del", {}, shown(old[at])), " ", make("ins", {}, shown(now[at])))
        : make("td", {}, shown(now[at])));
    }
    rows.push(make("tr", {}, make("th", { scope: "row" }, String(row)), cells));
  }
  const heading = `${name}: ${type} × ${dims.join(" × ")}, ${plural(changed, "element")} changed`;
  const columns = Array.from({ length: COLUMNS }, (_, at) => make("th", { scope: "col" }, `+${at}`));
  return make("section", { class: "buffer" },
    make("h3", {}, heading),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Contents of ${name}` },
      make("table", {},
        make("thead", {}, make("tr", {}, make("td", {}), columns)),
        make("tbody", {}, rows))),
    shownCount < bytes / element_bytes
      ? make("p", { class: "seeds" }, `Elements ${from} to ${from + shownCount - 1} of ${bytes / element_bytes}.`)
      : undefined);
}
