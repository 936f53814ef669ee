import { formatTime, parseTime } from "@capstan/formats";
import {
  type Application,
  annotationKeys,
  formatKey,
  keyText,
  objectSyncOptions,
  type PruneBudget,
  type ResourceKey,
  type SyncOptions,
} from "@capstan/model";
import type { ComparedResource } from "../compare/compare-resources.ts";

/**
 * Whether what would be pruned is more than one sync may. `allowed`: it is, and a person has allowed it. The code
 * names what is held: how many, and what git wants in place of them.
 */
export type PruneVerdict =
  | { readonly kind: "within" }
  | { readonly kind: "allowed"; readonly message: string }
  | { readonly kind: "held"; readonly code: string; readonly message: string };

export interface PrunesInput {
  app: Application;
  /** Everything that was compared, of whatever is pruned. */
  resources: readonly ComparedResource[];
  /** What would be pruned. */
  prunes: readonly ResourceKey[];
  budget: PruneBudget;
  nowMs: number;
  digestOf: DigestOf;
}

/** SHA-256 of a text, in hexadecimal. */
export type DigestOf = (text: string) => string;

/** Few objects are seen at a glance: an application of no more may lose them all. */
const alwaysFree = 10;

/** Decides over the prunes of one sync. Objects that are in the cluster count, hooks do not. */
export function judgePrunes(input: PrunesInput): PruneVerdict {
  const { app, resources, prunes, budget, nowMs } = input;
  if (budget === "off") return { kind: "within" };
  const managed = resources.filter(({ live, status }) => live !== undefined && status.hook !== true).length;
  const count = prunes.length;
  if (managed <= alwaysFree || count === 0 || count * 100 <= budget.percent * managed)
    return { kind: "within" };
  const digest = digestOfDesired(input);
  const text = app.metadata.annotations?.[annotationKeys.pruneAllowed];
  const given = readAllowance(text ?? "");
  const what = `${count} of ${managed} objects (${Math.round((count * 100) / managed)} %)`;
  const fits = given !== undefined && given.digest === digest && count <= given.count;
  if (fits && isFresh(given, nowMs))
    return { kind: "allowed", message: `pruning ${what} was allowed at ${formatTime(given.atMs)}` };
  const code = `${count}-${digest}`;
  const { name, namespace } = app.metadata;
  const ref = namespace === undefined ? name : `${namespace}/${name}`;
  const former = text === undefined ? "" : ` (${whyNot(given, fits)})`;
  return {
    kind: "held",
    code,
    message: `${what} are not in git any more, and one sync may prune ${budget.percent} %: ${listed(prunes)}. They are kept until that is allowed${former}: capstan app allow-prune ${ref} ${code}`,
  };
}

/** What a sync with prune would prune of all that was compared. */
export function prunable(resources: readonly ComparedResource[], options: SyncOptions): ResourceKey[] {
  return resources
    .filter(
      ({ requiresPruning, live }) =>
        requiresPruning && objectSyncOptions(options, live).prune !== "forbidden",
    )
    .map(({ key }) => key);
}

/** The annotation that allows what a code names, from a time on (RFC 3339). */
export function formatAllowance(code: string, at: string): string {
  return `${code}@${at}`;
}

/** A consent is about what was seen: whoever comes back after a day looks again. */
const allowanceMs = 24 * 3_600_000;
/** Clocks of people and clusters differ. */
const clockSkewMs = 5 * 60_000;

interface Allowance {
  count: number;
  digest: string;
  atMs: number;
}

function readAllowance(text: string): Allowance | undefined {
  const [, count, digest, at] = /^(\d{1,9})-([0-9a-f]{20})@(.+)$/.exec(text) ?? [];
  const atMs = parseTime(at);
  if (count === undefined || digest === undefined || atMs === undefined) return undefined;
  return { count: Number(count), digest, atMs };
}

function isFresh({ atMs }: Allowance, nowMs: number): boolean {
  return atMs <= nowMs + clockSkewMs && nowMs < atMs + allowanceMs;
}

function whyNot(given: Allowance | undefined, fits: boolean): string {
  if (given === undefined) return `the annotation ${annotationKeys.pruneAllowed} cannot be read`;
  const { count } = given;
  const at = formatTime(given.atMs);
  if (fits) return `what was allowed at ${at} was for a day`;
  return `what was allowed at ${at}, up to ${count} objects, was about another state of git or of the cluster`;
}

const maxListed = 5;

function listed(keys: readonly ResourceKey[]): string {
  const names = keys.slice(0, maxListed).map(formatKey);
  return keys.length <= maxListed
    ? names.join(", ")
    : `${names.join(", ")} and ${keys.length - maxListed} more`;
}

/** Of the application, where it deploys to, and the names of what git wants there. */
function digestOfDesired({ app: { metadata, spec }, resources, digestOf }: PrunesInput): string {
  const { server = "", name = "" } = spec.destination;
  const wanted = resources.filter(({ target }) => target !== undefined).map(({ key }) => keyText(key));
  const about = [metadata.namespace ?? "", metadata.name, server, name, ...wanted.sort()];
  return digestOf(JSON.stringify(about)).slice(0, 20);
}
