import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import {
  type CapstanProcess,
  eventually,
  isSettled,
  readApplications,
  startCapstan,
  untilApplication,
} from "@capstan/testkit";
import { prepareSamples } from "./samples.ts";

const run = promisify(execFile);
const dataDir = await mkdtemp(join(tmpdir(), "capstan-samples-"));
let capstan: CapstanProcess | undefined;
after(async () => {
  await capstan?.[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

/** On the same folder each time; one start serves as many tests as it can. */
async function startAgain(...flags: readonly string[]): Promise<CapstanProcess> {
  await capstan?.[Symbol.asyncDispose]();
  capstan = await startCapstan({ dataDir, flags });
  return capstan;
}

/** What runs since an earlier test. */
const running = (): CapstanProcess => capstan ?? assert.fail("the test that starts it has failed");

const samples = ["kustomized", "plain", "shop", "waves"];
const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com"];

test("a first start brings the samples to Synced and Healthy and says how long it took", async () => {
  const capstan = await startAgain();
  for (const name of samples) await untilApplication(capstan.kube, name, isSettled);
  await capstan.untilPrinted(/first application Healthy/);
  await capstan.untilPrinted(/nothing really runs/i);
  const status = await eventually(
    async () => {
      const told = await capstan.readStatus();
      return told.firstHealthyMs === undefined ? undefined : told;
    },
    { signal: AbortSignal.timeout(100_000), describe: capstan.output },
  );
  assert.ok(status.readyMs > 0);
  assert.ok((status.firstHealthyMs ?? 0) >= status.readyMs);
});

test("a second process on the same data folder is refused and names the first", async () => {
  await assert.rejects(startCapstan({ dataDir }), new RegExp(`in use by process ${running().status.pid}`));
});

test("a commit in the sample repository renders one application and reaches the cluster", async () => {
  const capstan = await startAgain();
  // What was Synced before the start is looked at again after it.
  await eventually(
    async () => {
      const text = String((await capstan.api("GET", "/metrics")).body);
      const looks = [...text.matchAll(/^argocd_app_reconcile_count\{[^}]*\} (\d+)$/gm)];
      return looks.reduce((sum, [, count]) => sum + Number(count), 0) >= samples.length || undefined;
    },
    { signal: AbortSignal.timeout(100_000), describe: capstan.output },
  );
  for (const name of samples) await untilApplication(capstan.kube, name, isSettled);
  const repository = join(dataDir, "samples");
  const file = join(repository, "plain", "config.yaml");
  await writeFile(file, (await readFile(file, "utf8")).replace(/text: .*/, "text: Changed by a commit"));
  await run("git", [...identity, "commit", "--quiet", "--all", "--message=Change the greeting"], {
    cwd: repository,
  });
  const { stdout } = await run("git", ["rev-parse", "HEAD"], { cwd: repository });
  const revision = stdout.trim();
  const rendersBefore = rendersOf(capstan.output());
  const url = `file://${repository}`;
  const answer = await fetch(`${capstan.url}/api/webhook`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-github-event": "push" },
    body: JSON.stringify({
      ref: "refs/heads/main",
      after: revision,
      repository: { html_url: url, default_branch: "main" },
      commits: [{ added: [], removed: [], modified: ["plain/config.yaml"] }],
    }),
  });
  assert.equal(answer.status, 200);
  for (const name of samples)
    await untilApplication(capstan.kube, name, (view) => isSettled(view) && view.revision === revision);
  const signal = AbortSignal.timeout(100_000);
  const greeting = await capstan.kube.get(
    { apiVersion: "v1", kind: "ConfigMap", namespace: "plain", name: "greeting" },
    signal,
  );
  assert.deepEqual(greeting?.data, { text: "Changed by a commit" });
  const rendersSince = () => rendersOf(capstan.output()).slice(rendersBefore.length);
  await eventually(() => rendersSince().length > 0 || undefined, {
    signal: AbortSignal.timeout(100_000),
    describe: capstan.output,
  });
  assert.equal(rendersSince().length, 1, rendersSince().join("\n"));
});

let busyPort = 0;

test("a later start finds everything as it was, with what was deleted still gone", async (t) => {
  const { kube, api } = running();
  const signal = AbortSignal.timeout(100_000);
  const { body, status } = await api("DELETE", "/api/v1/applications/shop?cascade=true");
  assert.equal(status, 200, JSON.stringify(body));
  while ((await readApplications(kube, signal)).some(({ name }) => name === "shop")) signal.throwIfAborted();
  const server = createServer().listen(0, "127.0.0.1");
  t.after(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  busyPort = typeof address === "object" && address ? address.port : 0;
  const again = await startAgain("--port", `${busyPort}`);
  await untilApplication(again.kube, "plain", isSettled);
  const names = (await readApplications(again.kube, AbortSignal.timeout(100_000))).map(({ name }) => name);
  assert.deepEqual(names.toSorted(), ["kustomized", "plain", "waves"]);
});

test("with another control namespace the samples are there, where they count", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "capstan-samples-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { applications } = await prepareSamples({ dataDir: folder, namespace: "cd" });
  assert.deepEqual([...new Set(applications.map(({ metadata }) => metadata.namespace))], ["cd"]);
});

test("a busy port is said, with the one taken instead", async () => {
  const { url, untilPrinted } = running();
  await untilPrinted(new RegExp(`port ${busyPort} is in use.*${new URL(url).port}`));
});

/** One line is logged for each render that ran. */
function rendersOf(output: string): string[] {
  return output.split("\n").filter((line) => /\brendered\b/.test(line));
}
