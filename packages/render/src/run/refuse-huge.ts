import { surveyJson } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { GeneratedManifest } from "@capstan/plugin-kit";

/** No API server takes a larger request (k8s.io/apiserver MaxRequestBodyBytes). */
const mostCharacters = 3 * 2 ** 20;
/** A definition of a kind describes each field of it; nothing else that people write has as many. */
const mostValues = 50_000;
const mostValuesOfDefinitions = 250_000;
const mostManifests = 50_000;
const mostCharactersTogether = 64 * 2 ** 20;

/**
 * Whoever compares a manifest, shows it and sends it goes over all that it has, in the process that answers everybody:
 * what no cluster would take, or nobody can mean, is refused where it was rendered. `json` is its text.
 */
export function refuseHuge({ manifest, origin }: GeneratedManifest, json: string): void {
  const problem = problemOf(manifest.kind, json);
  if (problem === undefined) return;
  const { kind, metadata } = manifest;
  const what = `${kind} ${metadata.name ?? metadata.generateName ?? ""}`;
  throw new CapstanError({ code: "MANIFEST_INVALID", ...origin, problem: `${what} ${problem}` });
}

function problemOf(kind: string, json: string): string | undefined {
  if (json.length > mostCharacters)
    return `is larger than the ${mostCharacters} bytes that a Kubernetes API server takes: split it`;
  const most = kind === "CustomResourceDefinition" ? mostValuesOfDefinitions : mostValues;
  // A value takes two characters at least.
  if (json.length / 2 <= most || surveyJson(json).values <= most) return undefined;
  return `has more than ${most} values: split it`;
}

export function refuseTooMany(manifests: number, characters: number): void {
  const problem =
    manifests > mostManifests
      ? `the render has ${manifests} manifests, more than ${mostManifests}: split it into several applications`
      : characters > mostCharactersTogether
        ? `the render has ${characters} bytes of manifests, more than ${mostCharactersTogether}: split it into several applications`
        : undefined;
  if (problem !== undefined) throw new CapstanError({ code: "MANIFEST_INVALID", problem });
}
