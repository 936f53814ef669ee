import { nearestName } from "@capstan/formats";
import { isBuiltInTool, type PluginParameter } from "@capstan/model";
import type { SourceDescription } from "@capstan/wire";
import { UsageError } from "./command.ts";

/** `name=value` is text, `name[]=value` one item of a list, `name[key]=value` one entry of a map. */
export function readPluginParameters(texts: readonly string[]): PluginParameter[] {
  const found = new Map<string, PluginParameter>();
  for (const text of texts) {
    const match = /^([^=[\]]+)(?:\[([^\]]*)\])?=(.*)$/s.exec(text);
    const [, name, key, value = ""] = match ?? [];
    if (name === undefined)
      throw new UsageError(
        `--plugin-parameter: "${text}" is neither name=value nor name[]=value nor name[key]=value`,
      );
    const one = found.get(name) ?? { name };
    found.set(name, one);
    if (key === undefined) one.string = value;
    else if (key === "") one.array = [...(one.array ?? []), value];
    else one.map = { ...one.map, [key]: value };
  }
  return [...found.values()];
}

/** Refuses a value of which the plugin says that it is none: before a render does, and with what there is. */
export function checkChoices(
  parameters: readonly PluginParameter[],
  { stages }: Pick<SourceDescription, "stages">,
): void {
  for (const { name: address = "", string: value } of parameters) {
    if (value === undefined) continue;
    for (const { name: stage, announced } of stages) {
      const name = stages.length > 1 ? address.replace(`${stage}/`, "") : address;
      const choices = announced.find((one) => one.name === name)?.choices ?? [];
      if (choices.length > 0 && !choices.includes(value))
        throw new UsageError(`parameter ${address}: "${value}" is none of ${choices.join(", ")}`);
    }
  }
}

/**
 * A line for each parameter that no plugin announces, where all that may get it announce some. No error: a plugin may
 * take more than it says.
 */
export function unannounced(
  parameters: readonly PluginParameter[],
  { stages }: Pick<SourceDescription, "stages">,
): string[] {
  return parameters.flatMap(({ name: address = "" }) => {
    const slash = stages.length > 1 ? address.indexOf("/") : -1;
    const stage = address.slice(0, Math.max(slash, 0));
    const takers = stages.filter(({ name, plugin }) =>
      slash < 0 ? !isBuiltInTool(plugin) : name === stage && !isBuiltInTool(plugin),
    );
    if (takers.length === 0 || takers.some(({ announced }) => announced.length === 0)) return [];
    const known = takers.flatMap(({ announced }) => announced.map(({ name = "" }) => name));
    const name = address.slice(slash + 1);
    if (known.includes(name)) return [];
    const near = nearestName(name, known);
    return [`${takers[0]?.plugin} announces no parameter "${name}"${near ? `; did you mean ${near}?` : ""}`];
  });
}
