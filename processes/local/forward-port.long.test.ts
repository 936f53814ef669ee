/** By the real kubectl, to a Pod of the embedded cluster, which answers that it is simulated. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type CapstanProcess, eventually, startCapstan } from "@capstan/testkit";
import { forwardPort } from "./forward-port.ts";

describe("a way through the cluster to the API server's Pod", { timeout: 120_000 }, () => {
  let capstan: CapstanProcess;
  const from = () => ({
    env: { ...process.env, KUBECONFIG: capstan.status.kubeconfig },
    signal: AbortSignal.timeout(60_000),
  });
  before(async () => {
    capstan = await startCapstan({ flags: ["--no-samples", "--pod-ready-delay", "10"] });
  });
  after(() => capstan[Symbol.asyncDispose]());

  test("where none runs, that is said with what to do", async () => {
    await assert.rejects(forwardPort({ namespace: "argocd" }, from()), {
      message:
        /no Pod with .*capstan-server\) runs in namespace argocd: name another one with --port-forward-namespace/,
    });
    await assert.rejects(forwardPort({ context: "nowhere" }, from()), {
      message: /no server is found through the cluster: .*nowhere/,
    });
  });

  test("it is open until it is disposed of", async () => {
    await capstan.kube.create(
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          name: "server",
          namespace: "argocd",
          labels: { "app.kubernetes.io/name": "argocd-server" },
        },
        spec: { containers: [{ name: "server", image: "server", ports: [{ containerPort: 8080 }] }] },
      },
      { signal: AbortSignal.timeout(10_000) },
    );
    const forwarded = await eventually(
      () => forwardPort({ namespace: "argocd" }, from()).catch(() => undefined),
      { signal: AbortSignal.timeout(60_000), describe: () => "no way to the Pod" },
    );
    const answer = await fetch(`http://${forwarded.address}/`);
    assert.match(await answer.text(), /port 8080 of Pod argocd\/server is simulated/);
    await forwarded[Symbol.asyncDispose]();
    await assert.rejects(fetch(`http://${forwarded.address}/`));
  });
});
