import { createHash } from "node:crypto";
import type { ConditionResult, NotificationCondition } from "@capstan/engine";
import type { Expr } from "@capstan/expr";
import { messageOf } from "@capstan/model";
import type { Languages } from "./notification-variables.ts";
import type { RepoFacts } from "./repo-facts.ts";

/** A condition whose expressions were read. */
interface CompiledCondition {
  readonly condition: NotificationCondition;
  readonly key: string;
  readonly when: Expr;
  readonly oncePer: Expr | undefined;
}

export interface CompiledTrigger {
  readonly conditions: readonly CompiledCondition[];
  /** What it comes to may change though nothing of the application does. */
  readonly dependsOnTime: boolean;
}

export interface TriggerRun {
  readonly results: readonly ConditionResult[];
  /** Of expressions that failed: their conditions do not hold. */
  readonly problems: readonly string[];
}

const limits = { maxSteps: 100_000, maxMade: 1_000_000 };

/** Throws what is wrong with an expression, and of which condition. */
export function compileTrigger(
  { expr }: Languages,
  conditions: readonly NotificationCondition[],
): CompiledTrigger {
  const compiled = conditions.map((condition, index): CompiledCondition => {
    const read = (field: "when" | "oncePer", text: string) => {
      try {
        return new expr.Expr(text);
      } catch (error) {
        throw new Error(`condition ${index + 1}: ${field}: ${messageOf(error)}`);
      }
    };
    const hash = createHash("sha1").update(condition.when).digest("base64url");
    return {
      condition,
      key: `[${index}].${hash}`,
      when: read("when", condition.when || "false"),
      oncePer: condition.oncePer === "" ? undefined : read("oncePer", condition.oncePer),
    };
  });
  const texts = conditions.flatMap(({ when, oncePer }) => [when, oncePer]);
  return { conditions: compiled, dependsOnTime: texts.some((text) => /\b[Nn]ow\b|\brepo\b/.test(text)) };
}

type Variables = Readonly<Record<string, unknown>>;

/** Each condition in turn (notifications-engine pkg/triggers Run). */
export async function runTrigger(
  { expr }: Languages,
  { conditions }: CompiledTrigger,
  {
    variables,
    facts,
    nowMs,
    pause,
    signal,
  }: {
    variables: Variables;
    facts: RepoFacts;
    nowMs: () => number;
    pause: (() => Promise<void>) | undefined;
    signal: AbortSignal;
  },
): Promise<TriggerRun> {
  const problems: string[] = [];
  const evaluate = async (what: string, expression: Expr) => {
    try {
      return await facts.played(() => expression.evaluate(variables, { ...limits, nowMs }), signal);
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${what}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const results: ConditionResult[] = [];
  for (const [index, { condition, key, when, oncePer }] of conditions.entries()) {
    await pause?.();
    const at = `condition ${index + 1}`;
    const holds = (await evaluate(`${at}: when`, when)) === true;
    const once = holds && oncePer ? await evaluate(`${at}: oncePer`, oncePer) : undefined;
    const isSaid = once !== undefined;
    results.push({ key, oncePer: isSaid ? expr.printValue(once) : "", templates: condition.send, holds });
  }
  return { results, problems };
}
