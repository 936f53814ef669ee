/**
 * `node compat/go-template/run.ts [--count N] [--seed N] [--verbose]`: templates made at random, played by
 * languages/go-template and by Go's own text/template with sprig (testenv group go-template): the same output, or a
 * failure of both. Writes nothing.
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { GoTemplate, sprig, TemplateError } from "@capstan/go-template";
import { lacking, realProgramPath } from "@capstan/testkit";
import { Dice } from "../dice.ts";
import { wholeNumber } from "../whole-number.ts";
import { type Answer, gapOf } from "./known-gaps.ts";
import { makeData, TemplateMaker } from "./make-templates.ts";

const { values: flags } = parseArgs({
  options: {
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: "1" },
    verbose: { type: "boolean", default: false },
    short: { type: "boolean", default: false },
  },
});
const missing = lacking("go-template");
if (missing !== false) {
  console.error(`compat/go-template: ${missing}`);
  process.exit(1);
}
const count = flags.short ? 3_000 : wholeNumber("count", flags.count);
const random = new Dice(wholeNumber("seed", flags.seed));
const maker = new TemplateMaker(random);
const cases = Array.from({ length: count }, () => ({
  template: maker.template(),
  data: makeData(random),
  missingKey: random.pick(["default", "default", "error", "zero"] as const),
}));

function playOurs({ template, data, missingKey }: (typeof cases)[number]): Answer {
  try {
    return { output: new GoTemplate(template, { functions: sprig }).execute(data, { missingKey }) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { output: "", error: error.message };
  }
}

/** Go's own, started again where a template ends it. */
class RealTemplates {
  #answers: AsyncIterator<string> | undefined;
  #child: ReturnType<typeof this.start> | undefined;

  start() {
    return spawn(realProgramPath("go-template"), { stdio: ["pipe", "pipe", "ignore"] });
  }

  /** Nothing where the program ended instead. */
  async play(asked: (typeof cases)[number]): Promise<Answer | undefined> {
    this.#child ??= this.start();
    this.#answers ??= createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
    this.#child.stdin.write(`${JSON.stringify(asked)}\n`);
    const line = await this.#answers.next();
    if (!line.done) return JSON.parse(line.value);
    this.#child = undefined;
    this.#answers = undefined;
    return undefined;
  }

  end(): void {
    this.#child?.stdin.end();
  }
}

const real = new RealTemplates();
let fatal = 0;
let agreeing = 0;
let sameWords = 0;
let failing = 0;
let listed = 0;
const problems: string[] = [];
for (const one of cases) {
  const theirs = await real.play(one);
  const ours = playOurs(one);
  if (!theirs) {
    fatal += 1;
    if (ours.error === undefined) problems.push(`${one.template}\n    ended the real one, not ours`);
    continue;
  }
  const isBothFailing = theirs.error !== undefined && ours.error !== undefined;
  if (isBothFailing || (theirs.error === ours.error && theirs.output === ours.output)) {
    agreeing += 1;
    if (isBothFailing) failing += 1;
    if (isBothFailing && ours.error === theirs.error) sameWords += 1;
    else if (isBothFailing && flags.verbose)
      console.log(`words\n  real ${theirs.error}\n  ours ${ours.error}`);
  } else if (gapOf(one.template, theirs, ours) !== undefined) listed += 1;
  else
    problems.push(
      [
        one.template,
        JSON.stringify(one.data),
        `missingkey=${one.missingKey}`,
        `real: ${JSON.stringify(theirs)}`,
        `ours: ${JSON.stringify(ours)}`,
      ].join("\n    "),
    );
}
real.end();
for (const problem of problems.slice(0, 40)) console.log(`FAILED ${problem}`);
console.log(
  `compat/go-template: seed ${flags.seed}: of ${count} templates ${agreeing} agree (${failing} fail in both, ${sameWords} of them in the same words), ${fatal} end the real program, ${listed} meet a listed gap, ${problems.length} disagree`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
