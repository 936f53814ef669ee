import { jsonBudget, parseBoundedJson } from "@capstan/formats";
import { CapstanError, messageOf } from "../failures/capstan-error.ts";
import { isManifest, type Manifest } from "../manifest.ts";

/**
 * The manifests that somebody brings along (argocd app sync --local): each a JSON text, as Argo CD reads them
 * (controller/sync.go unmarshalManifests). All together are bounded.
 */
export function parseGivenManifests(texts: readonly string[]): Manifest[] {
  const budget = jsonBudget();
  return texts.map((text, index) =>
    parseGivenManifest(text, { file: "the request", document: index + 1 }, budget),
  );
}

/** One of them, and where it stands, for errors. */
export function parseGivenManifest(
  text: string,
  place: { readonly file: string; readonly document: number },
  budget = jsonBudget(),
): Manifest {
  const invalid = (problem: string, cause?: unknown) =>
    new CapstanError({ code: "MANIFEST_INVALID", ...place, problem }, cause);
  let value: unknown;
  try {
    value = parseBoundedJson(text, budget);
  } catch (error) {
    throw invalid(`is not JSON that can be taken: ${messageOf(error)}`, error);
  }
  if (isManifest(value)) return value;
  throw invalid("is not a JSON object with apiVersion, kind and metadata");
}
