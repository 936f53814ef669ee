import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { createGitRepository, eventually, startCapstan } from "@capstan/testkit";

const run = promisify(execFile);
const limitMs = 300_000;
const unreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENOTCACHED)\b/;

/** A folder with nothing but the packed file, installed; nothing where npm reaches no registry. */
async function install(t: TestContext): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-packed-"));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const signal = AbortSignal.timeout(limitMs);
  await run(process.execPath, ["tools/pack.ts", "--to", folder], { signal });
  const file = join(folder, "capstan-0.1.0.tgz");
  const project = join(folder, "project");
  await mkdir(project);
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--prefix", project];
  try {
    await run("npm", ["install", ...flags, file], { cwd: project, signal });
  } catch (error) {
    if (!unreachable.test(String(error))) throw error;
    t.skip(`npm reaches no registry: ${String(error).slice(0, 200)}`);
    return undefined;
  }
  return project;
}

test("the packed file alone, installed by npm, runs the whole: samples, page, and what works in threads of its own; a plugin is begun, tested and built with it", {
  timeout: limitMs,
}, async (t) => {
  const project = await install(t);
  if (project === undefined) return;
  const program = join(project, "node_modules", "capstan", "bin", "capstan.js");
  await using repository = await createGitRepository({
    "app/a.jsonnet":
      "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}, data: {sum: '%d' % (20 + 22)}}",
  });
  await using capstan = await startCapstan({ program });
  const spec = {
    project: "default",
    source: { repoURL: repository.url, path: "app", targetRevision: "main" },
    destination: { server: "https://kubernetes.default.svc", namespace: "default" },
    syncPolicy: { automated: {} },
    ignoreDifferences: [{ kind: "ConfigMap", jqPathExpressions: ['.metadata.labels["x"]'] }],
  };
  const app = { apiVersion: "argoproj.io/v1alpha1", kind: "Application", metadata: { name: "own" }, spec };
  const { status, body } = await capstan.api("POST", "/api/v1/applications", app);
  assert.equal(status, 200, JSON.stringify(body));
  const wanted = ["kustomized", "own", "plain", "shop", "waves"].map((name) => `${name} Synced Healthy`);
  let seen: string[] = [];
  await eventually(
    async () => {
      seen = statesOf((await capstan.api("GET", "/api/v1/applications")).body);
      return seen.join() === wanted.join() || undefined;
    },
    { signal: AbortSignal.timeout(limitMs), describe: () => `${seen.join("\n")}\n${capstan.output()}` },
  );
  const page = await fetch(capstan.url);
  const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1] ?? "";
  assert.equal((await fetch(capstan.url + script)).status, 200, script);
  const own = async (...args: string[]) => {
    const { stdout } = await run(process.execPath, [program, ...args], { cwd: project });
    return stdout;
  };
  assert.match(await own("version", "--client", "--short"), /0\.1\.0/);
  await own("plugin", "init", "mine");
  assert.match(await own("plugin", "test", "mine"), /1 of 1 as expected/);
  await own("plugin", "build", "mine", "-o", "built");
  const { stdout } = await run(process.execPath, [join(project, "built", "plugin.js"), "--help"]);
  assert.match(stdout, /--listen/);
});

function statesOf(body: unknown): string[] {
  const { items } = body as {
    items: {
      metadata: { name: string };
      status?: { sync: { status: string }; health: { status: string } };
    }[];
  };
  return items
    .map(({ metadata, status }) => `${metadata.name} ${status?.sync?.status} ${status?.health?.status}`)
    .toSorted();
}
