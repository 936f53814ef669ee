import { join } from "node:path";
import { newestIn } from "@capstan/formats";
import { CapstanError, isCapstanError } from "@capstan/model";
import {
  type ChartRequest,
  type Command,
  fileName,
  makeBelow,
  type RenderContext,
  type SourceTree,
  type Stage,
  writeBelow,
} from "@capstan/plugin-kit";
import {
  type Dependency,
  inChart,
  isVendored,
  localDirectory,
  lockedDependencies,
  readIdentity,
} from "./chart-dependencies.ts";

export type DependencyLogin = Pick<ChartRequest, "login" | "passCredentials">;

interface Work {
  context: RenderContext;
  stage: Stage;
  /** As helm is run for this chart. */
  template: Command;
  login: DependencyLogin;
}

const maxDepth = 10;

/** The names that helm misses, where an error of its says that. */
export function missingDependencies(error: unknown): string[] {
  if (!isCapstanError(error) || error.failure.code !== "TOOL_FAILED") return [];
  const said = /found in (?:Chart|requirements)\.yaml, but missing in charts\/ directory: (.*)/;
  const names = said.exec(error.failure.stderr)?.[1] ?? "";
  return names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Puts dependencies into the chart's charts folder: packed from the repository, or downloaded. Gives what was run. */
export async function fetchDependencies(work: Work, names: readonly string[]): Promise<Command[]> {
  const dependencies = await lockedDependencies(work.context.tree, work.context.path);
  const wanted = dependencies.filter(({ name }) => names.includes(name));
  return bring(work, { chart: work.context.path, wanted, depth: 0 });
}

async function bring(
  work: Work,
  { chart, wanted, depth }: { chart: string; wanted: readonly Dependency[]; depth: number },
): Promise<Command[]> {
  if (depth > maxDepth) {
    const problem = `its dependencies by file:// are more than ${maxDepth} deep, or go round in a circle`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what: `chart ${chart}`, problem });
  }
  const { root } = await work.stage.workspace();
  makeBelow(root, inChart(chart, "charts"));
  const commands: Command[] = [];
  const refused: Refused[] = [];
  for (const dependency of wanted) {
    const { name, repository } = dependency;
    if (repository.startsWith("file://")) commands.push(...(await pack(work, { chart, dependency, depth })));
    else if (repository !== "") {
      const archive = await download(work, dependency, refused);
      if (!archive) continue;
      const field = `the name and version of dependency ${name} of ${inChart(chart, "Chart.yaml")}`;
      const file = fileName(`${fileName(name, field)}-${archive.version}.tgz`, field);
      writeBelow(root, inChart(chart, `charts/${file}`), archive.data);
    }
  }
  const [first] = refused;
  if (!first) return commands;
  const repositories = [...new Set(refused.map(({ repository }) => repository.replace(/^oci:\/\//, "")))];
  throw new CapstanError({ code: "CHARTS_FORBIDDEN", project: first.project, repositories });
}

interface Refused {
  project: string;
  repository: string;
}

/** Nothing where the project does not permit its repository: all such are said together. */
async function download(
  { stage, login }: Work,
  { name, version, repository }: Dependency,
  refused: Refused[],
): Promise<Awaited<ReturnType<Stage["chart"]>> | undefined> {
  try {
    return await stage.chart({ repository, name, version, ...login });
  } catch (error) {
    if (!isCapstanError(error) || error.failure.code !== "SOURCE_FORBIDDEN") throw error;
    refused.push(error.failure);
    return undefined;
  }
}

/** A chart of the repository, with what it depends on in turn. */
async function pack(
  work: Work,
  { chart, dependency, depth }: { chart: string; dependency: Dependency; depth: number },
): Promise<Command[]> {
  const { tree } = work.context;
  const directory = localDirectory(chart, dependency);
  if (directory === undefined)
    throw new CapstanError({ code: "PATH_OUTSIDE", path: dependency.repository, field: dependency.name });
  if ((await tree.entry(directory)) === undefined)
    throw new CapstanError({
      code: "FILE_MISSING",
      file: directory,
      neededBy: `dependency ${dependency.name} of ${chart === "" ? "the chart" : chart}`,
    });
  await checkVersion(tree, directory, dependency);
  const wanted: Dependency[] = [];
  for (const one of await lockedDependencies(tree, directory))
    if (!(await isVendored(tree, directory, one))) wanted.push(one);
  const inner = wanted.length === 0 ? [] : await bring(work, { chart: directory, wanted, depth: depth + 1 });
  const { root } = await work.stage.workspace();
  const args = ["package", join(root, directory), "--destination", makeBelow(root, inChart(chart, "charts"))];
  const command = { ...work.template, args };
  await work.stage.run(command);
  return [...inner, command];
}

/** A chart that helm can pack. As `helm dependency build` refuses a chart beside that is not of the version asked for. */
async function checkVersion(
  tree: SourceTree,
  directory: string,
  { name, version }: Dependency,
): Promise<void> {
  const { name: own, version: found } = await readIdentity(tree, directory);
  const field = `name and version of ${inChart(directory, "Chart.yaml")}`;
  // helm package makes a file name of them.
  fileName(`${fileName(own, field)}-${found}.tgz`, field);
  if (version === "" || found === "" || newestIn(version, [found]) !== undefined) return;
  const problem = `its version is ${found}, but ${JSON.stringify(version)} is asked for. Change one of them`;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `dependency ${name} at ${directory}`,
    problem,
  });
}
