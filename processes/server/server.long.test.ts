import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  createGitRepository,
  realProgram,
  startCapstan,
  startProcess,
  untilApplication,
  untilServing,
} from "@capstan/testkit";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const run = promisify(execFile);
const timeout = 100_000;

const found = realProgram("argocd");
const skip = "absent" in found ? found.absent : false;

test("argocd works below the root path of a server alone, on a cluster whose loops run elsewhere", {
  skip,
}, async () => {
  assert.ok("path" in found);
  await using opened = new AsyncDisposableStack();
  const capstan = opened.use(await startCapstan({ flags: ["--no-samples"] }));
  const repository = opened.use(
    await createGitRepository({ "a/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: map\n" }),
  );
  const dir = await mkdtemp(join(tmpdir(), "capstan-server-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const data = join(dir, "data");
  const flags = ["--port", "0", "--rootpath", "/argocd", "--insecure", "--allow-folder", repository.dir];
  const words = [program, "server", "--data", data, "--kubeconfig", capstan.status.kubeconfig, ...flags];
  const server = opened.use(startProcess(process.execPath, words, {}));
  const { url }: { url: string } = await untilServing("capstan server", server, async () => {
    const text = await readFile(join(data, "status.json"), "utf8").catch(() => undefined);
    return text === undefined ? undefined : JSON.parse(text);
  });
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/argocd$/);
  const env = { HOME: dir, PATH: process.env.PATH };
  const argocd = async (...given: string[]): Promise<string> =>
    (await run(found.path, given, { env, timeout })).stdout;
  const password = (await readFile(join(capstan.dataDir, "admin-password"), "utf8")).trim();
  const to = ["--plaintext", "--grpc-web-root-path", "/argocd"];
  await argocd("login", new URL(url).host, ...to, "--username", "admin", "--password", password);
  const source = ["--repo", repository.url, "--path", "a"];
  const destination = ["--dest-server", "https://kubernetes.default.svc", "--dest-namespace", "default"];
  await argocd("app", "create", "one", ...source, ...destination);
  assert.match(await argocd("app", "manifests", "one", "--source", "git"), /name: map/);
  await argocd("app", "sync", "one", "--async");
  await untilApplication(
    capstan.kube,
    "one",
    ({ sync, health }) => sync === "Synced" && health === "Healthy",
  );
  assert.match(await argocd("app", "list", "-o", "name"), /^argocd\/one$/m);
});
