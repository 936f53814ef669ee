import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { isRecord } from "@capstan/formats";
import { cdk8s } from "@capstan/plugin-cdk8s";
import type { PreparedCase, RendererCase } from "./cases.ts";

const run = promisify(execFile);
const program = "cdk8s-synth-here";
const npm = "npm";
const tools = ["cdk8s-cli@2", "typescript@5", "ts-node@10"];
const objects = 30;

const main = (round: number) => `import { Construct } from 'constructs';
import { ApiObject, App, Chart } from 'cdk8s';

class Shop extends Chart {
  constructor(scope: Construct, id: string, round: number) {
    super(scope, id);
    for (let at = 0; at < ${objects}; at++)
      new ApiObject(this, 'c' + at, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' + at }, ...{ data: { round: String(round) } } });
  }
}

const app = new App();
new Shop(app, 'shop', ${round});
app.synth();
`;

/** The versions that this workspace has, as the application's own lock file. */
function packageFiles(): Record<string, string> {
  const whole: unknown = JSON.parse(
    readFileSync(join(import.meta.dirname, "..", "..", "package-lock.json"), "utf8"),
  );
  const all = isRecord(whole) && isRecord(whole.packages) ? whole.packages : {};
  const wanted = Object.entries(all).filter(([path]) => /^node_modules\/(cdk8s|constructs)(\/|$)/.test(path));
  const packages = wanted.map(
    ([path, entry]) => [path, { ...(isRecord(entry) ? entry : {}), dev: false }] as const,
  );
  const versionOf = (name: string) => {
    const entry = all[`node_modules/${name}`];
    return isRecord(entry) ? String(entry.version) : "";
  };
  const dependencies = { cdk8s: versionOf("cdk8s"), constructs: versionOf("constructs") };
  const manifest = { name: "shop", version: "1.0.0", dependencies };
  const lock = {
    ...manifest,
    lockfileVersion: 3,
    packages: { "": manifest, ...Object.fromEntries(packages) },
  };
  return { "package.json": JSON.stringify(manifest), "package-lock.json": JSON.stringify(lock) };
}

/** `cdk8s synth` with all that it needs installed already, in the checkout. */
async function prepare(opened: AsyncDisposableStack): Promise<PreparedCase> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-cdk8s-cli-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const files = packageFiles();
  await writeFile(join(dir, "package.json"), files["package.json"] ?? "{}");
  await run(npm, ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...tools], { cwd: dir });
  const script = `#!/bin/sh\nln -sfn ${dir}/node_modules node_modules && exec node_modules/.bin/cdk8s synth\n`;
  await writeFile(join(dir, program), script, { mode: 0o755 });
  return { env: { PATH: `${dir}:${process.env.PATH}` }, server: { plugins: [cdk8s(process.env)] } };
}

export const cdk8sCase: RendererCase = {
  name: "cdk8s",
  path: "app",
  files: Object.fromEntries(
    Object.entries({
      ...packageFiles(),
      "cdk8s.yaml": "language: typescript\napp: npx ts-node main.ts\n",
      "tsconfig.json": '{ "compilerOptions": { "module": "commonjs", "target": "es2022", "strict": true } }',
      ".gitignore": "node_modules\ndist\n",
    }).map(([name, text]) => [`app/${name}`, text]),
  ),
  change: (round) => ({ "app/main.ts": main(round) }),
  source: { plugin: { name: "cdk8s" } },
  command: async () => [program],
  lacking: () => (spawnSync(npm, ["--version"]).status === 0 ? false : "npm is not installed"),
  prepare,
};
