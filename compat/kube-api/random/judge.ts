import { isDeepStrictEqual } from "node:util";
import { kubeRandomGaps } from "../../known-gaps.ts";
import type { Clusters } from "../clusters.ts";
import { differences } from "../difference.ts";
import { titleOf } from "../kinds/kind.ts";
import type { Seen } from "../neutral.ts";
import { play } from "../play.ts";
import { at, type Step } from "../script.ts";
import type { Sequence } from "./operations.ts";
import { listOf, type Schemas } from "./schemas.ts";
import { stepsOf } from "./steps.ts";

/** Where the two clusters part, in the words that compat/known-gaps.ts is asked about. */
export interface Disagreement {
  readonly step: Step;
  readonly lines: readonly string[];
}

interface Listed {
  readonly reason: string;
  readonly lines: readonly string[];
}

export interface Judgement {
  readonly steps: readonly Step[];
  /** Steps compared; after a listed disagreement that left different objects behind nothing more is. */
  readonly operations: number;
  /** One for each operation that met a listed disagreement. */
  readonly listed: readonly Listed[];
  readonly unlisted?: Disagreement;
}

let played = 0;

export const brokenOff = "kube-apiserver breaks the connection off in place of an answer";

/** Played again where it disagrees: a controller of the real side may have written between two steps. */
export async function judge(world: Clusters & { schemas: Schemas }, sequence: Sequence): Promise<Judgement> {
  const steps = stepsOf(world.schemas, sequence);
  const title = titleOf(sequence.kind);
  const first = await judgeOnce(world, title, steps);
  return first.unlisted === undefined ? first : judgeOnce(world, title, steps);
}

async function judgeOnce(
  { real, ours }: Clusters,
  title: string,
  steps: readonly Step[],
): Promise<Judgement> {
  played += 1;
  const one = { name: `random ${played}`, steps };
  const [theirs, mine] = await Promise.allSettled([play(real, one), play(ours, one)]);
  if (mine.status === "rejected") throw mine.reason;
  if (theirs.status === "rejected")
    return { steps, operations: 0, listed: [{ reason: brokenOff, lines: [] }] };
  return compare(title, steps, [theirs.value, mine.value]);
}

function compare(title: string, steps: readonly Step[], [theirs, mine]: [Seen[], Seen[]]): Judgement {
  const listed: Listed[] = [];
  for (const [index, step] of steps.entries()) {
    const real = theirs[index];
    const ours = mine[index];
    if (real === undefined || ours === undefined) break;
    const lines = disagreement(real, ours).map((line) => `${title} ${verbOf(step)} ${line}`);
    if (lines.length === 0) continue;
    const reasons = lines.map((line) => kubeRandomGaps.find(({ about }) => about.test(line))?.reason);
    const reason = reasons.includes(undefined) ? undefined : reasons[0];
    if (reason === undefined) return { steps, operations: index + 1, listed, unlisted: { step, lines } };
    listed.push({ reason, lines });
    if (real.status < 400 || ours.status < 400) return { steps, operations: index + 1, listed };
  }
  return { steps, operations: steps.length, listed };
}

/** What is refused by one side alone is told by the fields, not as every field of the object that is missing. */
function disagreement(real: Seen, ours: Seen): string[] {
  const isRefusal = real.status === 422 || ours.status === 422;
  if (isRefusal && [real, ours].every(({ status }) => status === 422 || status < 400)) {
    const causes = [...aloneIn("real", real, ours), ...aloneIn("ours", ours, real)];
    if (causes.length > 0) return causes;
    if (real.status === ours.status && !isDeepStrictEqual(real.body, ours.body))
      return [
        `refused for the same causes, in another order or another number: real ${fieldsOf(real)}, ours ${fieldsOf(ours)}`,
      ];
  }
  if (real.status !== ours.status && (real.status >= 400 || ours.status >= 400))
    return [`status: real ${summary(real)}, ours ${summary(ours)}`];
  return differences(real, ours);
}

/** The causes of a refusal that the other side does not name, without the places in lists and the keys of maps. */
function aloneIn(side: string, one: Seen, other: Seen): string[] {
  const known = new Set(causesOf(other));
  return causesOf(one)
    .filter((cause) => !known.has(cause))
    .map((cause) => `refused by ${side} alone: ${cause}`);
}

function causesOf({ body }: Seen): string[] {
  return listOf(at(body, "details.causes")).map(
    (cause) => `${String(at(cause, "field")).replaceAll(/\[[^\]]*\]/g, "[]")}: ${at(cause, "message")}`,
  );
}

function fieldsOf(seen: Seen): string {
  return listOf(at(seen.body, "details.causes"))
    .map((cause) => at(cause, "field"))
    .join(" ");
}

function summary({ status, body }: Seen): string {
  return status < 400 ? String(status) : `${status} ${at(body, "message")}`;
}

const patchNames: Readonly<Record<string, string>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

function verbOf({ method, path, headers }: Step): string {
  const place = path.split("?")[0] ?? "";
  const part = /\/(status|scale)$/.exec(place)?.[1];
  const verb = method === "PATCH" ? patchNames[headers?.["content-type"] ?? ""] : method.toLowerCase();
  return part === undefined ? `${verb}` : `${verb} ${part}`;
}
