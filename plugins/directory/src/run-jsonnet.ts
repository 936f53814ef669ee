import {
  collectSources,
  type ExternalValue,
  evaluateSources,
  JsonnetError,
  type JsonnetRequest,
} from "@capstan/jsonnet";
import { CapstanError } from "@capstan/model";
import {
  expandEnv,
  type GeneratedManifest,
  joinWithin,
  type RenderContext,
  traceLinks,
} from "@capstan/plugin-kit";
import { readJsonnetData } from "./read-file.ts";

type Variables = readonly { name: string; value: string; code?: boolean }[];

/** Libraries are looked for beside the importing file, in the application's directory and in `libs` of the repository. */
function requestOf(file: string, context: RenderContext, onRead: (path: string) => void): JsonnetRequest {
  const { extVars = [], tlas = [], libs = [] } = context.source.directory?.jsonnet ?? {};
  const external = (variables: Variables): ExternalValue[] =>
    variables.map(({ name, value, code = false }) => ({ name, value: expandEnv(value, context.env), code }));
  return {
    file,
    read: async (path) => {
      const { entry, needed } = await traceLinks(context.tree, path);
      for (const one of needed) onRead(one);
      const isFile = entry?.kind === "file" || entry?.kind === "executable";
      return isFile ? (await context.tree.read(entry)).toString() : undefined;
    },
    libs: [context.path, ...libs.map(libraryPath)],
    extVars: external(extVars),
    tlas: external(tlas),
  };
}

function libraryPath(lib: string): string {
  const path = joinWithin("", lib);
  if (path === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: lib, field: "directory.jsonnet.libs" });
  return path;
}

/** A mistake in a program is told as one in a manifest: with file and line. */
function asFailure(error: unknown, file: string): unknown {
  if (!(error instanceof JsonnetError)) return error;
  const { location, problem } = error;
  return new CapstanError({
    code: "MANIFEST_INVALID",
    file: location?.file ?? file,
    line: location?.line ?? 1,
    problem: `jsonnet: ${problem}`,
  });
}

export async function renderJsonnet(
  file: string,
  context: RenderContext,
  signal: AbortSignal,
): Promise<GeneratedManifest[]> {
  try {
    const sources = await collectSources(requestOf(file, context, () => undefined));
    return readJsonnetData(await evaluateSources(sources, signal), file);
  } catch (error) {
    throw asFailure(error, file);
  }
}

/** Every path that the program imports or looks for in vain, and what else its output depends on. */
export async function jsonnetInputs(
  file: string,
  context: RenderContext,
): Promise<{ paths: string[]; facts: unknown }> {
  const paths = new Set<string>();
  try {
    const { extVars, tlas, imports } = await collectSources(
      requestOf(file, context, (path) => paths.add(path)),
    );
    return { paths: [...paths], facts: { extVars, tlas, imports: [...imports] } };
  } catch (error) {
    throw asFailure(error, file);
  }
}
