// Edits of a launch file's text, so that the form and the text are one.

/** Returns the ranges of lines of the tables `[[launch]]`. */
function launches(lines) {
  const heads = lines.flatMap((line, at) => (/^\s*\[/.test(line) ? [at] : []));
  return heads
    .filter((at) => /^\s*\[\[\s*launch\s*\]\]/.test(lines[at]))
    .map((at) => [at, heads.find((other) => other > at) ?? lines.length]);
}

/** Returns the text with a key of launch number `launch` set to a value in TOML; an empty value removes the key. */
export function withKey(text, launch, key, value) {
  const lines = text.split("\n");
  const range = launches(lines)[launch];
  if (!range) return text;
  const [start, end] = range;
  const at = lines.findIndex((line, at) => at > start && at < end && line.match(/^\s*(\w+)\s*=/)?.[1] === key);
  if (at >= 0) lines.splice(at, 1, ...(value === "" ? [] : [`${key} = ${value}`]));
  else if (value !== "") {
    const after = lines.findLastIndex((line, at) => at < end && at >= start && line.trim() !== "" && !/^\s*#/.test(line));
    lines.splice(Math.max(after, start) + 1, 0, `${key} = ${value}`);
  }
  return lines.join("\n");
}

/** Returns a number or list of the form in TOML, or a message that says what is wrong. */
export function extent(given) {
  const parts = given.split(/[\s,×x]+/).filter(Boolean);
  const isNumber = parts.every((part) => /^[1-9]\d*$/.test(part));
  if (parts.length === 0 || parts.length > 3 || !isNumber) {
    return { message: "must be one to three whole numbers from 1, such as 128 or 16, 8" };
  }
  return { value: parts.length === 1 ? parts[0] : `[${parts.join(", ")}]` };
}
