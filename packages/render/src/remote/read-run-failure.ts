import { isRecord, parseJson } from "@capstan/formats";
import { CapstanError, type Failure } from "@capstan/model";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";

const longestText = 16_000;

/** A failure that a plugin told, with its facts where they are what they should be; else its words. */
export function readRunFailure(plugin: string, { code, factsJson, message }: pluginV1.Failure): CapstanError {
  const problem = message.slice(0, longestText) || `it failed with ${code || "no reason"}`;
  const facts = readFacts(factsJson);
  // An author's PluginError: its problem without the plugin's name, and its place.
  if (code === "PLUGIN_FAILED" && typeof facts.problem === "string")
    return new CapstanError({
      code,
      plugin,
      ...placeOf(facts),
      problem: facts.problem.slice(0, longestText),
    });
  return new CapstanError(readFailure(code, facts) ?? { code: "PLUGIN_FAILED", plugin, problem });
}

function readFacts(json: string): Record<string, unknown> {
  try {
    const facts = parseJson(json);
    return isRecord(facts) ? facts : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function readFailure(code: string, facts: Record<string, unknown>): Failure | undefined {
  const text = (name: string) => {
    const value = facts[name];
    return typeof value === "string" ? value.slice(0, longestText) : undefined;
  };
  const number = (name: string) => (typeof facts[name] === "number" ? facts[name] : undefined);
  const [tool, command, exitCode, stderr] = [
    text("tool"),
    text("command"),
    number("exitCode"),
    text("stderr"),
  ];
  const [what, file, problem] = [text("what"), text("file"), text("problem")];
  if (code === "TOOL_FAILED" && tool !== undefined && command !== undefined && exitCode !== undefined)
    return { code, tool, command, exitCode, stderr: stderr ?? "" };
  if (code === "TOOL_MISSING" && tool !== undefined) return { code, tool };
  const [afterMs, limitBytes] = [number("afterMs"), number("limitBytes")];
  if (code === "TIMED_OUT" && what !== undefined && afterMs !== undefined) return { code, what, afterMs };
  if (code === "OUTPUT_TOO_LARGE" && what !== undefined && limitBytes !== undefined)
    return { code, what, limitBytes };
  const target = text("target");
  if (code === "SYMLINK_OUTSIDE" && file !== undefined && target !== undefined) return { code, file, target };
  if (code === "FILE_MISSING" && file !== undefined) return { code, file };
  if ((code === "YAML_INVALID" || code === "MANIFEST_INVALID") && problem !== undefined)
    return { code, ...placeOf(facts), problem };
  return undefined;
}

interface Place {
  file?: string;
  document?: number;
  line?: number;
  column?: number;
}

function placeOf({ file, ...facts }: Record<string, unknown>): Place {
  const place: Place = {};
  if (typeof file === "string") place.file = file.slice(0, longestText);
  for (const name of ["document", "line", "column"] as const) {
    const value = facts[name];
    if (typeof value === "number") place[name] = value;
  }
  return place;
}
