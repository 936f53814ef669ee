import { type ImpactedObject, type OfferedAction, offeredActions, performBuiltIn } from "@capstan/engine";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import type { ActionScripts, Settings } from "@capstan/kube";
import type { LuaThread } from "@capstan/lua";
import { CapstanError, formatKey, keyOf, type Manifest, messageOf, sameKey } from "@capstan/model";
import { ScriptError } from "@capstan/script-thread";
import { kindScripts } from "./find-customization.ts";

interface Needs {
  settings: { readonly current: Settings };
  lua: Pick<LuaThread, "run">;
  clock: Clock;
}

interface Asker {
  /** Who shares the scripts' time. */
  asker: string;
  signal: AbortSignal;
}

export interface ActionCall extends Asker {
  name: string;
  parameters: Readonly<Record<string, string>>;
}

/** What people may have done to an object: the operator's scripts beside, or in place of, the built-in actions. */
export class CustomActions {
  readonly #needs: Needs;
  readonly #find: ReturnType<typeof kindScripts>;

  constructor(needs: Needs) {
    this.#needs = needs;
    this.#find = kindScripts(needs.settings);
  }

  /** Whether the operator has scripts for objects of its kind. */
  areOwn(live: Manifest): boolean {
    return this.#find(live).actions !== undefined;
  }

  /** The operator's by name, then the built-in ones. Rejects with CapstanError where a script cannot tell. */
  async offered(live: Manifest, asker: Asker): Promise<OfferedAction[]> {
    const { actions: scripts } = this.#find(live);
    const found = new Map<string, OfferedAction>();
    if (scripts && scripts.discovery.trim() !== "")
      for (const one of await this.#discover(live, scripts, asker)) found.set(one.name, one);
    if (!scripts || scripts.mergesBuiltIn)
      for (const one of offeredActions(live)) if (!found.has(one.name)) found.set(one.name, one);
    return [...found.values()];
  }

  /**
   * What the action wants done: the operator's definition of that name, else the built-in one, offered or not (util/lua
   * GetResourceAction). Patches are of this very object. Rejects with CapstanError.
   */
  async perform(live: Manifest, call: ActionCall): Promise<readonly ImpactedObject[]> {
    const { actions: scripts } = this.#find(live);
    const definition = scripts?.definitions.find(({ name }) => name === call.name);
    if (scripts && definition) return this.#run(live, { script: definition.script, key: scripts.key }, call);
    const { name, parameters } = call;
    const impacted = performBuiltIn(live, name, { nowMs: this.#needs.clock.now(), parameters });
    if (impacted) return impacted;
    const known = (await this.offered(live, call)).map((one) => one.name);
    const has = known.length > 0 ? `; it has ${known.join(", ")}` : "";
    const problem = `${formatKey(keyOf(live))} has no action "${name}"${has}`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "action", problem });
  }

  async #discover(live: Manifest, { discovery, key }: ActionScripts, asker: Asker): Promise<OfferedAction[]> {
    const where = { what: `discovery.lua of ${key}`, live };
    // Without other libraries: Argo CD opens them for scripts of its own alone (server/application.go getAvailableActions).
    const run = { script: discovery, openLibs: false, object: live, asker: asker.asker };
    return saying(where, async () => readOffered(await this.#needs.lua.run(run, asker.signal)));
  }

  async #run(
    live: Manifest,
    { script, key }: { script: string; key: string },
    { asker, name, parameters, signal }: ActionCall,
  ): Promise<readonly ImpactedObject[]> {
    const run = { script, openLibs: false, object: live, parameters, asker };
    const where = { what: `action.lua of "${name}" in ${key}`, live };
    return saying(where, async () => readImpacted(await this.#needs.lua.run(run, signal), live));
  }
}

async function saying<Value>(
  { what, live }: { what: string; live: Manifest },
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error;
    const problem = `${what} failed for ${formatKey(keyOf(live))}: ${messageOf(error)}`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: "the action", problem }, error);
  }
}

function refusal(problem: string): ScriptError {
  return new ScriptError("value", problem);
}

/** util/lua ExecuteResourceActionDiscovery: a table of actions by name; an empty one has none. */
function readOffered(given: unknown): OfferedAction[] {
  if (Array.isArray(given) && given.length === 0) return [];
  if (!isRecord(given)) throw refusal("expect table output from Lua script with actions by their names");
  // Lua keeps no order.
  const sorted = Object.entries(given).sort(([left], [right]) => (left < right ? -1 : 1));
  return sorted.map(([name, facts]) => {
    const { disabled, displayName, iconClass, params } = isRecord(facts) ? facts : {};
    const named = Array.isArray(params) ? params.filter(isRecord) : [];
    return {
      name,
      disabled: disabled === true,
      ...(typeof displayName === "string" ? { displayName } : {}),
      ...(typeof iconClass === "string" ? { iconClass } : {}),
      ...(named.length > 0 ? { params: named.map((param) => ({ name: String(param.name ?? "") })) } : {}),
    };
  });
}

/** Old scripts give the object as it should become; newer ones a list (util/lua ExecuteResourceAction). */
function readImpacted(given: unknown, live: Manifest): ImpactedObject[] {
  if (Array.isArray(given)) return given.map((one) => readOne(one, live));
  if (!isRecord(given)) throw refusal("expect table output from Lua script");
  return [readOne({ operation: "patch", resource: given }, live)];
}

function readOne(given: unknown, live: Manifest): ImpactedObject {
  const { operation, resource } = isRecord(given) ? given : {};
  if (operation !== "patch" && operation !== "create")
    throw refusal(`unsupported operation: ${JSON.stringify(operation)}; there are "patch" and "create"`);
  const object = operation === "patch" ? asBefore(resource, live) : resource;
  if (!isManifest(object)) throw refusal("a resource has no apiVersion, kind or metadata.name");
  const isOther = !sameKey(keyOf(object), keyOf(live)) || object.apiVersion !== live.apiVersion;
  if (operation === "patch" && isOther)
    throw refusal("a patch may change the object alone on which the action runs");
  return { operation, object };
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || !isRecord(value.metadata)) return false;
  const { name, namespace } = value.metadata;
  const named =
    typeof name === "string" && name !== "" && (namespace === undefined || typeof namespace === "string");
  return typeof value.apiVersion === "string" && typeof value.kind === "string" && named;
}

/** Lua knows no difference between an empty list and an empty object: what was an object stays one. */
function asBefore(value: unknown, before: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 && isRecord(before)) return {};
    return Array.isArray(before) ? value.map((item, at) => asBefore(item, before[at])) : value;
  }
  if (!isRecord(value) || !isRecord(before)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, asBefore(field, before[name])]),
  );
}
