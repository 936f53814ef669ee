import { parseJson, stringifyJson } from "@capstan/formats";
import { CapstanError, isCapstanError, messageOf, parsePlacedManifests } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";

/** YAML files that are not meant for Kubernetes are passed over, unless they look like it. */
export function readYamlFile(text: string, file: string): GeneratedManifest[] {
  try {
    return placed(text, file);
  } catch (error) {
    const looksMeant = ["apiVersion:", "kind:", "metadata:"].every((sign) => text.includes(sign));
    if (looksMeant || !isCapstanError(error)) throw error;
    return [];
  }
}

/** A JSON file holds exactly one object, which may be a List. */
export function readJsonFile(text: string, file: string): GeneratedManifest[] {
  try {
    parseJson(text);
  } catch (error) {
    const line = Number(/line (\d+)/.exec(messageOf(error))?.[1] ?? 1);
    throw new CapstanError(
      { code: "MANIFEST_INVALID", file, line, problem: `invalid JSON: ${messageOf(error)}` },
      error,
    );
  }
  return placed(text, file);
}

/** What jsonnet gives: an object, or lists of objects to any depth. */
export function readJsonnetData(data: unknown, file: string): GeneratedManifest[] {
  return [data]
    .flat(Number.POSITIVE_INFINITY)
    .flatMap((object) =>
      placed(stringifyJson(object), file).map(({ manifest }) => ({ manifest, origin: { file } })),
    );
}

function placed(text: string, file: string): GeneratedManifest[] {
  return parsePlacedManifests(text, { file }).map(({ manifest, document, line }) => ({
    manifest,
    origin: { file, document, line },
  }));
}
