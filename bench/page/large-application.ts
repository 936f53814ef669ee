import { setTimeout as sleep } from "node:timers/promises";
import { createGitRepository, eventually, startCapstan } from "@capstan/testkit";
import type { Figures } from "../report.ts";
import { isData, type LookedAt, lookAt } from "./looked-at.ts";

const [deployments, podsOfEach, lines, edits] = [40, 48, 9_000, 900];
const limitMs = 10 * 60_000;
const laterPods = 5;

const lineOf = (index: number, word: string) =>
  `  line-${String(index).padStart(4, "0")}: the ${word} of line ${index}`;

function configMap(word: (index: number) => string): string {
  const data = Array.from({ length: lines }, (_, index) => lineOf(index, word(index)));
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: long\ndata:\n${data.join("\n")}\n`;
}

function deployment(name: string): string {
  const container = { name: "main", image: "registry.example.com/main:1.0" };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: podsOfEach,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
    },
  });
}

/** An application whose tree and whose diff are long, synced by the whole product. */
export async function largeApplicationFigures({
  program,
}: {
  program: string | undefined;
}): Promise<Figures> {
  const names = Array.from({ length: deployments }, (_, index) => `web-${index}`);
  await using git = await createGitRepository({
    "app/long.yaml": configMap(() => "value"),
    ...Object.fromEntries(names.map((name) => [`app/${name}.yaml`, deployment(name)])),
  });
  await using capstan = await startCapstan({
    flags: ["--no-samples"],
    ...(program !== undefined && { program }),
  });
  const app = {
    metadata: { name: "large", namespace: "argocd" },
    spec: {
      project: "default",
      source: { repoURL: git.url, path: "app", targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: "large" },
      syncPolicy: { syncOptions: ["CreateNamespace=true"] },
    },
  };
  await ask(capstan, "POST /api/v1/applications", app);
  await ask(capstan, "POST /api/v1/applications/large/sync", {});
  await untilStatus(capstan, /"health":{[^}]*"status":"Healthy"/);
  await using looked = await lookAt(capstan.url, await capstan.token());
  const { page } = looked;
  const started = performance.now();
  await page.goto(`${looked.url}/applications/argocd/large`, { waitUntil: "commit" });
  await page.locator(".node").first().waitFor();
  const firstNodeMs = performance.now() - started;
  await untilQuiet(looked);
  const data = looked.bytes(isData);
  const pod = await deleteOnePod(capstan, looked);
  const later = [];
  for (let pods = 0; pods < laterPods; pods += 1) later.push((await deleteOnePod(capstan, looked)).busyMs);
  const heap = await looked.heap();
  await git.commit({
    "app/long.yaml": configMap((index) => (index % (lines / edits) === 0 ? "other" : "value")),
  });
  await ask(capstan, "GET /api/v1/applications/large?refresh=normal");
  await untilStatus(capstan, /"status":"OutOfSync"/);
  await untilQuiet(looked);
  const beforeDiff = await looked.busyMs();
  const diffStarted = performance.now();
  await page.getByRole("link", { name: "Diff" }).first().click();
  await page.getByText("the other of line 0").first().waitFor();
  const diffMs = performance.now() - diffStarted;
  const answerMs = await page.evaluate(
    () =>
      performance.getEntriesByType("resource").findLast(({ name }) => name.includes("/managed-resources"))
        ?.duration ?? 0,
  );
  await untilQuiet(looked);
  return {
    "tree: first node, ms": firstNodeMs,
    "tree: data, KB": data / 1_000,
    "tree: one Pod deleted, KB": pod.bytes / 1_000,
    "tree: one Pod deleted, main thread, ms": pod.busyMs,
    "tree: a later one, main thread, ms": later.toSorted((left, right) => left - right)[laterPods >> 1] ?? 0,
    "tree: heap, MB": heap,
    "diff: shown after, ms": diffMs,
    "diff: of these until the server has answered, ms": answerMs,
    "diff: main thread, ms": (await looked.busyMs()) - beforeDiff,
    "diff: elements": await page.locator("*").count(),
  };
}

type Capstan = Awaited<ReturnType<typeof startCapstan>>;

/** `call` is "POST /api/v1/…". */
async function ask(capstan: Capstan, call: string, body?: object): Promise<void> {
  const [method = "", path = ""] = call.split(" ");
  const answer = await capstan.api(method, path, body);
  if (answer.status !== 200)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

async function untilStatus(capstan: Capstan, wanted: RegExp): Promise<void> {
  let last = "";
  await eventually(
    async () => {
      const { body } = await capstan.api(
        "GET",
        "/api/v1/applications/large?fields=status.health,status.sync,status.operationState.message",
      );
      last = JSON.stringify(body);
      return wanted.test(last) || undefined;
    },
    { signal: AbortSignal.timeout(limitMs), describe: () => `not ${wanted}: ${last}` },
  );
}

/** What a page that shows it does about it, and about the Pod that comes in its place. */
async function deleteOnePod({ kube }: Capstan, looked: LookedAt): Promise<{ busyMs: number; bytes: number }> {
  await untilQuiet(looked);
  const before = { busyMs: await looked.busyMs(), bytes: looked.bytes(isData) };
  const signal = AbortSignal.timeout(limitMs);
  const { items } = await kube.list({ apiVersion: "v1", kind: "Pod", namespace: "large" }, signal);
  const name = items[0]?.metadata.name ?? "";
  await kube.delete({ apiVersion: "v1", kind: "Pod", namespace: "large", name }, { signal });
  await sleep(3_000);
  return { busyMs: (await looked.busyMs()) - before.busyMs, bytes: looked.bytes(isData) - before.bytes };
}

/** Nothing is sent to it any more, and it does nothing. */
async function untilQuiet(looked: LookedAt): Promise<void> {
  for (let looks = 0; looks < 30; looks += 1) {
    const before = { busyMs: await looked.busyMs(), bytes: looked.bytes(isData) };
    await sleep(1_000);
    if (looked.bytes(isData) === before.bytes && (await looked.busyMs()) - before.busyMs < 10) return;
  }
}
