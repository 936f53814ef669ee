/** What `capstan plugin build` makes, served by Node alone to the real argocd-repo-server. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import {
  createGitRepository,
  eventually,
  lackingArgoCD,
  sketchApplication,
  startArgoCD,
  startEmbeddedCluster,
  startProcess,
  untilServing,
} from "@capstan/testkit";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const limitMs = 120_000;

test("the real argocd-repo-server renders by built plugins, named and by their discovery", {
  skip: lackingArgoCD(),
}, async () => {
  await using opened = new AsyncDisposableStack();
  const top = await mkdtemp(join(tmpdir(), "capstan-built-"));
  opened.defer(() => rm(top, { recursive: true, force: true, maxRetries: 5 }));
  const capstan = (...words: string[]) =>
    promisify(execFile)(process.execPath, [program, "plugin", ...words]);
  const cluster = opened.use(await startEmbeddedCluster());
  const argo = opened.use(await startArgoCD(cluster));
  const { pluginSockets = "" } = argo;
  const repository = opened.use(await createGitRepository({ "app/names.txt": "ada\n" }));
  const renders = async (app: string, plugin: object, expected: object): Promise<void> => {
    const sketch = { name: app, repoURL: repository.url, path: "app", source: { plugin }, syncPolicy: {} };
    const signal = AbortSignal.timeout(limitMs);
    await cluster.kube.create(sketchApplication(sketch), { fieldManager: "test", signal });
    // Argo CD's server says "permission denied" of an Application that its watch has not told it of yet.
    const { manifests, message } = await eventually(
      async () => {
        const answer = await fetch(`${argo.url}/api/v1/applications/${app}/manifests`, { signal });
        const told: { manifests?: string[]; message?: string } = JSON.parse(await answer.text());
        return told.message === "permission denied" ? undefined : told;
      },
      { signal, describe: () => `argocd-server does not know ${app}` },
    );
    assert.deepEqual(
      manifests?.map((text) => JSON.parse(text).data),
      [expected],
      message ?? "",
    );
  };
  for (const kind of ["typescript", "command"]) {
    await capstan("init", join(top, kind), "--kind", kind);
    await capstan("build", join(top, kind), "-o", join(top, "built", kind));
    const served = [join(top, "built", kind, "plugin.js"), "--socket-dir", pluginSockets];
    await using server = startProcess(process.execPath, served);
    const socket = join(pluginSockets, `${kind}.sock`);
    await untilServing(kind, server, () => existsSync(socket) || undefined);
    const parameters = [{ name: "greeting", string: "Bye" }];
    await renders(`${kind}-named`, { name: kind, parameters }, { text: "Bye ada" });
    await renders(`${kind}-found`, {}, { text: "Hello ada" });
  }
});
