// The marks in kernels with bugs: `//~ name: kind` declares a bug, and lines that end in `// only a b` or `// not a b`
// are those of the bugs `a` and `b`, or of all others.

/** The name of the kernel without a bug. */
export const CORRECT = "correct";

/** Returns the bugs that a text declares, with the kinds of findings that report them. */
export function bugs(text) {
  const marks = text.matchAll(/^\/\/~ (\w+): (.*)$/gm);
  return Array.from(marks, ([, name, words]) => {
    const kinds = words.split(/\s+/).filter(Boolean);
    return {
      name,
      kinds: kinds.filter((kind) => kind !== "strict"),
      strict: kinds.includes("strict"),
    };
  });
}

/** Returns the text of a variant, without the marks and the lines of other variants. */
export function withBug(text, bug) {
  const has = (line, mark) => {
    const at = line.lastIndexOf(mark);
    return at < 0 ? undefined : line.slice(at + mark.length).trim().split(/\s+/).includes(bug);
  };
  const isIn = (line) => has(line, "// only ") !== false && has(line, "// not ") !== true;
  const lines = text.split("\n").filter((line) => isIn(line) && !line.startsWith("//~ "));
  return lines.map((line) => line.replace(/\s*\/\/ (only|not) [\w ]+$/, "")).join("\n");
}

/** Returns a name for people. */
export function title(bug) {
  return bug === CORRECT ? "correct" : bug.replaceAll("_", " ");
}
