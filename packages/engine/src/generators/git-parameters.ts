import type { TerminalGenerator } from "@capstan/model";
import type { GitAnswer, GitQuestion } from "./facts.ts";
import { GenerationError } from "./generation-error.ts";
import { flattenParameters, normalizeName, type Parameters } from "./parameters.ts";
import { type Templates, withValues } from "./templates.ts";

type Git = NonNullable<TerminalGenerator["git"]>;

/** What has to be known for a git generator; directories win over files, as in Argo CD. */
export function gitQuestion({ repoURL, revision = "", directories = [], files = [] }: Git): GitQuestion {
  const whole = (patterns: typeof files) => patterns.map(({ path, exclude = false }) => ({ path, exclude }));
  if (directories.length > 0) return { repoURL, revision, directories: whole(directories) };
  if (files.length > 0) return { repoURL, revision, files: whole(files) };
  throw new GenerationError("git: it names neither directories nor files");
}

interface Form {
  readonly templates: Templates;
  readonly isGo: boolean;
}

/** applicationset/generators GitGenerator. */
export function gitParameters(git: Git, answer: GitAnswer, form: Form): Parameters[] {
  const { directories, files } = answer;
  const sets = directories
    ? directories.map((path) => ofDirectory(path, git, form.isGo))
    : (files ?? []).flatMap(({ path, objects }) =>
        objects.map((object) => ofFile(path, object, { git, isGo: form.isGo })),
      );
  return sets.map((set) => withValues(set, git.values, form));
}

function ofDirectory(path: string, { pathParamPrefix = "" }: Git, isGo: boolean): Parameters {
  const basename = baseOf(path);
  if (isGo)
    return underPrefix(pathParamPrefix, {
      path,
      basename,
      basenameNormalized: normalizeName(basename),
      segments: path.split("/"),
    });
  return texts(pathParamPrefix, path, { basename, basenameNormalized: normalizeName(basename) });
}

function ofFile(
  file: string,
  object: Readonly<Record<string, unknown>>,
  { git: { pathParamPrefix = "" }, isGo }: { git: Git; isGo: boolean },
): Parameters {
  const path = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : ".";
  const [basename, filename] = [baseOf(path), baseOf(file)];
  const names = {
    basename,
    filename,
    basenameNormalized: normalizeName(basename),
    filenameNormalized: normalizeName(filename),
  };
  if (isGo)
    return { ...object, ...underPrefix(pathParamPrefix, { path, ...names, segments: path.split("/") }) };
  return { ...flattenParameters(object), ...texts(pathParamPrefix, path, names) };
}

function underPrefix(prefix: string, path: Parameters): Parameters {
  return prefix === "" ? { path } : { [prefix]: { path } };
}

function texts(prefix: string, path: string, names: Readonly<Record<string, string>>): Parameters {
  const root = prefix === "" ? "path" : `${prefix}.path`;
  const segments = path.split("/").map((segment, index): [string, string] => [`${root}[${index}]`, segment]);
  return Object.fromEntries([
    [root, path],
    ...Object.entries(names).map(([name, value]): [string, string] => [`${root}.${name}`, value]),
    ...segments.filter(([, segment]) => segment !== ""),
  ]);
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
