import { isRecord } from "@capstan/formats";
import { CapstanError, parseYaml } from "@capstan/model";
import { followLinks, joinWithin, type SourceTree } from "@capstan/plugin-kit";

export interface Dependency {
  name: string;
  /** A version or a constraint. */
  version: string;
  repository: string;
}

/** What a chart's Chart.yaml and, before Helm 3, its requirements.yaml depend on. */
export async function readDependencies(tree: SourceTree, chart: string): Promise<Dependency[]> {
  const found = await Promise.all(
    ["Chart.yaml", "requirements.yaml"].map((name) => readList(tree, chart, name)),
  );
  return found.flatMap((list) => list ?? []);
}

/**
 * The same at the versions that the chart's lock file names; one that does not fit it is refused, as `helm dependency
 * build` does.
 */
export async function lockedDependencies(tree: SourceTree, chart: string): Promise<Dependency[]> {
  const dependencies = await readDependencies(tree, chart);
  for (const name of ["Chart.lock", "requirements.lock"]) {
    const locked = await readList(tree, chart, name);
    if (!locked) continue;
    return dependencies.map((one) => {
      const fits = (lock: Dependency) => lock.name === one.name && lock.repository === one.repository;
      const lock = locked.find(fits);
      if (lock) return lock;
      throw new CapstanError({
        code: "FAILED_PRECONDITION",
        what: inChart(chart, name),
        problem: `it does not have the dependency ${one.name} of Chart.yaml. Run: helm dependency update`,
      });
    });
  }
  return dependencies;
}

/** Whether the chart brings a dependency itself: as a directory or packed. */
export async function isVendored(tree: SourceTree, chart: string, { name }: Dependency): Promise<boolean> {
  const entries = await tree.list(inChart(chart, "charts"));
  return entries.some((entry) => entry.name === name || entry.name.startsWith(`${name}-`));
}

/** The chart's directory and those of charts it takes from the same repository by `file://`. */
export async function chartDirectories(tree: SourceTree, chart: string): Promise<string[]> {
  const found = new Set<string>();
  const waiting = [chart];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const dependency of await readDependencies(tree, next)) {
      const target = localDirectory(next, dependency);
      if (target !== undefined) waiting.push(target);
    }
  }
  return [...found];
}

/** Of a dependency by `file://`: where it is, as long as that is in the repository. */
export function localDirectory(chart: string, { repository }: Dependency): string | undefined {
  return repository.startsWith("file://") ? joinWithin(chart, repository.slice("file://".length)) : undefined;
}

export function inChart(chart: string, name: string): string {
  return chart === "" ? name : `${chart}/${name}`;
}

/** What a chart's Chart.yaml says that it is; empty what it does not say. */
export async function readIdentity(
  tree: SourceTree,
  chart: string,
): Promise<{ name: string; version: string }> {
  const content = await readContent(tree, inChart(chart, "Chart.yaml"));
  const textOf = (field: string) => (isRecord(content) ? String(content[field] ?? "") : "");
  return { name: textOf("name"), version: textOf("version") };
}

async function readList(tree: SourceTree, chart: string, name: string): Promise<Dependency[] | undefined> {
  const content = await readContent(tree, inChart(chart, name));
  if (content === undefined) return undefined;
  const listed = isRecord(content) && Array.isArray(content.dependencies) ? content.dependencies : [];
  return listed.filter(isRecord).map((one) => ({
    name: String(one.name ?? ""),
    version: String(one.version ?? ""),
    repository: String(one.repository ?? ""),
  }));
}

/** Nothing where there is no such file. */
async function readContent(tree: SourceTree, file: string): Promise<unknown> {
  const entry = await followLinks(tree, file);
  if (entry?.kind !== "file" && entry?.kind !== "executable") return undefined;
  return parseYaml((await tree.read(entry)).toString(), { file }) ?? null;
}
