/**
 * `node bench/webhook-latency.ts [--apps 200] [--runs 20] [--from webhook|unsigned|folder] [--partial]`: until the object of the one
 * of N applications of one repository that a commit changes is changed in the cluster, and until all are at that commit:
 * from the webhook of a git server (HTTP), which is signed, or is not; or from the commit into a folder of this machine,
 * of which nobody tells. `--partial`: the server offers partial clones, as GitHub and GitLab do. Beside it what git alone
 * takes, asked for the branch and then for the commit.
 */
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { createGitRepository, type GitRepository, startCapstan, startGitServer } from "@capstan/testkit";
import { programFlags, wholeNumber, wrongCall } from "@capstan/testkit/program-flags";
import {
  createApplications,
  createSampleRepository,
  filesOf,
  sampleFiles,
  untilSettled,
} from "./sample-applications.ts";
import { postPush, upFlags } from "./worlds.ts";

type Repository = Pick<GitRepository, "url" | "git" | "commit">;

const { values } = programFlags({
  options: {
    apps: { type: "string", default: "200" },
    runs: { type: "string", default: "20" },
    from: { type: "string", default: "webhook" },
    partial: { type: "boolean", default: false },
  },
});
const count = wholeNumber("apps", values.apps);
const runs = wholeNumber("runs", values.runs);
const ways = ["webhook", "unsigned", "folder"];
if (!ways.includes(values.from)) wrongCall(`--from ${values.from}: ${ways.join(", ")}`);
const isTold = values.from !== "folder";
const secret = values.from === "webhook" ? randomUUID() : undefined;
const signal = AbortSignal.timeout(15 * 60_000);
const restMs = 300;
const run = promisify(execFile);

await using opened = new AsyncDisposableStack();
const repository = await openRepository();
const copy = opened.use(await createGitRepository());
const capstan = opened.use(await startCapstan({ flags: upFlags(undefined) }));
if (secret !== undefined) await setSecret(secret);
await createApplications(capstan.kube, { count, repoUrl: repository.url, signal });
await untilSettled(capstan.kube, { count, signal });
const took: Record<"object" | "all" | "git alone", number>[] = [];
for (let at = 0; at < runs; at += 1) took.push(await commitOne(at));
console.log(`${count} applications, ${runs} commits that change one of them, from ${values.from}`);
for (const what of ["object", "all", "git alone"] as const) {
  const sorted = took.map((one) => one[what]).toSorted((left, right) => left - right);
  const at = (share: number): string =>
    (sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)] ?? 0).toFixed(0);
  console.log(`${what}: median ${at(0.5)} ms, p90 ${at(0.9)} ms, max ${at(1)} ms`);
}

async function openRepository(): Promise<Repository> {
  if (!isTold) return opened.use(await createSampleRepository(count));
  const server = opened.use(await startGitServer());
  const created = await server.createRepository("apps", sampleFiles(count));
  if (values.partial) await created.git("config", "uploadpack.allowFilter", "true");
  return created;
}

async function commitOne(at: number) {
  await sleep(restMs, undefined, { signal });
  const index = at % count;
  const files = filesOf(index, `run ${at}`);
  const before = await repository.git("rev-parse", "HEAD");
  const seen = await followObject(`app-${index}`, `run ${at}`);
  let started = performance.now();
  const after = await repository.commit(files);
  if (isTold) {
    started = performance.now();
    await postPush(capstan.url, repository.url, { before, after, files: Object.keys(files), secret });
  }
  const object = (await seen()) - started;
  await untilSettled(capstan.kube, { count, revision: after, signal });
  const all = performance.now() - started;
  return { object, all, "git alone": await gitAlone(after) };
}

async function setSecret(value: string): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Secret", namespace: "argocd", name: "argocd-secret" };
  const body = { stringData: { "webhook.github.secret": value } };
  await capstan.kube.patch(ref, { type: "merge", body }, { signal });
}

/** When it had the value. */
async function followObject(name: string, value: string): Promise<() => Promise<number>> {
  const type = { apiVersion: "v1", kind: "ConfigMap", namespace: "default" };
  const { resourceVersion } = await capstan.kube.list(type, signal);
  const seen = (async () => {
    for await (const { object } of capstan.kube.watch({ ...type, resourceVersion }, signal))
      if (object.metadata.name === name && JSON.stringify(object.data).includes(value))
        return performance.now();
    throw new Error("the watch ended");
  })();
  return () => seen;
}

async function gitAlone(revision: string): Promise<number> {
  const git = (...args: string[]) => run("git", ["-C", copy.dir, ...args]);
  const started = performance.now();
  await git("ls-remote", repository.url, "refs/heads/main");
  await git("fetch", "--quiet", "--depth=1", "--no-tags", repository.url, revision);
  return performance.now() - started;
}
