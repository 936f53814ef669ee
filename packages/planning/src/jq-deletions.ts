import type { DiffRules } from "@capstan/engine";
import { BoundedMap, type Clock, growingPause, ownTurn } from "@capstan/flow";
import { canonicalJson } from "@capstan/formats";
import { deletePaths, type FieldPath, type JqThread } from "@capstan/jq";
import type { Settings } from "@capstan/kube";
import { CapstanError, type Manifest, type ResourceIgnoreDifferences } from "@capstan/model";
import { ScriptError } from "@capstan/script-thread";
import { digestOf } from "./digest-of.ts";

interface Needs {
  settings: { readonly current: Settings };
  jq: Pick<JqThread, "evaluate">;
  clock: Clock;
}

/** Whose rules they are. */
export interface RuleUse {
  /** The application's instance name; who shares the thread's time. */
  asker: string;
  rules: DiffRules;
  /** How many of the rules are the application's own; those after them are the system's. */
  own: number;
  /** Where its own stand, for people. Default: `spec.ignoreDifferences` of the application. */
  place?: { readonly what: string; readonly field: string };
}

/** What each expression of a rule names in an object, one after the other. */
type Steps = readonly (readonly FieldPath[])[];

interface Asked {
  id: string;
  manifest: Manifest;
  expressions: readonly string[];
}

interface Held {
  untilMs: number;
  failures: number;
  error: ScriptError;
}

interface Spent {
  ms: number;
}

const keptBytes = 16 * 1024 * 1024;
const mostExpressions = 10_000;
const chunkBytes = 1024 * 1024;
/** What expressions of one application may take together, as a multiple of what each may. */
const togetherTimes = 5;
/** What failed may not run again soon, however often its object changes. */
const pauses = { firstMs: 10_000, longestMs: 300_000 };

/**
 * What ignoreDifferences names by jq (util/argo/normalizers). An expression takes its time and comparing is pure: what it
 * names in an object is found out beforehand, and kept for as long as object and expressions are the same.
 */
export class JqDeletions {
  readonly #needs: Needs;
  readonly #kept = new BoundedMap<Steps>(keptBytes);
  /** Expressions that jq took for ones. */
  readonly #sound = new BoundedMap<true>(mostExpressions);
  readonly #held = new BoundedMap<Held>(mostExpressions);

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /**
   * Makes something by rules, once all that their expressions name in what it looks at is known. Rejects with
   * CapstanError where an expression is none, or could not be evaluated within its limits: nothing is compared then,
   * since what should be ignored would count.
   */
  async settled<Made>(
    use: RuleUse,
    make: (rules: DiffRules) => Made | Promise<Made>,
    signal: AbortSignal,
  ): Promise<Made> {
    const { rules } = use;
    if (!usesJq(rules)) return make(rules);
    const spent: Spent = { ms: 0 };
    await this.#checkExpressions(use, signal);
    const found = new Map<string, Steps>();
    // What a rule looks at is known only when those before it have deleted theirs.
    for (let round = 0; round <= rules.ignoreDifferences.length; round += 1) {
      const unknown = new Map<string, Asked>();
      // Rules may be many and objects large.
      await ownTurn(signal);
      const made = await make({ ...rules, deleteByJq: this.#deleter(found, unknown) });
      if (unknown.size === 0) return made;
      await this.#find({ use, spent, found }, [...unknown.values()], signal);
    }
    throw new Error("what was made by the rules looks at other objects each time");
  }

  /** Where something is not known yet, the object is left as it is: what is made of it is made again. */
  #deleter(found: Map<string, Steps>, unknown: Map<string, Asked>): NonNullable<DiffRules["deleteByJq"]> {
    return (manifest, expressions) => {
      const id = `${idOf(expressions)} ${digestOf(canonicalJson(manifest))}`;
      const steps = found.get(id) ?? this.#kept.get(id);
      if (!steps) {
        unknown.set(id, { id, manifest, expressions });
        return manifest;
      }
      found.set(id, steps);
      return steps.reduce<unknown>((rest, paths) => deletePaths(rest, paths), manifest);
    };
  }

  async #checkExpressions(use: RuleUse, signal: AbortSignal): Promise<void> {
    for (const rule of use.rules.ignoreDifferences)
      for (const expression of rule.jqPathExpressions ?? []) {
        if (this.#sound.has(expression)) continue;
        await this.#run({ use, spent: { ms: 0 }, expression }, [], signal);
        this.#sound.set(expression, true);
      }
  }

  async #find(
    { use, spent, found }: { use: RuleUse; spent: Spent; found: Map<string, Steps> },
    asked: readonly Asked[],
    signal: AbortSignal,
  ): Promise<void> {
    for (const [expressions, alike] of Map.groupBy(asked, (one) => one.expressions)) {
      let objects: readonly unknown[] = alike.map(({ manifest }) => manifest);
      const steps = alike.map((): (readonly FieldPath[])[] => []);
      for (const expression of expressions) {
        const paths = await this.#run({ use, spent, expression }, objects, signal);
        for (const [index, one] of steps.entries()) one.push(paths[index] ?? []);
        objects = objects.map((object, index) => deletePaths(object, paths[index] ?? []));
      }
      for (const [index, { id }] of alike.entries()) {
        const one = steps[index] ?? [];
        found.set(id, one);
        this.#kept.set(id, one, id.length + JSON.stringify(one).length);
      }
    }
  }

  async #run(
    { use, spent, expression }: { use: RuleUse; spent: Spent; expression: string },
    objects: readonly unknown[],
    signal: AbortSignal,
  ): Promise<readonly (readonly FieldPath[])[]> {
    const { clock, jq, settings } = this.#needs;
    const heldId = `${use.asker} ${expression}`;
    const held = this.#held.get(heldId);
    if (held && clock.now() < held.untilMs) throw refusal(use, expression, held.error);
    const timeMs = settings.current.general.jqTimeMs;
    try {
      const paths: (readonly FieldPath[])[] = [];
      for (const chunk of inChunks(objects)) {
        const run = { expression, objects: chunk, asker: use.asker, timeMs };
        const given = await jq.evaluate(run, signal);
        spent.ms += given.tookMs;
        if (spent.ms > togetherTimes * timeMs) throw tookTooLong(togetherTimes * timeMs);
        if (given.paths.some((some) => some.some((path) => path.length === 0))) throw namesAll();
        paths.push(...given.paths);
      }
      this.#held.delete(heldId);
      return paths;
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ScriptError)) throw error;
      const failures = (held?.failures ?? 0) + 1;
      this.#held.set(heldId, { failures, error, untilMs: clock.now() + growingPause(failures, pauses) });
      throw refusal(use, expression, error);
    }
  }
}

export function usesJq({ ignoreDifferences }: DiffRules): boolean {
  return ignoreDifferences.some(({ jqPathExpressions = [] }) => jqPathExpressions.length > 0);
}

const ids = new WeakMap<readonly string[], string>();

/** Kept by the list itself, which stays the same for as long as the rules do. */
function idOf(expressions: readonly string[]): string {
  const known = ids.get(expressions);
  if (known !== undefined) return known;
  const id = digestOf(JSON.stringify(expressions));
  ids.set(expressions, id);
  return id;
}

/** No objects are a run as well: it tells whether the expression is one. */
function inChunks(objects: readonly unknown[]): string[][] {
  const chunks: string[][] = [[]];
  let bytes = 0;
  for (const object of objects) {
    const text = canonicalJson(object);
    if (bytes > 0 && bytes + text.length > chunkBytes) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(text);
    bytes += text.length;
  }
  return chunks;
}

function tookTooLong(ms: number): ScriptError {
  const all = "the jq expressions that hold for the application";
  return new ScriptError("time", `${all} took more than ${ms / 1_000} s together`);
}

function namesAll(): ScriptError {
  return new ScriptError("value", "it names the whole object; name the fields that do not count");
}

const usualPlace = { what: "the application", field: "spec.ignoreDifferences" };

function refusal(
  { rules, own, place = usualPlace }: RuleUse,
  expression: string,
  error: ScriptError,
): CapstanError {
  const index = rules.ignoreDifferences.findIndex((rule) => rule.jqPathExpressions?.includes(expression));
  const rule = rules.ignoreDifferences[index];
  const at = rule?.jqPathExpressions?.indexOf(expression) ?? 0;
  const isOwn = index < own;
  const field = isOwn ? `${place.field}[${index}].jqPathExpressions[${at}]` : rule && settingOf(rule);
  const message = `${JSON.stringify(shortened(expression))} cannot be evaluated: ${error.message}`;
  const what = isOwn ? place.what : "ConfigMap argocd-cm";
  const problems = [{ field: field ?? "", message, severity: "error" as const }];
  return new CapstanError({ code: "INVALID_SPEC", what, problems }, error);
}

function settingOf({ group = "", kind }: ResourceIgnoreDifferences): string {
  const name = kind === "*" && group === "*" ? "all" : group === "" ? kind : `${group}_${kind}`;
  return `resource.customizations.ignoreDifferences.${name}`;
}

function shortened(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
