import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "@capstan/kube";
import { reportSettings } from "./settings-report.ts";

test("the right to see a set of another namespace names that namespace", async () => {
  const destination = { server: "https://kubernetes.default.svc", namespace: "x" };
  const template = { metadata: { name: "x" }, spec: { project: "team", destination } };
  const metadata = { name: "all", namespace: "elsewhere" };
  const set = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", metadata };
  const stored = { ...set, spec: { generators: [], template } };
  const asked: string[] = [];
  const handler = reportSettings({
    live: { ofKind: (_group: string, kind: string) => (kind === "ApplicationSet" ? [stored] : []) } as never,
    rights: { allows: (_user, { object }) => asked.push(object) < 0 },
    settings: { current: readSettings([], []) },
    controlNamespace: "argocd",
  });
  const user = { name: "ada", groups: [], issuer: "argocd" };
  await handler({}, { user, address: "", signal: AbortSignal.timeout(5000) });
  assert.deepEqual(asked, ["*", "team/elsewhere/all"]);
});
