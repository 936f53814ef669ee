import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { crds, type Manifest } from "@capstan/model";
import { freePorts, kubeconfigText, realClock } from "@capstan/testkit";
import { type ListeningCluster, startListeningCluster } from "@capstan/testkit/worlds";
import { applyInstallation, waitForParts } from "../install/installation.ts";
import type { Finding } from "./examine.ts";
import { type Examined, examineCluster } from "./examine-cluster.ts";

const program = join(import.meta.dirname, "..", "..", "bin", "capstan.js");
const namespace = "argocd";

describe("capstan doctor on a cluster", () => {
  let cluster: ListeningCluster;
  let folder: string;
  let of: Examined;
  const signal = AbortSignal.timeout(100_000);
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "capstan-doctor-"));
    cluster = await startListeningCluster();
    of = { kube: cluster.kube, namespace, clock: realClock, signal };
  });
  after(async () => {
    await cluster[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** Each as `state what: found`, those of one state alone where it is given. */
  const look = async (state?: Finding["state"], by: Examined = of): Promise<string> =>
    (await examineCluster(by))
      .filter((one) => state === undefined || one.state === state)
      .map((one) => `${one.state} ${one.what}: ${one.found}\n`)
      .join("");
  const make = (object: Manifest) => cluster.kube.create(object, { signal });
  const remove = (apiVersion: string, kind: string, name: string) =>
    cluster.kube.delete({ apiVersion, kind, namespace, name }, { signal });
  async function doctor(kubeconfig: string): Promise<{ code: number; found: Finding[] }> {
    const file = join(folder, "kubeconfig");
    await writeFile(file, kubeconfig);
    const args = [program, "doctor", "--kubeconfig", file, "-o", "json"];
    return new Promise((answer) => {
      execFile(process.execPath, args, (error, out, err) =>
        answer({
          code: error ? Number(error.code) : 0,
          found: out === "" ? assert.fail(err) : JSON.parse(out),
        }),
      );
    });
  }

  test("where nothing is installed it says what an installation needs, and that is no failure", async () => {
    const { code, found } = await doctor(cluster.kubeconfig);
    assert.equal(code, 0);
    for (const { state, todo } of found) assert.equal(todo === undefined, state === "ok");
    const said = found.map(({ state, what }) => `${state} ${what}`);
    for (const one of [
      "ok cluster",
      "lacks CRD",
      "ok rights",
      "lacks namespace",
      "lacks parts",
      "ok Argo CD",
    ])
      assert.ok(said.includes(one), said.join("\n"));
    assert.deepEqual(
      await cluster.kube.get({ apiVersion: "v1", kind: "Namespace", name: namespace }, signal),
      undefined,
    );
  });

  test("an installation that runs has no fault but settings that its server has not made yet", async () => {
    const installing = { ...of, say: () => undefined };
    await applyInstallation(installing, { namespaced: false, highAvailability: false, image: "" });
    await waitForParts(installing, signal);
    assert.equal(await look("fails"), "");
    const ok = await look("ok");
    assert.equal(ok.match(/^ok CRD: .* as this version has it$/gm)?.length, crds().length, ok);
    assert.equal(ok.match(/^ok part: capstan-\S+ 0\.1\.0: 1 of 1 ready$/gm)?.length, 5, ok);
    assert.match(ok, /^ok token: Secret capstan-repo-server-token$/m);
    assert.match(await look("lacks"), /^lacks settings: ConfigMap argocd-cm is not there$/m);
  });

  test("what is missing, odd or of another version is named, with what to do, and no value of a Secret", async () => {
    await remove("v1", "Secret", "capstan-repo-server-token");
    await make({
      ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "argocd-cm", namespace } },
      data: { "oidc.config": "issuer: [" },
    });
    const [crd] = crds();
    assert.ok(crd);
    const { spec } = structuredClone(crd) as Manifest & { spec: { names: { shortNames: string[] } } };
    await cluster.kube.apply(
      { ...crd, spec: { ...spec, names: { ...spec.names, shortNames: ["other"] } } },
      { fieldManager: "x", force: true, signal },
    );
    const failing = await look("fails");
    assert.match(failing, /^fails token: Secret capstan-repo-server-token is not there$/m);
    const lacking = await look("lacks");
    assert.match(lacking, /^lacks settings: ConfigMap argocd-cm, oidc\.config: /m);
    assert.match(lacking, /^lacks CRD: applications\.argoproj\.io is Capstan's, of another version$/m);
  });

  test("a controller of Argo CD that runs in the same namespace is a failure; in another one it is told", async () => {
    const labels = { "app.kubernetes.io/part-of": "argocd", app: "x" };
    const spec = {
      ...{ replicas: 1, serviceName: "x", selector: { matchLabels: { app: "x" } } },
      template: { metadata: { labels }, spec: { containers: [{ name: "x", image: "x" }] } },
    };
    const name = "argocd-application-controller";
    const stateful = { apiVersion: "apps/v1", kind: "StatefulSet", spec };
    await make({ ...stateful, metadata: { name, namespace, labels } });
    await make({ ...stateful, metadata: { name, namespace: "default", labels } });
    assert.match(
      await look("fails"),
      /Argo CD: StatefulSet argocd-application-controller runs in argocd: each Application/,
    );
    await remove("apps/v1", "StatefulSet", name);
    assert.doesNotMatch(await look("fails"), /Argo CD/);
    assert.match(await look("ok"), /^ok Argo CD: in default, /m);
  });

  test("an account that may do nothing is told what it may not, and the rest goes on", async () => {
    const by = { ...of, kube: cluster.kube.onBehalfOf({ whom: "x", user: "nobody" }) };
    const refused =
      /^fails rights: the account may not .*create customresourcedefinitions\.apiextensions\.k8s\.io/m;
    assert.match(await look("fails", by), refused);
    const lacking = await look("lacks", by);
    for (const one of ["CRDs", "namespace", "parts", "settings", "Argo CD"])
      assert.match(lacking, new RegExp(`^lacks ${one}: cannot be looked at: `, "m"));
  });

  test("a cluster that does not answer is a failure with its address", async () => {
    const [port] = await freePorts(1);
    const { code, found } = await doctor(kubeconfigText({ server: `https://127.0.0.1:${port}`, token: "x" }));
    assert.equal(code, 1);
    assert.deepEqual(
      found.map(({ state, what }) => `${state} ${what}`),
      ["fails cluster"],
    );
    assert.match(found[0]?.found ?? "", new RegExp(`127\\.0\\.0\\.1:${port}`));
  });
});
