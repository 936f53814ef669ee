import { hasGlob, matchesFiles } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import {
  expandEnv,
  joinWithin,
  type RenderContext,
  type SourceTree,
  traceLinks,
  walk,
} from "@capstan/plugin-kit";

/** A file that helm reads besides the chart, or a URL. */
export type HelmFile =
  | { kind: "file"; ref: string | undefined; path: string; needed: readonly string[] }
  | { kind: "url"; url: string }
  /** Laid down for helm. */
  | { kind: "fetched"; url: string; path: string };

interface Place {
  field: string;
  ref: string | undefined;
  tree: SourceTree;
  path: string;
}

/**
 * The value files of a source in the order in which helm gets them: globs in lexical order without what is listed
 * by itself, each file at its first place only (Argo CD: util/app/path ResolveValueFilePaths).
 */
export async function resolveValueFiles(context: RenderContext): Promise<HelmFile[]> {
  const { valueFiles = [], ignoreMissingValueFiles = false } = context.source.helm ?? {};
  const listed = new Set<string>();
  const isGlob = valueFiles.map((text) => hasGlob(text));
  const found: HelmFile[][] = [];
  for (const [index, text] of valueFiles.entries()) {
    const url = readUrl(text, context);
    if (url !== undefined) found.push([{ kind: "url", url }]);
    else {
      const place = locate(text, "helm.valueFiles", context);
      const files = isGlob[index]
        ? await matchGlob(place, ignoreMissingValueFiles)
        : await readPlace(place, ignoreMissingValueFiles);
      if (!isGlob[index]) for (const file of files) listed.add(keyOf(file));
      found.push(files);
    }
  }
  const taken = new Set<string>();
  return found.flatMap((files, index) =>
    files.filter((file) => {
      const key = keyOf(file);
      if (taken.has(key) || (isGlob[index] && listed.has(key))) return false;
      taken.add(key);
      return true;
    }),
  );
}

/** One file of `fileParameters`. */
export async function resolveFileParameter(path: string, context: RenderContext): Promise<HelmFile> {
  const [file] = await readPlace(locate(path, "helm.fileParameters", context), false);
  if (!file) throw new CapstanError({ code: "FILE_MISSING", file: path, neededBy: "helm.fileParameters" });
  return file;
}

function keyOf(file: HelmFile): string {
  return file.kind !== "file" ? file.url : `${file.ref ?? ""}:${file.path}`;
}

function readUrl(text: string, { settings, env }: RenderContext): string | undefined {
  const expanded = text.startsWith("$") ? text : expandEnv(text, env);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(expanded)?.[1];
  if (scheme === undefined) return undefined;
  const allowed = settings.helmValuesFileSchemes ?? ["http", "https"];
  if (allowed.includes(scheme.toLowerCase())) return expanded;
  const problem = `${expanded}: the scheme ${scheme} is not allowed, only ${allowed.join(", ")} (helm.valuesFileSchemes)`;
  throw new CapstanError({ code: "INVALID_ARGUMENT", field: "source.helm.valueFiles", problem });
}

/** Variables after `$ref/` are replaced once the ref is known. */
function locate(text: string, field: string, { tree, path, refs, env }: RenderContext): Place {
  const match = /^\$([A-Za-z0-9_-]+)(\/.*)?$/.exec(text);
  const [, ref, rest = ""] = match ?? [];
  const referred = ref === undefined ? undefined : refs[ref];
  const expanded = expandEnv(referred ? rest : text, env);
  const target = referred ? joinWithin("", expanded) : joinWithin(path, expanded);
  if (target === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: text, field: `source.${field}` });
  return { field, ref: referred ? ref : undefined, tree: referred ?? tree, path: target };
}

async function readPlace({ tree, ref, path, field }: Place, mayMiss: boolean): Promise<HelmFile[]> {
  const { entry, needed } = await traceLinks(tree, path);
  if (entry?.kind === "file" || entry?.kind === "executable") return [{ kind: "file", ref, path, needed }];
  if (mayMiss) return [];
  const file = ref === undefined ? path : `$${ref}/${path}`;
  throw new CapstanError({ code: "FILE_MISSING", file, neededBy: `source.${field}` });
}

async function matchGlob(place: Place, mayMiss: boolean): Promise<HelmFile[]> {
  const fixed = place.path.split("/");
  const base = fixed
    .slice(
      0,
      fixed.findIndex((part) => hasGlob(part)),
    )
    .join("/");
  const paths = (await walk(place.tree, base))
    .map((entry) => entry.path)
    .filter((path) => matchesFiles(place.path, path));
  if (paths.length === 0 && !mayMiss)
    throw new CapstanError({ code: "FILE_MISSING", file: place.path, neededBy: `source.${place.field}` });
  const files: HelmFile[] = [];
  for (const path of paths.sort()) files.push(...(await readPlace({ ...place, path }, true)));
  return files;
}
