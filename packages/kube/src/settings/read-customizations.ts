import { isRecord } from "@capstan/formats";
import { messageOf, parseYaml } from "@capstan/model";
import type { ValueReader } from "./read-values.ts";
import type { ActionScripts, HealthScript, KindCustomization } from "./settings.ts";

const blockKey = "resource.customizations";
const healthPrefix = "resource.customizations.health.";
const actionsPrefix = "resource.customizations.actions.";
const prefixes: readonly string[] = [healthPrefix, actionsPrefix, "resource.customizations.useOpenLibs."];

interface Draft {
  health?: { key: string; script: string };
  actions?: { key: string; text: string };
  openLibs: boolean;
}

/**
 * Scripts for kinds, by pattern ("apps/Deployment", "Pod", "*.crossplane.io/*"). Two forms: the block, a YAML text, and
 * keys of its own for each part, which go before it (util/settings GetResourceOverrides).
 */
export function readCustomizations(
  reader: ValueReader,
  { block, raw }: { block: unknown; raw: Readonly<Record<string, string>> },
): KindCustomization[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (pattern: string): Draft => {
    const draft = drafts.get(pattern) ?? { openLibs: false };
    drafts.set(pattern, draft);
    return draft;
  };
  for (const [pattern, parts] of Object.entries(isRecord(block) ? block : {})) {
    if (isRecord(parts)) readBlock(draftOf(pattern), { pattern, parts, reader });
    else reader.problem(blockKey, `${pattern} is not an object`);
  }
  for (const [key, text] of Object.entries(raw)) {
    const prefix = prefixes.find((one) => key.startsWith(one));
    if (prefix === undefined) continue;
    const pattern = patternOf(key.slice(prefix.length));
    if (pattern === undefined) reader.problem(key, "is not <group>_<Kind> or <Kind>");
    else if (prefix === healthPrefix) draftOf(pattern).health = { key, script: text };
    else if (prefix === actionsPrefix) draftOf(pattern).actions = { key, text };
    else draftOf(pattern).openLibs = reader.boolean(key, false);
  }
  return Array.from(drafts, ([pattern, draft]) => finish(reader, pattern, draft)).filter(
    ({ health, actions }) => health !== undefined || actions !== undefined,
  );
}

/** util/settings convertToOverrideKey. */
function patternOf(name: string): string | undefined {
  if (name === "all") return "*/*";
  const [first = "", second, ...rest] = name.split("_");
  if (name === "" || rest.length > 0) return undefined;
  return second === undefined ? first : `${first}/${second}`;
}

interface Block {
  pattern: string;
  parts: Readonly<Record<string, unknown>>;
  reader: ValueReader;
}

function readBlock(draft: Draft, { pattern, parts, reader }: Block): void {
  const textOf = (field: string): string | undefined => {
    const text = parts[field];
    if (text === undefined || text === null || typeof text === "string") return text || undefined;
    reader.problem(blockKey, `${pattern}: ${field} is not a text`);
    return undefined;
  };
  const [script, actions] = [textOf("health.lua"), textOf("actions")];
  const openLibs = parts["health.lua.useOpenLibs"];
  if (script !== undefined) draft.health = { key: `${blockKey}: ${pattern}: health.lua`, script };
  if (actions !== undefined) draft.actions = { key: `${blockKey}: ${pattern}: actions`, text: actions };
  draft.openLibs = openLibs === true;
  if (openLibs !== undefined && typeof openLibs !== "boolean")
    reader.problem(blockKey, `${pattern}: health.lua.useOpenLibs is neither true nor false`);
}

function finish(
  reader: ValueReader,
  pattern: string,
  { health, actions, openLibs }: Draft,
): KindCustomization {
  const script: HealthScript | undefined =
    health && health.script.trim() !== "" ? { ...health, openLibs } : undefined;
  const read = actions && readActions(reader, actions);
  return { pattern, ...(script ? { health: script } : {}), ...(read ? { actions: read } : {}) };
}

/** pkg/apis types ResourceActions. */
function readActions(
  reader: ValueReader,
  { key, text }: { key: string; text: string },
): ActionScripts | undefined {
  // Not under the block's own key: what cannot be read there holds every application.
  const problem = (said: string): undefined => {
    reader.problem(key, said);
  };
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    return problem(messageOf(error));
  }
  if (value === null || value === undefined) return undefined;
  if (!isRecord(value)) return problem("is not an object with discovery.lua and definitions");
  const { definitions = [], mergeBuiltinActions = false } = value;
  const discovery = value["discovery.lua"] ?? "";
  if (typeof discovery !== "string") return problem("discovery.lua is not a text");
  if (!Array.isArray(definitions)) return problem("definitions is not a list");
  const read = definitions.map((one) => {
    const fields = isRecord(one) ? one : {};
    return { name: fields.name, script: fields["action.lua"] };
  });
  const known = read.filter(isDefinition);
  if (known.length < read.length) problem("a definition has no name, or no action.lua");
  return { key, discovery, definitions: known, mergesBuiltIn: mergeBuiltinActions === true };
}

function isDefinition(one: { name: unknown; script: unknown }): one is { name: string; script: string } {
  return typeof one.name === "string" && one.name !== "" && typeof one.script === "string";
}
