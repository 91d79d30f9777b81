// Runs under seeds: each finding once, with the seeds that have it.

/** Returns what makes two findings one. */
function key({ kind, message, here, there }) {
  return here ? JSON.stringify([kind, here.line, there?.line]) : `${kind} ${message}`;
}

/** Warnings count, too. */
const isBad = (run) => run.verdict !== "clean" || run.findings.length > 0;

/** The findings of several seeds. */
export class Findings {
  all = new Map();
  runs = 0;
  bad = 0;

  /** Adds the run of a seed. */
  add(run) {
    this.runs += 1;
    if (isBad(run)) this.bad += 1;
    this.addAll(run.findings, run.seed);
    this.addAll(run.notes, run.seed);
  }

  addAll(findings, seed) {
    for (const finding of findings) {
      const known = this.all.get(key(finding));
      if (!known) this.all.set(key(finding), { finding, seeds: [seed] });
      else if (!known.seeds.includes(seed)) known.seeds.push(seed);
    }
  }

  get list() {
    return [...this.all.values()];
  }
}

/** Runs the seeds from 0 on, and calls `onrun` after each. Returns the findings, and the first bad run or the first. */
export async function runSeeds(checker, input, count, onrun) {
  const findings = new Findings();
  let shown;
  for (let seed = 0; seed < count; seed++) {
    const run = await checker.ask({ verb: "run", ...input, seed });
    if (run.message) return { refused: run, findings, shown };
    findings.add(run);
    if (!shown || (!isBad(shown) && isBad(run))) shown = run;
    onrun?.(findings, count);
  }
  return { findings, shown };
}
