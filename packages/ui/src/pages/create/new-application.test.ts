import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import { blank, toCommand } from "./new-application.ts";

const { spec } = blank;
const source = { repoURL: "https://git.example/a", path: "web", targetRevision: "main" };
const web: Application = {
  ...blank,
  metadata: { ...blank.metadata, name: "web" },
  spec: { ...spec, source, destination: { ...spec.destination, namespace: "web" } },
};

test("what flags can say is a command", () => {
  assert.equal(
    toCommand(web)?.replaceAll(" \\\n ", ""),
    "capstan app create web --repo https://git.example/a --path web --revision main --dest-server https://kubernetes.default.svc --dest-namespace web --project default --sync-policy automated --sync-option 'CreateNamespace=true'",
  );
  const elsewhere = toCommand({ ...web, metadata: { name: "web", namespace: "team" } });
  assert.match(elsewhere ?? "", /--app-namespace team/);
});

test("an Application that takes more than the command would say has none", () => {
  const more: Application[] = [
    { ...web, metadata: { ...web.metadata, labels: { a: "b" } } },
    { ...web, metadata: { ...web.metadata, annotations: { a: "b" } } },
    { ...web, spec: { ...web.spec, source: { ...source, helm: { releaseName: "x" } } } },
    { ...web, spec: { ...web.spec, sources: [source, source] } },
    { ...web, spec: { ...web.spec, revisionHistoryLimit: 3 } },
    { ...web, spec: { ...web.spec, syncPolicy: { retry: { limit: 3 } } } },
    { ...web, spec: { ...web.spec, syncPolicy: { automated: { allowEmpty: true } } } },
  ];
  for (const one of more) assert.equal(toCommand(one), undefined, JSON.stringify(one));
});
