import { readFile } from "node:fs/promises";
import { isRecord } from "@capstan/formats";
import {
  type Application,
  argoApiVersion,
  CapstanError,
  describeProblem,
  inClusterServer,
  mistakesOf,
  parseYamlDocuments,
  readApplication,
  validateApplication,
  warningsOf,
  withLines,
} from "@capstan/model";
import { UsageError } from "../../command.ts";

/** What an application has that says nothing of it. */
interface Usual {
  readonly name: string;
  readonly repoURL: string;
}

/**
 * The Application of a file, of which only what a plugin uses need be there: the rest is as for an application of the
 * default project. Rejects with every field that is wrong, or is surely a typing error; other fields that nobody knows
 * are warnings.
 */
export async function readAppFile(
  file: string,
  { usual, warn }: { usual: Usual; warn: (line: string) => void },
): Promise<Application> {
  const text = await readFile(file, "utf8");
  const documents = parseYamlDocuments(text, { file });
  const found = documents.find(({ value }) => isRecord(value) && value.kind === "Application");
  if (!found) throw new UsageError(`${file} holds no Application`);
  const whole = completed(found.value, usual);
  const problems = withLines(validateApplication(whole), text, found.document);
  const mistakes = mistakesOf(problems);
  if (mistakes.length > 0) throw new CapstanError({ code: "INVALID_SPEC", what: file, problems: mistakes });
  for (const problem of warningsOf(problems)) warn(`${file}: ${describeProblem(problem)}\n`);
  return readApplication(whole);
}

function completed(value: unknown, { name, repoURL }: Usual): unknown {
  if (!isRecord(value)) return value;
  const { metadata, spec } = value;
  const whole = { apiVersion: argoApiVersion, ...value, metadata: filled({ name }, metadata) };
  if (spec !== undefined && !isRecord(spec)) return whole;
  const { destination, source, sources } = spec ?? {};
  const cluster = isRecord(destination) && "name" in destination ? {} : { server: inClusterServer };
  const origin = (one: unknown) =>
    filled(isRecord(one) && "chart" in one ? { repoURL } : { repoURL, path: "." }, one);
  return {
    ...whole,
    spec: {
      project: "default",
      ...spec,
      destination: filled({ ...cluster, namespace: "default" }, destination),
      ...(Array.isArray(sources) ? { sources: sources.map(origin) } : { source: origin(source) }),
    },
  };
}

/** What is no object is left as it is, to be complained of. */
function filled(usual: { [field: string]: unknown }, given: unknown): unknown {
  return given === undefined ? usual : isRecord(given) ? { ...usual, ...given } : given;
}
