import { execFile } from "node:child_process";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { realProgramPath } from "@capstan/testkit";
import { dump, load } from "js-yaml";
import type { Operator } from "../../testenv/operators.ts";

/** What a program said and how it ended. */
export interface Outcome {
  readonly code: number;
  readonly said: string;
}

export interface Cluster {
  readonly name: "real" | "ours";
  readonly kubeconfig: string;
}

/** For each command: of CRDs of ten megabytes on a machine that does much else. */
const limitMs = 600_000;
/** Charts ask for the version of the cluster: both are of this one. */
const phases = ["installed", "upgraded", "removed"] as const;
export type Phase = (typeof phases)[number];
export { phases };

/** Links in it lead to what was copied along. */
export async function copyFolder(folder: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await cp(folder, to, { recursive: true, verbatimSymlinks: true });
}

/** Makes of a folder what helm or kubectl takes without fetching: dependencies that are no part of it are left out. */
export async function prepareChart(
  to: string,
  /** Where another chart of the corpus is; undefined for one that is none of it. */
  find: (name: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  // Manifests are applied file by file; of charts it is no part.
  await rm(join(to, "kustomization.yaml"), { force: true });
  const file = join(to, "Chart.yaml");
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  const chart = load(text) as { dependencies?: { name: string }[] };
  const here = await readdir(join(to, "charts")).catch((): string[] => []);
  const isHere = ({ name }: { name: string }) =>
    here.some((one) => one === name || one.startsWith(`${name}-`));
  for (const { name } of (chart.dependencies ?? []).filter((one) => !isHere(one))) {
    const other = await find(name);
    if (other === undefined) continue;
    await cp(other, join(to, "charts", name), { recursive: true });
    here.push(name);
  }
  const left = (chart.dependencies ?? []).filter((one) => !isHere(one)).map(({ name }) => name);
  await rm(join(to, "Chart.lock"), { force: true });
  if (left.length === 0) return [];
  await writeFile(file, dump({ ...chart, dependencies: (chart.dependencies ?? []).filter(isHere) }));
  return left;
}

/** Every object gets a label: what an upgrade changes is everything. */
export async function writePostRenderer(folder: string): Promise<string> {
  const file = join(folder, "label-all.mjs");
  const yaml = new URL("../../node_modules/js-yaml/index.js", import.meta.url).pathname;
  await writeFile(
    file,
    `#!${process.execPath}
import yaml from ${JSON.stringify(yaml)};
let text = "";
for await (const piece of process.stdin) text += piece;
const documents = yaml.loadAll(text).filter(Boolean);
for (const one of documents) one.metadata = { ...one.metadata, labels: { ...one.metadata?.labels, upgraded: "yes" } };
process.stdout.write(documents.map((one) => yaml.dump(one)).join("---\\n"));
`,
  );
  await chmod(file, 0o755);
  return file;
}

export interface Installing {
  readonly operator: Operator;
  /** The prepared chart, or the folder of manifests. */
  readonly folder: string;
  readonly postRenderer: string;
}

export const namespaceOf = ({ name, namespace = name }: Operator): string => namespace;

/** One step of an operator's life on a cluster, by helm or kubectl. */
export function takeStep(
  cluster: Cluster,
  phase: Phase,
  { operator, folder, postRenderer }: Installing,
): Promise<Outcome> {
  const { name } = operator;
  const release = [name, "--namespace", namespaceOf(operator), "--no-hooks"];
  const values = operator.set?.flatMap((one) => ["--set", one]) ?? [];
  if (operator.kind === "manifests") {
    const apply = ["apply", "--server-side", "-f", folder];
    const args = {
      installed: apply,
      upgraded: [...apply, "--field-manager=upgrade", "--force-conflicts"],
      removed: ["delete", "-f", folder, "--wait=true"],
    }[phase];
    return tool(cluster, "kubectl", args);
  }
  const args = {
    installed: ["install", ...release, folder, ...values, "--create-namespace"],
    upgraded: ["upgrade", ...release, folder, ...values, "--post-renderer", postRenderer],
    removed: ["uninstall", ...release],
  }[phase];
  return tool(cluster, "helm3", args);
}

export function tool({ kubeconfig }: Cluster, program: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? "", HOME: join(kubeconfig, ".."), KUBECONFIG: kubeconfig };
    const options = { env, timeout: limitMs, maxBuffer: 1 << 28 };
    execFile(realProgramPath(program), [...args], options, (error, stdout, stderr) => {
      const late = error?.killed ? `\nit was ended after ${limitMs / 1_000} s` : "";
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ code, said: error === null && args[0] === "get" ? stdout : `${stdout}${stderr}${late}` });
    });
  });
}

export async function makeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  return path;
}
