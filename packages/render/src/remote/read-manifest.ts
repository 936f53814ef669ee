import { parseJson } from "@capstan/formats";
import { CapstanError, isManifest } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";
import { BadAnswer } from "./bad-answer.ts";

/** A manifest with its place; the plugin's server should have looked whether it is one. */
export function readManifest(plugin: string, told: pluginV1.Manifest, index: number): GeneratedManifest {
  const value = parseOrNothing(told.json);
  if (!isManifest(value)) {
    const problem = `manifest ${index + 1} of its answer is no object with apiVersion, kind and metadata`;
    throw new CapstanError({ code: "PLUGIN_FAILED", plugin, problem }, new BadAnswer(problem));
  }
  const { file, document, line } = told;
  if (file === "") return { manifest: value };
  const place = { ...(document > 0 ? { document } : {}), ...(line > 0 ? { line } : {}) };
  return { manifest: value, origin: { file, ...place } };
}

function parseOrNothing(json: string): unknown {
  try {
    return parseJson(json);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
