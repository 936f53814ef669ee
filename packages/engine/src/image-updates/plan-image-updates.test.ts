import assert from "node:assert/strict";
import { test } from "node:test";
import type { Application } from "@capstan/model";
import { chooseTag, judgeTags } from "./judge-tags.ts";
import { imageSource, planImageUpdates } from "./plan-image-updates.ts";
import { imageUpdatePrefix, readUpdateRules } from "./read-update-rules.ts";
import { withSettings } from "./source-settings.ts";
import type { ImageRule } from "./update-rules.ts";

const any = { kind: "any" } as const;

function rulesOf(texts: Record<string, string>) {
  const annotations = Object.entries(texts).map(([name, text]) => [`${imageUpdatePrefix}${name}`, text]);
  return readUpdateRules(Object.fromEntries(annotations)) ?? assert.fail();
}

function sketchApp({
  images = [],
  ...rest
}: {
  images?: string[];
  spec?: object;
  status?: object;
}): Application {
  const source = { repoURL: "https://git.example/web", path: "web" };
  const destination = { server: "https://kubernetes.default.svc", namespace: "web" };
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: "web", namespace: "argocd" },
    spec: { project: "default", source, destination, ...rest.spec },
    status: { sourceType: "Helm", summary: { images }, ...rest.status },
  };
}

function planFor(
  app: Application,
  texts: Record<string, string>,
  versions: Record<string, { tag: string; digest?: string }>,
) {
  const rules = rulesOf(texts);
  const findings = rules.images.map((rule) => {
    const found = versions[rule.alias];
    return { rule, passedOver: [], ...(found ? { version: { digest: "", ...found } } : {}) };
  });
  return planImageUpdates(app, rules, findings);
}

test("each strategy takes its tag", () => {
  const tags = ["v1.9.0", "1.10.0", "1.10.1-rc.1", "2.0.0", "edge", "2026-01-02"];
  const cases: [rule: Partial<ImageRule>, tag: string | undefined][] = [
    [{ strategy: "semver", constraint: "" }, "2.0.0"],
    [{ strategy: "semver", constraint: "~1.10" }, "1.10.0"],
    [{ strategy: "semver", constraint: "~1.10-0" }, "1.10.1-rc.1"],
    [{ strategy: "semver", constraint: "^3" }, undefined],
    [{ strategy: "alphabetical", constraint: "" }, "v1.9.0"],
    [
      { strategy: "alphabetical", constraint: "", allow: { kind: "regexp", source: "^\\d{4}-" } },
      "2026-01-02",
    ],
    [{ strategy: "digest", constraint: "edge" }, "edge"],
    [{ strategy: "digest", constraint: "gone" }, undefined],
  ];
  for (const [sketch, wanted] of cases) {
    const rule = {
      strategy: "semver",
      constraint: "",
      allow: any,
      ignore: [],
      platforms: [],
      ...sketch,
    } as const;
    const { candidates, problem } = judgeTags(tags, rule);
    assert.equal(problem, undefined);
    assert.equal(chooseTag(candidates, rule).tag, wanted, JSON.stringify(sketch));
  }
  const rule = { strategy: "semver", constraint: "main", allow: any, ignore: [] } as const;
  assert.match(judgeTags(tags, rule).problem ?? "", /"main" is no constraint/);
});

test("an image is changed only where another version of it runs, or by force", () => {
  const list = { "image-list": "web=shop/web, api=shop/api, db=shop/db" };
  const versions = { web: { tag: "1.1.0" }, api: { tag: "1.0.0" }, db: { tag: "5.0.0" } };
  const app = sketchApp({ images: ["shop/web:1.0.0", "shop/api:1.0.0"] });
  const does = (texts: Record<string, string>) =>
    planFor(app, texts, versions).verdicts.map((one) => one.does);
  assert.deepEqual(does(list), ["update", "keep", "skip"]);
  assert.deepEqual(does({ ...list, "db.force-update": "true" }), ["update", "keep", "update"]);
});

test("of several containers with one image, one that has the version is enough; of digests, each counts", () => {
  const app = sketchApp({ images: ["shop/web:1.0.0", "shop/web:1.1.0"] });
  const plan = planFor(app, { "image-list": "web=shop/web" }, { web: { tag: "1.1.0" } });
  assert.equal(plan.verdicts[0]?.does, "keep");
  const digests = sketchApp({
    images: ["shop/web:main@sha256:aa", "shop/web:main@sha256:bb", "shop/web:dev@sha256:cc"],
  });
  const texts = { "image-list": "web=shop/web:main", "update-strategy": "digest" };
  const verdict = planFor(digests, texts, { web: { tag: "main", digest: "sha256:aa" } }).verdicts[0];
  assert.deepEqual([verdict?.does, verdict?.from], ["update", "main@sha256:bb"]);
});

test("the source that renders the images: what is asked for, what it says, what it was rendered with", () => {
  const sources = [
    { repoURL: "https://git.example/values", ref: "values" },
    { repoURL: "https://charts.example", chart: "web", helm: {} },
  ];
  const many = sketchApp({
    spec: { sources, source: undefined },
    status: { sourceTypes: ["Directory", "Helm"] },
  });
  assert.deepEqual(imageSource(many, { method: "argocd" }), { index: 1, tool: "Helm" });
  assert.equal(
    imageSource(sketchApp({ status: { sourceType: "Directory" } }), { method: "argocd" }),
    undefined,
  );
  const git = {
    method: "git",
    credentials: "repository",
    repository: "",
    branch: "",
    pushBranch: "",
  } as const;
  const kustomization = { ...git, target: { kind: "kustomization", folder: "" } } as const;
  assert.deepEqual(imageSource(sketchApp({ status: { sourceType: "Directory" } }), kustomization), {
    index: 0,
    tool: "Kustomize",
  });
  const plan = planFor(
    sketchApp({
      images: ["shop/web:1"],
      status: { sourceType: "Directory", summary: { images: ["shop/web:1"] } },
    }),
    { "image-list": "web=shop/web" },
    { web: { tag: "2.0.0" } },
  );
  assert.match(plan.verdicts[0]?.because ?? "", /no source of Helm, Kustomize or a plugin/);
});

test("settings are merged into those that stand there, and the same is the very same", () => {
  const source = {
    repoURL: "https://git.example/web",
    kustomize: { images: ["docker.io/shop/web:1", "other=x/y:1"] },
    helm: { parameters: [{ name: "a", value: "b" }] },
  };
  const changed = withSettings(source, [
    { kind: "kustomize", image: "shop/web:2" },
    { kind: "helm", name: "image.tag", value: "2" },
  ]);
  assert.deepEqual(changed.kustomize?.images, ["shop/web:2", "other=x/y:1"]);
  assert.deepEqual(changed.helm?.parameters, [
    { name: "a", value: "b" },
    { name: "image.tag", value: "2", forceString: true },
  ]);
  assert.equal(withSettings(changed, [{ kind: "kustomize", image: "shop/web:2" }]), changed);
});

test("what is set already and not synced yet is not set again", () => {
  const app = sketchApp({
    images: ["shop/web:1.0.0"],
    spec: {
      source: {
        repoURL: "https://git.example/web",
        helm: {
          parameters: [
            { name: "image.name", value: "shop/web", forceString: true },
            { name: "image.tag", value: "1.1.0", forceString: true },
          ],
        },
      },
    },
  });
  const plan = planFor(app, { "image-list": "web=shop/web" }, { web: { tag: "1.1.0" } });
  assert.deepEqual([plan.verdicts[0]?.does, plan.changes.length], ["keep", 0]);
  assert.match(plan.verdicts[0]?.because ?? "", /not synced yet/);
});
