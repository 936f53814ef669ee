import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { evalKptFolder } from "@capstan/plugin-kpt/folders";
import { type Files, realClock } from "@capstan/testkit";
import type { FunctionCase } from "./function-cases.ts";
import { shopPackage } from "./shop-package.ts";

/** What `fn eval` was given to work with; `top` is a folder for its packages. */
export interface Evaluation {
  readonly top: string;
  readonly image: string;
  readonly exec: string;
  readonly env: Readonly<Record<string, string>>;
}

const everything = {
  ...{ apiVersion: "", kind: "", name: "", namespace: "" },
  labels: new Map<string, string>(),
  annotations: new Map<string, string>(),
};

async function writeFiles(root: string, files: Files): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    if (content === undefined || content === "") continue;
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}

async function readFiles(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = paths.sort().map(async (path) => [path.slice(root.length + 1), await readFile(path, "utf8")]);
  return Object.fromEntries(await Promise.all(files));
}

/** The catalog's main branch gives warnings that no published image of set-namespace gives (kpt's own e2e tests). */
const released = (results: string): string =>
  results.replace(
    /^ *- message: Resource\(.*\) does not have upstream origin\.\n *severity: warning\n/gm,
    "",
  );

/** What the package is afterwards, what the function said, and how it ended. */
export async function evaluateCase(one: FunctionCase, { top, env, ...call }: Evaluation) {
  const dir = await mkdtemp(join(top, "case-"));
  const root = join(dir, "shop");
  await writeFiles(root, { ...shopPackage, ...one.files });
  const { config = {} } = one;
  const isFile = typeof config === "string";
  if (typeof config === "string") await writeFile(join(dir, "config.yaml"), config);
  const request = {
    ...{ directory: root, output: "", resultsDir: join(dir, "results"), imagePrefix: undefined },
    ...{ allowExec: true, allowNetwork: false, tag: "", type: "mutator" as const, save: false },
    ...{ match: everything, exclude: everything, ...call },
    fnConfig: isFile ? join(dir, "config.yaml") : "",
    args: isFile ? [] : Object.entries(config).map(([key, value]) => `${key}=${value}`),
  };
  const said: string[] = [];
  const exitCode = await evalKptFolder(request, {
    ...{ clock: realClock, signal: AbortSignal.timeout(60_000), env },
    ...{ out: () => undefined, err: (text: string) => void said.push(text), readInput: async () => "" },
  });
  const results = await readFile(join(dir, "results", "results.yaml"), "utf8").catch(() => said.join(""));
  const neutral = released(results).replace(/^( *)(- | {2})(image|exec): .*\n/gm, (_, indent, dash) =>
    dash === "- " ? `${indent}- ` : "",
  );
  return { exitCode, results: neutral, files: await readFiles(root) };
}
