/**
 * `node compat/expr/run.ts [--count N] [--seed N] [--verbose]`: expressions made at random, evaluated by languages/expr
 * and by the real expr (testenv group expr): the same value, or a failure of both. Writes nothing.
 */
import { Expr, ExprDuration, ExprError, ExprMap, ExprNamed, printValue, type Value } from "@capstan/expr";
import { printFloat } from "@capstan/formats";
import { RealPeer, readRandomRun } from "../real-peer.ts";
import { type Answer, gapOf } from "./known-gaps.ts";
import { ExpressionMaker, env } from "./make-expressions.ts";

const { count, seed, dice, isVerbose } = readRandomRun("expr");

/** As the real program writes it. */
function show(value: Value): string {
  if (value === null) return "nil";
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "number") return `f${printFloat(value, "g")}`;
  if (typeof value === "string")
    return JSON.stringify(value).replace(
      /[<>&\u2028\u2029\ufffd]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  if (Array.isArray(value)) return `[${value.map(show).join(",")}]`;
  if (value instanceof ExprMap)
    return `{${[...value.entries]
      .map(([key, one]) => `${show(key)}:${show(one)}`)
      .sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
      .join(",")}}`;
  if (value instanceof ExprDuration) return `i${value.nanoseconds}`;
  if (value instanceof ExprNamed) return `i${value.number}`;
  return printValue(value);
}

function playOurs(source: string): Answer {
  try {
    return { value: show(new Expr(source).evaluate(env)) };
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    return { value: "", error: error.message };
  }
}

const maker = new ExpressionMaker(dice);
const real = new RealPeer<{ source: string; env: typeof env }, Answer>("expr");
let [agreeing, failing] = [0, 0];
const gaps = new Map<string, number>();
const problems: string[] = [];
for (let at = 0; at < count; at += 1) {
  const source = maker.expression();
  const theirs = await real.ask({ source, env });
  if (!theirs) throw new Error(`the real program ended at ${source}`);
  const ours = playOurs(source);
  const isBothFailing = theirs.error !== undefined && ours.error !== undefined;
  if (isBothFailing) failing += 1;
  if (isBothFailing || (theirs.error === ours.error && theirs.value === ours.value)) {
    agreeing += 1;
    continue;
  }
  const gap = gapOf(source, theirs, ours);
  if (gap === undefined)
    problems.push(`${source}\n    real: ${JSON.stringify(theirs)}\n    ours: ${JSON.stringify(ours)}`);
  else gaps.set(gap, (gaps.get(gap) ?? 0) + 1);
  if (gap !== undefined && isVerbose) console.log(`${gap}: ${source}`);
}
real.end();
for (const problem of problems.slice(0, 40)) console.log(`FAILED ${problem}`);
for (const [gap, met] of gaps) console.log(`listed gap, met ${met} times: ${gap}`);
console.log(
  `compat/expr: seed ${seed}: of ${count} expressions ${agreeing} agree (${failing} fail in both), ${problems.length} disagree`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
