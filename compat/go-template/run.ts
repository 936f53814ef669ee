/**
 * `node compat/go-template/run.ts [--count N] [--seed N] [--verbose]`: templates made at random, played by
 * languages/go-template and by Go's own text/template with sprig (testenv group go-template): the same output, or a
 * failure of both; nothing is excused. Writes nothing.
 */
import { GoTemplate, sprig, TemplateError } from "@capstan/go-template";
import { RealPeer, readRandomRun } from "../real-peer.ts";
import { makeData } from "./make-data.ts";
import { TemplateMaker } from "./make-templates.ts";

interface Answer {
  readonly output: string;
  readonly error?: string | undefined;
}

const { count, seed, dice, isVerbose } = readRandomRun("go-template");
const maker = new TemplateMaker(dice);
const cases = Array.from({ length: count }, () => ({
  template: maker.template(),
  data: makeData(dice),
  missingKey: dice.pick(["default", "default", "error", "zero"] as const),
}));

function playOurs({ template, data, missingKey }: (typeof cases)[number]): Answer {
  try {
    return { output: new GoTemplate(template, { functions: sprig }).execute(data, { missingKey }) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { output: "", error: error.message };
  }
}

const real = new RealPeer<(typeof cases)[number], Answer>("go-template");
let fatal = 0;
let agreeing = 0;
let sameWords = 0;
let failing = 0;
const problems: string[] = [];
for (const one of cases) {
  const theirs = await real.ask(one);
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
    else if (isBothFailing && isVerbose) console.log(`words\n  real ${theirs.error}\n  ours ${ours.error}`);
  } else
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
  `compat/go-template: seed ${seed}: of ${count} templates ${agreeing} agree (${failing} fail in both, ${sameWords} of them in the same words), ${fatal} end the real program, ${problems.length} disagree`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
