import { assessHealth, type CustomHealth } from "@capstan/engine";
import { BoundedMap, type Clock, growingPause, runLimited } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { HealthScript, KubeLog, Settings } from "@capstan/kube";
import type { LuaThread } from "@capstan/lua";
import {
  formatKey,
  type HealthStatus,
  healthStatusCodes,
  keyOf,
  type Manifest,
  messageOf,
} from "@capstan/model";
import { ScriptError } from "@capstan/script-thread";
import { digestOf } from "./digest-of.ts";
import { kindScripts } from "./find-customization.ts";

export type HealthOf = (live: Manifest) => HealthStatus | undefined;

interface Verdict {
  resourceVersion: string;
  health: ReturnType<CustomHealth>;
  /** Why there is no better one; with the script's key and the object's name. */
  problem?: string;
  /** Until then it holds whatever the object has become. */
  holdsUntilMs?: number;
  /** From then on it is asked for anew, though the object is the same. */
  staleAtMs?: number;
  overruns: number;
}

interface Needs {
  settings: { readonly current: Settings };
  lua: Pick<LuaThread, "run">;
  clock: Clock;
  log: KubeLog;
}

interface Asked {
  live: Manifest;
  script: HealthScript;
}

const mostKept = 50_000;
/** There is one thread: what waits for it is no more than keeps it busy, of however many objects. */
const judgedAtOnce = 100;
/** What a script that was ended may not do again soon, however often its object changes. */
const overrunPauses = { firstMs: 10_000, longestMs: 300_000 };
/** Verdicts of scripts that look at the time. */
const timedMs = 10_000;
const looksAtTime = /\bos\b/;

/**
 * Health of live objects, by the operator's scripts before the built-in rules. Scripts take their time and decisions are
 * pure: what a script says is found out beforehand and kept for as long as script and object are the same.
 */
export class ObjectHealth {
  readonly #needs: Needs;
  readonly #kept = new BoundedMap<Verdict>(mostKept);
  readonly #end = new AbortController();
  readonly #judging = new Map<string, Promise<void>>();
  readonly #find: ReturnType<typeof kindScripts>;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#find = kindScripts(needs.settings);
  }

  /** Makes something that depends on objects' health, once all that it asked about is known. */
  async judged<Made>(asker: string, make: (healthOf: HealthOf) => Made, signal: AbortSignal): Promise<Made> {
    const unknown: Asked[] = [];
    const made = make((live) => this.#assess(live, unknown));
    if (unknown.length === 0) return made;
    await runLimited(unknown, judgedAtOnce, (one) => this.#judge(asker, one, signal));
    return make((live) => this.#assess(live));
  }

  /** What is known at this moment; the rest is found out, and `whenKnown` told. */
  now(asker: string, live: Manifest, whenKnown?: () => void): HealthStatus | undefined {
    const unknown: Asked[] = [];
    const health = this.#assess(live, unknown);
    for (const one of unknown) this.#judge(asker, one, this.#end.signal).then(whenKnown, () => undefined);
    return health;
  }

  /** Whoever waits is told no more. */
  close(): void {
    this.#end.abort(new Error("health is not looked at any more"));
  }

  /** Whether a script of the settings says how healthy objects of this kind are, be it that they have no health. */
  isScripted(live: Manifest): boolean {
    return this.#find(live).health !== undefined;
  }

  /** What kept a script from telling this object's health. */
  problemOf(live: Manifest): string | undefined {
    const { health: script } = this.#find(live);
    return script && this.#kept.get(idOf({ live, script }))?.problem;
  }

  #assess(live: Manifest, unknown?: Asked[]): HealthStatus | undefined {
    return assessHealth(live, (object) => {
      const { health: script } = this.#find(object);
      if (!script) return undefined;
      const verdict = this.#kept.get(idOf({ live: object, script }));
      if (!this.#holds(verdict, object)) unknown?.push({ live: object, script });
      return verdict?.health;
    });
  }

  #holds(verdict: Verdict | undefined, { metadata }: Manifest): boolean {
    if (!verdict) return false;
    const nowMs = this.#needs.clock.now();
    if (verdict.holdsUntilMs !== undefined) return nowMs < verdict.holdsUntilMs;
    if (verdict.staleAtMs !== undefined && nowMs >= verdict.staleAtMs) return false;
    return verdict.resourceVersion === (metadata.resourceVersion ?? "");
  }

  /** Whoever asks for the same object in the meantime waits with whoever was first. */
  async #judge(asker: string, asked: Asked, signal: AbortSignal): Promise<void> {
    const id = `${idOf(asked)} ${asked.live.metadata.resourceVersion ?? ""}`;
    const under = this.#judging.get(id);
    if (under) {
      // The first may give up for reasons of its own.
      await under.catch(() => undefined);
      if (this.#holds(this.#kept.get(idOf(asked)), asked.live)) return;
    }
    const judging = this.#run(asker, asked, signal).finally(() => {
      if (this.#judging.get(id) === judging) this.#judging.delete(id);
    });
    this.#judging.set(id, judging);
    await judging;
  }

  async #run(asker: string, { live, script }: Asked, signal: AbortSignal): Promise<void> {
    const id = idOf({ live, script });
    const { lua, clock, log } = this.#needs;
    const resourceVersion = live.metadata.resourceVersion ?? "";
    try {
      const given = await lua.run(
        { script: script.script, openLibs: script.openLibs, object: live, asker },
        signal,
      );
      const isTimed = looksAtTime.test(script.script);
      const staleAtMs = isTimed ? { staleAtMs: clock.now() + timedMs } : {};
      this.#kept.set(id, { resourceVersion, ...readHealth(given), ...staleAtMs, overruns: 0 });
    } catch (error) {
      signal.throwIfAborted();
      // The script's own mistake is made again; a thread that does not start is not.
      const isOverrun = !(error instanceof ScriptError) || error.isOverrun;
      const overruns = isOverrun ? (this.#kept.get(id)?.overruns ?? 0) + 1 : 0;
      const message = messageOf(error);
      const problem = `${message} (${script.key}, for ${formatKey(keyOf(live))})`;
      if (this.#kept.get(id)?.problem !== problem)
        log.warn({ script: script.key, object: keyOf(live) }, `health: ${problem}`);
      const until = isOverrun ? { holdsUntilMs: clock.now() + growingPause(overruns, overrunPauses) } : {};
      this.#kept.set(id, {
        resourceVersion,
        health: { status: "Unknown", message },
        problem,
        overruns,
        ...until,
      });
    }
  }
}

function idOf({ live, script }: Asked): string {
  const { uid } = live.metadata;
  return `${digestOfScript(script)} ${uid ?? formatKey(keyOf(live))}`;
}

const digests = new WeakMap<HealthScript, string>();

function digestOfScript(script: HealthScript): string {
  const known = digests.get(script);
  if (known !== undefined) return known;
  const digest = digestOf(`${script.openLibs}\n${script.script}`);
  digests.set(script, digest);
  return digest;
}

const notValid: HealthStatus = { status: "Unknown", message: "Lua returned an invalid health status" };

/** util/lua ExecuteHealthLua: nothing and an empty table are no health. Throws ScriptError where it is no table. */
function readHealth(given: unknown): Pick<Verdict, "health"> {
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return { health: "none" };
  if (!isRecord(given)) {
    if (Array.isArray(given))
      throw new ScriptError("value", "expect a table with status and message, not a list");
    throw new ScriptError("value", `expect table output from Lua script, not ${luaType(given)}`);
  }
  const status = healthStatusCodes.find((code) => code === given.status);
  if (status === undefined) return { health: notValid };
  const { message } = given;
  return { health: typeof message === "string" && message !== "" ? { status, message } : { status } };
}

function luaType(value: unknown): string {
  return value === null ? "nil" : typeof value;
}
