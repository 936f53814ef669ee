import { isRecord, parseYaml } from "@capstan/model";
import { followLinks, joinWithin, type SourceTree } from "@capstan/plugin-kit";

export interface Dependency {
  name: string;
  repository: string;
}

/** What a chart's Chart.yaml and, before Helm 3, its requirements.yaml depend on. */
export async function readDependencies(tree: SourceTree, chart: string): Promise<Dependency[]> {
  const found: Dependency[] = [];
  for (const name of ["Chart.yaml", "requirements.yaml"]) {
    const file = chart === "" ? name : `${chart}/${name}`;
    const entry = await followLinks(tree, file);
    if (entry?.kind !== "file" && entry?.kind !== "executable") continue;
    const content = parseYaml((await tree.read(entry)).toString(), { file });
    const listed = isRecord(content) && Array.isArray(content.dependencies) ? content.dependencies : [];
    for (const one of listed.filter(isRecord))
      found.push({ name: String(one.name ?? ""), repository: String(one.repository ?? "") });
  }
  return found;
}

/** The chart's directory and those of charts it takes from the same repository by `file://`. */
export async function chartDirectories(tree: SourceTree, chart: string): Promise<string[]> {
  const found = new Set<string>();
  const waiting = [chart];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    for (const { repository } of await readDependencies(tree, next)) {
      if (!repository.startsWith("file://")) continue;
      const target = joinWithin(next, repository.slice("file://".length));
      if (target !== undefined) waiting.push(target);
    }
  }
  return [...found];
}
