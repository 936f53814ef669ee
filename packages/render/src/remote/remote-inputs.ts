import { hasGlob, matchesFiles } from "@capstan/formats";
import {
  type Inputs,
  joinWithin,
  pluginEnv,
  type RenderContext,
  walk,
  withoutRevision,
} from "@capstan/plugin-kit";
import type { pluginV1 } from "@capstan/wire/plugin-protocols";

/** Of a plugin that says nothing: the whole repository and everything that it is told. */
export function wholeInputs(context: RenderContext, identity: string): Inputs {
  return {
    paths: [""],
    refs: Object.fromEntries(Object.keys(context.refs).map((name) => [name, [""]])),
    facts: { identity, path: context.path, env: pluginEnv(context), source: context.source },
  };
}

/**
 * Of a plugin that says nothing, for an application that does: annotation manifest-generate-paths, as Argo CD keeps a
 * rendering for a new commit that changes nothing below them (reposerver UpdateRevisionForPaths).
 */
export async function annotatedInputs(context: RenderContext, identity: string): Promise<Inputs> {
  const paths = (context.manifestGeneratePaths ?? "").split(";").map((path) => path.trim());
  const globs = paths.filter((path) => path !== "");
  return globs.length === 0
    ? wholeInputs(context, identity)
    : declaredInputs(context, identity, { globs, pathOnly: true });
}

/** The same of a plugin whose reading is observed: the commit's id counts only where the output shows it. */
export function observedInputs(context: RenderContext, identity: string): Inputs {
  const facts = {
    identity,
    path: context.path,
    env: withoutRevision(pluginEnv(context)),
    source: context.source,
  };
  return { ...wholeInputs(context, identity), facts };
}

/** Of a plugin that names what it reads: from the repository's root with a leading slash, else from the application's. */
export async function declaredInputs(
  context: RenderContext,
  identity: string,
  { globs, pathOnly }: Pick<pluginV1.Inputs, "globs" | "pathOnly">,
): Promise<Inputs> {
  const { facts } = observedInputs(context, identity);
  const paths = new Set<string>(pathOnly ? [context.path] : []);
  for (const glob of globs) for (const path of await readGlob(context, glob)) paths.add(path);
  return { paths: [...paths].sort(), refs: {}, facts: { ...Object(facts), globs, pathOnly } };
}

/** A glob takes the files that match now; what is no glob is kept also where nothing is there yet. */
async function readGlob({ tree, path }: RenderContext, glob: string): Promise<string[]> {
  const from = glob.startsWith("/") ? "" : path;
  const whole = joinWithin(from, glob.replace(/^\/+/, ""));
  if (whole === undefined) return [];
  if (!hasGlob(glob)) return [whole];
  const start = fixedPart(whole);
  return (await walk(tree, start))
    .filter((entry) => matchesFiles(whole, entry.path))
    .map((entry) => entry.path);
}

/** The directories of a glob before its first sign. */
function fixedPart(glob: string): string {
  const parts = glob.split("/");
  const first = parts.findIndex((part) => hasGlob(part));
  return parts.slice(0, first).join("/");
}
