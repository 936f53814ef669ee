import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, AppProject, Manifest } from "@capstan/model";
import { applicationNotices, objectNotices, projectNotices } from "./notices.ts";

const apiVersion = "argoproj.io/v1alpha1";
const base = { project: "team", destination: { server: "https://kubernetes.default.svc", namespace: "web" } };
const source = { repoURL: "https://git.example/web", path: "." };

function application(spec: object, annotations: Record<string, string> = {}): Application {
  const whole = { ...base, source, ...spec };
  return { apiVersion, kind: "Application", metadata: { name: "web", annotations }, spec: whole };
}
const withOptions = (...syncOptions: string[]) => application({ syncPolicy: { syncOptions } });
const own = "argocd.argoproj.io";

const ofApplications: [string, Application, RegExp | undefined][] = [
  ["nothing", application({}), undefined],
  [
    "what is honoured",
    withOptions("Prune=false", "Prune=confirm", "CreateNamespace=true", "Replace=true"),
    undefined,
  ],
  [
    "the opposite of an option",
    withOptions("CreateNamespace=false", "PruneLast=false", "Validate=true"),
    undefined,
  ],
  ["an option that is none", withOptions("Foo=bar"), /sync option Foo=bar is not honoured: it is no option/],
  ["an option with a capital", withOptions("Replace=True"), /Replace=True .*write Replace=true/],
  ["an option with a letter too many", withOptions("Prunes=false"), /did you mean Prune\?/],
  ["what only objects take", withOptions("Force=true"), /only as an annotation of an object/],
  [
    "a hydrator",
    application({
      sourceHydrator: {
        drySource: { ...source, targetRevision: "main" },
        syncSource: { targetBranch: "b", path: "p" },
      },
    }),
    /spec\.sourceHydrator is not honoured/,
  ],
  [
    "an annotation",
    application({}, { [`${own}/hydrate`]: "normal" }),
    /annotation argocd\.argoproj\.io\/hydrate/,
  ],
  [
    "an annotation with a mistake",
    application({}, { [`${own}/refesh`]: "hard" }),
    /did you mean argocd\.argoproj\.io\/refresh\?/,
  ],
  [
    "a subscription",
    application({}, { "notifications.argoproj.io/subscribe.on-sync.slack": "x" }),
    undefined,
  ],
  ["somebody else's annotation", application({}, { "example.com/refresh": "1" }), undefined],
  ["a link", application({}, { [`link.${own}/docs`]: "https://x" }), undefined],
  [
    "a mode of comparing",
    application({}, { [`${own}/compare-options`]: "ServerSideDiff=true,IncludeMutationWebhook=true" }),
    undefined,
  ],
  [
    "a mode of comparing that is an object's",
    application({}, { [`${own}/compare-options`]: "IgnoreExtraneous" }),
    /compare option IgnoreExtraneous/,
  ],
  ["a field that is none", application({ syncPolcy: {} }), /spec\.syncPolcy .*did you mean syncPolicy\?/],
  [
    "a field of a source that is none",
    application({ sources: [{ ...source, helm: { valuesFiles: [] } }] }),
    /did you mean valueFiles\?/,
  ],
];
for (const [fact, app, message] of ofApplications) {
  test(`an application is told of ${fact}`, () => {
    const text = applicationNotices(app).join("\n");
    if (message === undefined) assert.equal(text, "");
    else assert.match(text, message);
  });
}

const project = (spec: AppProject["spec"]): AppProject => ({
  apiVersion,
  kind: "AppProject",
  metadata: { name: "team" },
  spec,
});

test("a project is told of what it sets in vain", () => {
  const known = project({
    sourceRepos: ["*"],
    orphanedResources: { warn: true },
    signatureKeys: [{ keyID: "A" }],
  });
  assert.deepEqual(projectNotices(known), []);
  const annotations = { "capstan.dev/prune-budget": "many" };
  const text = projectNotices({ ...known, metadata: { name: "team", annotations } }).join("\n");
  assert.match(text, /^[^\n]*capstan\.dev\/prune-budget[^\n]*$/);
});

test("objects are told of with their names", () => {
  const object = (annotations: Record<string, string>): Manifest => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "shop", annotations },
  });
  assert.deepEqual(
    objectNotices([object({ [`${own}/sync-options`]: "Prune=false,Force=true", [`${own}/sync-wave`]: "1" })]),
    [],
  );
  const [first, second] = objectNotices(
    [object({ [`${own}/sync-options`]: "Force=True, CreateNamespace=true", [`${own}/sync-waves`]: "1" })].map(
      (one) => ({ ...one }),
    ),
  );
  assert.match(
    first ?? "",
    /Deployment.*shop\/web.*sync-waves.*did you mean argocd\.argoproj\.io\/sync-wave\?/,
  );
  assert.match(second ?? "", /Force=True.*write Force=true/);
});
