import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application, ImageUpdater } from "@capstan/model";
import { imageUpdatePrefix } from "./read-update-rules.ts";
import { rulesFor, updaterProblem } from "./updater-rules.ts";

type Refs = ImageUpdater["spec"]["applicationRefs"];

function sketchUpdater(name: string, refs: Refs, more: Partial<ImageUpdater["spec"]> = {}): ImageUpdater {
  return {
    apiVersion: "argocd-image-updater.argoproj.io/v1alpha1",
    kind: "ImageUpdater",
    metadata: { name, namespace: "argocd" },
    spec: { applicationRefs: refs, ...more },
  };
}

const annotated = { [`${imageUpdatePrefix}image-list`]: "own=nginx:1.x" };

function sketchApp(
  labels: Record<string, string> = {},
  annotations: Record<string, string> = {},
): Application {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web-prod", namespace: "argocd", labels, annotations },
    spec: { project: "default", destination: { server: "https://kubernetes.default.svc" } },
  };
}

const image = (alias: string) => ({ alias, imageName: `${alias}:1.x` });
const aliases = (app: Application, updaters: ImageUpdater[]) => {
  const rules = rulesFor(app, updaters);
  return [rules?.updater, rules?.images.map(({ alias }) => alias).join()];
};

test("the most specific reference counts, as argocd-image-updater scores them", () => {
  const refs: Refs = [
    { namePattern: "*", images: [image("all")] },
    { namePattern: "web-*", images: [image("web")] },
    { namePattern: "w*", labelSelectors: { matchLabels: { tier: "a" } }, images: [image("labelled")] },
    { namePattern: "[a-z]eb-prod", images: [image("class")] },
  ];
  const updater = sketchUpdater("one", refs);
  assert.deepEqual(aliases(sketchApp(), [updater]), ["argocd/one", "class"]);
  assert.deepEqual(aliases(sketchApp({ tier: "a" }), [updater]), ["argocd/one", "labelled"]);
  const exact = sketchUpdater("two", [{ namePattern: "web-prod", images: [image("exact")] }]);
  assert.deepEqual(aliases(sketchApp({ tier: "a" }), [updater, exact]), ["argocd/two", "exact"]);
  assert.match(
    rulesFor(sketchApp(), [updater, exact])?.problems.join() ?? "",
    /ImageUpdater one is for this/,
  );
  assert.equal(rulesFor(sketchApp(), [sketchUpdater("x", [{ namePattern: "api", images: [] }])]), undefined);
});

test("annotations count without an ImageUpdater, and where it says so", () => {
  const app = sketchApp({}, annotated);
  assert.deepEqual(aliases(app, []), [undefined, "own"]);
  assert.deepEqual(aliases(app, [sketchUpdater("one", [{ namePattern: "*", images: [image("cr")] }])]), [
    "argocd/one",
    "cr",
  ]);
  const asked = sketchUpdater("one", [
    { namePattern: "web*", useAnnotations: true },
    { namePattern: "*", images: [image("cr")] },
  ]);
  assert.deepEqual(aliases(app, [asked]), ["argocd/one", "own"]);
  assert.deepEqual(aliases(sketchApp(), [asked]), ["argocd/one", "cr"]);
});

test("settings cascade from the whole to the image; what is further on replaces, also with nothing", () => {
  const updater = sketchUpdater(
    "one",
    [
      {
        namePattern: "*",
        commonUpdateSettings: { ignoreTags: ["*-rc"], forceUpdate: true },
        writeBackConfig: {
          gitConfig: { branch: "main", pullRequest: { gitlab: {}, labels: ["bot", "bot"] } },
        },
        images: [
          { ...image("a"), commonUpdateSettings: { updateStrategy: "digest", forceUpdate: false } },
          {
            ...image("b"),
            commonUpdateSettings: { ignoreTags: [] },
            manifestTargets: { plugin: { spec: "IMAGE" } },
          },
          { alias: "c", imageName: "shop/c:>=1.0, <2", manifestTargets: { helm: { tag: "c.tag" } } },
        ],
      },
    ],
    {
      commonUpdateSettings: { updateStrategy: "newest-build", platforms: ["linux/arm64"], allowTags: "any" },
      writeBackConfig: {
        method: "git:secret:creds",
        gitConfig: { repository: "https://git.example/x", pullRequest: { github: {} } },
      },
    },
  );
  const rules = rulesFor(sketchApp(), [updater]);
  assert.deepEqual(rules?.problems, []);
  const rows = rules?.images.map((one) => [
    one.strategy,
    one.ignore.join(),
    one.forceUpdate,
    one.platforms.join(),
    one.constraint,
    one.plugin.spec || one.helm.tag,
  ]);
  assert.deepEqual(rows, [
    ["digest", "*-rc", false, "linux/arm64", "1.x", ""],
    ["newest-build", "", true, "linux/arm64", "1.x", "IMAGE"],
    ["newest-build", "*-rc", true, "linux/arm64", ">=1.0, <2", "c.tag"],
  ]);
  assert.deepEqual(rules?.writeBack, {
    method: "git",
    credentials: { namespace: "", name: "creds" },
    target: { kind: "override" },
    repository: "https://git.example/x",
    branch: "main",
    pushBranch: "",
    request: { host: "gitlab", labels: ["bot"] },
  });
});

test("what cannot be followed is said, and nothing is done for it", () => {
  const verified = { enabled: true, cosignKey: { secretName: "cosign", key: "pub" } };
  const updater = sketchUpdater(
    "one",
    [
      {
        namePattern: "*",
        images: [image("a"), { ...image("b"), imagesVerification: { enabled: false } }],
        writeBackConfig: { method: "git", gitConfig: { pullRequest: { github: {}, gitlab: {} } } },
      },
    ],
    { imagesVerification: verified },
  );
  const rules = rulesFor(sketchApp(), [updater]);
  assert.deepEqual(aliases(sketchApp(), [updater]), ["argocd/one", "b"]);
  assert.equal(rules?.writeBack, undefined);
  assert.match(
    rules?.problems.join("\n") ?? "",
    /^pull-request: "github, gitlab" is none of .*\na: imagesVerification/,
  );
  const bad = sketchUpdater("bad", [{ namePattern: "web-[", images: [image("x")] }]);
  assert.match(updaterProblem(bad) ?? "", /invalid application name pattern 'web-\['/);
  assert.equal(rulesFor(sketchApp(), [bad]), undefined);
  assert.match(updaterProblem(sketchUpdater("none", [])) ?? "", /no application references/);
  for (const namePattern of ["*", "a?[a-z]", "[^a-b]x", "a\\[", "web"])
    assert.equal(updaterProblem(sketchUpdater("ok", [{ namePattern }])), undefined, namePattern);
  for (const namePattern of ["[]", "[a", "a\\", "[-a]"])
    assert.ok(updaterProblem(sketchUpdater("ok", [{ namePattern }])), namePattern);
});
