/**
 * `node compat/versions/run.ts --before BIN`: parts of two versions side by side, as they stand during an upgrade. BIN is
 * `bin/capstan.js` of another checkout: its repo server serves this controller, server and application-set, and this repo
 * server serves its. Two applications are rendered and synced, a set makes a third, the server tells of them.
 */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { KubeClient } from "@capstan/kube";
import {
  createGitRepository,
  type GitRepository,
  isSettled,
  realClock,
  sketchApplication,
  sketchProject,
  startEmbeddedCluster,
  startProcess,
  untilApplication,
  untilServing,
} from "@capstan/testkit";
import { programFlags, wrongCall } from "@capstan/testkit/program-flags";
import { installCrds } from "../../processes/surroundings/install-crds.ts";

const { values: flags } = programFlags({ options: { before: { type: "string" } } });
if (flags.before === undefined) wrongCall("--before BIN: bin/capstan.js of another checkout");
const before = resolve(flags.before);
const now = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const signal = () => AbortSignal.timeout(100_000);

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\n`;
const files = {
  "plain/x.yaml": configMap("x"),
  "kustomized/kustomization.yaml": "resources: [y.yaml]\nnamePrefix: k-\n",
  "kustomized/y.yaml": configMap("y"),
  "teams/blue/x.yaml": configMap("z"),
};
const names = ["plain", "kustomized"];

async function prepare(kube: KubeClient, git: GitRepository): Promise<void> {
  const manager = { fieldManager: "test", force: true, signal: signal() };
  await installCrds({ kube, clock: realClock, signal: signal() });
  await kube.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } }, manager);
  await kube.apply(sketchProject("default"), manager);
  const place = {
    repoURL: git.url,
    destination: { server: "https://kubernetes.default.svc", namespace: "two-versions" },
    syncPolicy: { automated: {}, syncOptions: ["CreateNamespace=true"] },
  };
  for (const name of names)
    await kube.create(sketchApplication({ name, path: name, ...place }), { signal: signal() });
  const { spec } = sketchApplication({ name: "made", path: "{{.path.path}}", ...place });
  const generators = [{ git: { repoURL: git.url, revision: "main", directories: [{ path: "teams/*" }] } }];
  const template = { metadata: { name: "{{.path.basename}}" }, spec };
  const set = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet" };
  await kube.create(
    {
      ...set,
      metadata: { name: "teams", namespace: "argocd" },
      spec: { goTemplate: true, generators, template },
    },
    { signal: signal() },
  );
}

async function play(rendering: string, asking: string): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await startEmbeddedCluster());
  const git = opened.use(await createGitRepository(files));
  await prepare(cluster.kube, git);
  const dir = await mkdtemp(join(tmpdir(), "capstan-versions-"));
  opened.defer(() => rm(dir, { recursive: true, force: true }));
  const token = join(dir, "token");
  await writeFile(token, "of two versions\n");
  const start = async (bin: string, [part = "", ...words]: readonly string[], ready: RegExp) => {
    const own = ["--data", join(dir, part), "--kubeconfig", cluster.kubeconfig, "--metrics-port", "0"];
    const child = opened.use(startProcess(process.execPath, [bin, part, ...own, ...words], {}));
    return untilServing(part, child, () => ready.exec(child.output())?.[1]);
  };
  const shared = ["--token-file", token, "--allow-folder", git.dir];
  const listening = ["--port", "0", "--address", "127.0.0.1"];
  const port = await start(rendering, ["repo-server", ...listening, ...shared], /"port":(\d+)/);
  const repo = ["--repo-server", `127.0.0.1:${port}`, "--repo-server-token-file", token];
  const serving = [...repo, "--port", "0", "--disable-auth", "--insecure"];
  const url = await start(asking, ["server", ...serving], /ready: (\S+)/);
  for (const part of ["controller", "application-set"])
    await start(asking, [part, ...repo], new RegExp(`(${part} is ready)`));
  for (const name of [...names, "blue"]) await untilApplication(cluster.kube, name, isSettled);
  const at = encodeURIComponent(git.url);
  const asked = ["manifests", "managed-resources", "revisions/main/metadata"];
  for (const path of [...asked.map((one) => `applications/kustomized/${one}`), `repositories/${at}/refs`]) {
    const answer = await fetch(`${url}/api/v1/${path}`, { signal: signal() });
    assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
  }
}

await play(before, now);
console.log("this controller, application-set and server with the former repo server: as they should");
await play(now, before);
console.log("the former ones with this repo server: as they should");
