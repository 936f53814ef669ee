import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";
import { isWithin, joinWithin, type SourceTree, traceLinks } from "@capstan/plugin-kit";
import { readKustomization } from "./kustomization-file.ts";

export interface References {
  /** Files and directories that a build may read. */
  paths: string[];
  /** Something comes from elsewhere, which no digest of this repository covers. */
  isRemote: boolean;
  /** Addresses of bases and files elsewhere. */
  remotes: RemoteReference[];
  charts: RemoteChart[];
  /** A kustomization configures generators or transformers by files, which may name anything. */
  isConfigured: boolean;
}

/** What the kustomization of a directory names. */
export interface RemoteReference {
  address: string;
  /** From the repository's root. */
  directory: string;
  /** It can only be a file. */
  isFile: boolean;
}

/** A chart of `helmCharts` that is not in the repository. */
export interface RemoteChart {
  repository: string;
  name: string;
  /** Empty: the newest. */
  version: string;
  /** Directory of charts, from the repository's root. */
  home: string;
}

/** Fields whose strings are files or directories with a kustomization of their own. */
export const listFields = [
  "resources",
  "bases",
  "components",
  "crds",
  "configurations",
  "generators",
  "transformers",
  "validators",
  "patchesStrategicMerge",
];
const configured = ["generators", "transformers", "validators"];
/** Of these, what may be a directory. */
const directories = ["resources", "bases", "components", ...configured];
/** Fields whose objects name a file by `path`. */
export const pathFields = ["patches", "patchesJson6902", "replacements"];
export const generatorFields = ["configMapGenerator", "secretGenerator"];
/** Fields of charts, which name files of values. */
export const chartFields = ["helmCharts"];
/** Fields that read nothing. */
const plain = new Set([
  "apiVersion",
  "kind",
  "metadata",
  "namespace",
  "namePrefix",
  "nameSuffix",
  "commonLabels",
  "commonAnnotations",
  "labels",
  "images",
  "imageTags",
  "replicas",
  "vars",
  "generatorOptions",
  "buildMetadata",
  "sortOptions",
  "inventory",
]);

/** A tree does not change: what is asked for its digest and again for the build is found once. */
const known = new WeakMap<SourceTree, Map<string, Promise<References>>>();

/**
 * What a kustomize build of a directory reads, found by following its kustomization files (kustomize
 * api/types/kustomization.go). A field that is not known here counts as reading its whole directory.
 */
export async function findReferences(
  tree: SourceTree,
  directory: string,
  extra: readonly string[],
): Promise<References> {
  const ofTree = known.get(tree) ?? new Map<string, Promise<References>>();
  known.set(tree, ofTree);
  const key = JSON.stringify([directory, extra]);
  const finding = ofTree.get(key) ?? followReferences(tree, directory, extra);
  ofTree.set(key, finding);
  return finding;
}

async function followReferences(
  tree: SourceTree,
  directory: string,
  extra: readonly string[],
): Promise<References> {
  const found = new Set<string>();
  const remotes: RemoteReference[] = [];
  let isConfigured = false;
  const charts: RemoteChart[] = [];
  const visited = new Set<string>();
  const first = [".", ...extra];
  const waiting = first.map((text) => ({ from: directory, text, isFile: false }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const path = next.text.includes("\n") ? undefined : joinWithin(next.from, next.text);
    if (next.text.startsWith("/") || path === undefined) continue;
    const { entry, needed } = await traceLinks(tree, path);
    if (!entry && looksRemote(next.text))
      remotes.push({ address: next.text, directory: next.from, isFile: next.isFile });
    if (entry?.kind !== "directory") for (const one of needed) found.add(one);
    if (entry?.kind !== "directory" || visited.has(entry.path)) continue;
    visited.add(entry.path);
    for (const one of needed.slice(0, -1)) found.add(one);
    const kustomization = await readKustomization(tree, entry.path);
    if (!kustomization) {
      found.add(entry.path);
      continue;
    }
    for (const one of (await traceLinks(tree, kustomization.path)).needed) found.add(one);
    if (readsMore(kustomization.content)) found.add(entry.path);
    charts.push(...remoteCharts(kustomization.content, entry.path));
    for (const one of await inflations(tree, entry.path, kustomization.content))
      charts.push(...remoteCharts({ helmCharts: [one], helmGlobals: one }, entry.path));
    const from = entry.path;
    isConfigured ||= configured.some((field) => kustomization.content[field] !== undefined);
    const bases = new Set(listedIn(kustomization.content, directories));
    waiting.push(
      ...namedFiles(kustomization.content).map((text) => ({ from, text, isFile: !bases.has(text) })),
    );
  }
  const all = [...found];
  return {
    paths: all.filter((path) => !all.some((other) => other !== path && isWithin(other, path))),
    isRemote: remotes.length > 0 || charts.length > 0,
    remotes,
    charts,
    isConfigured,
  };
}

function listedIn(content: Record<string, unknown>, fields: readonly string[]): unknown[] {
  return fields.flatMap((field) => {
    const items = content[field];
    return Array.isArray(items) ? items : [];
  });
}

/** What a kustomization names: files, directories and addresses elsewhere. */
export function namedFiles(content: Record<string, unknown>): string[] {
  const strings: string[] = [];
  const add = (value: unknown) => {
    if (typeof value === "string" && value !== "") strings.push(value);
  };
  const items = (field: string): unknown[] => (Array.isArray(content[field]) ? content[field] : []);
  for (const field of listFields) items(field).forEach(add);
  for (const field of pathFields) for (const item of items(field)) if (isRecord(item)) add(item.path);
  for (const field of generatorFields) for (const item of items(field)) generatorFiles(item).forEach(add);
  if (isRecord(content.openapi)) add(content.openapi.path);
  return [...strings, ...chartFiles(content)];
}

/** `files: [key=path]`, `envs: [path]`, `env: path`. */
function generatorFiles(generator: unknown): unknown[] {
  if (!isRecord(generator)) return [];
  const files = Array.isArray(generator.files) ? generator.files : [];
  const envs = Array.isArray(generator.envs) ? generator.envs : [];
  const paths = files.map((file) =>
    typeof file === "string" ? file.slice(file.indexOf("=") + 1) : undefined,
  );
  return [...paths, ...envs, generator.env];
}

function chartFiles(content: Record<string, unknown>): string[] {
  const charts = chartsOf(content);
  if (charts.length === 0) return [];
  const globals = isRecord(content.helmGlobals) ? content.helmGlobals : {};
  const home = typeof globals.chartHome === "string" ? globals.chartHome : "charts";
  return charts
    .flatMap((chart) => {
      const more = Array.isArray(chart.additionalValuesFiles) ? chart.additionalValuesFiles : [];
      return [`${home}/${chart.name}`, chart.valuesFile, ...more];
    })
    .filter((path) => typeof path === "string");
}

function remoteCharts(content: Record<string, unknown>, directory: string): RemoteChart[] {
  const charts = chartsOf(content);
  if (charts.length === 0) return [];
  const globals = isRecord(content.helmGlobals) ? content.helmGlobals : {};
  const given = typeof globals.chartHome === "string" ? globals.chartHome : "charts";
  const home = given.startsWith("/") ? undefined : joinWithin(directory, given);
  // kustomize would have helm unpack charts there.
  if (home === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: given, field: "helmGlobals.chartHome" });
  return charts
    .filter(({ repo }) => typeof repo === "string" && repo !== "")
    .map(({ repo, name, version }) => ({
      repository: String(repo),
      name: String(name ?? ""),
      version: version === undefined ? "" : String(version),
      home,
    }));
}

/** The configurations of `generators` that stand for a chart (kustomize api/internal/builtins HelmChartInflationGenerator.go). */
async function inflations(tree: SourceTree, directory: string, { generators }: Record<string, unknown>) {
  const found: Record<string, unknown>[] = [];
  for (const named of Array.isArray(generators) ? generators : []) {
    const text = typeof named === "string" ? await textOf(tree, directory, named) : "";
    if (!text.includes("HelmChartInflationGenerator")) continue;
    for (const part of text.split(/^---$/m)) {
      const content = parseYaml(part, { file: directory });
      if (isRecord(content) && content.kind === "HelmChartInflationGenerator") found.push(content);
    }
  }
  return found;
}

/** Of a generator: it stands there, or in a file. */
async function textOf(tree: SourceTree, directory: string, named: string): Promise<string> {
  if (named.includes("\n")) return named;
  const path = named.startsWith("/") ? undefined : joinWithin(directory, named);
  const { entry } = path === undefined ? {} : await traceLinks(tree, path);
  return entry?.kind === "file" || entry?.kind === "executable" ? (await tree.read(entry)).toString() : "";
}

function chartsOf(content: Record<string, unknown>): Record<string, unknown>[] {
  return Array.isArray(content.helmCharts) ? content.helmCharts.filter(isRecord) : [];
}

function readsMore(content: Record<string, unknown>): boolean {
  const known = (field: string) =>
    plain.has(field) ||
    listFields.includes(field) ||
    pathFields.includes(field) ||
    generatorFields.includes(field) ||
    chartFields.includes(field) ||
    ["openapi", "helmGlobals"].includes(field);
  return Object.keys(content).some((field) => !known(field));
}

/** Charts that are not in the repository, URLs and git addresses. */
function looksRemote(text: string): boolean {
  return /^[a-z+]+:\/\/|^[^/]+@|^git::|\/\/|^[\w.-]+\.[a-z]+\/|\?ref=/i.test(text);
}
