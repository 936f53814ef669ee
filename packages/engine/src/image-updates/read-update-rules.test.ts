import assert from "node:assert/strict";
import { test } from "node:test";
import { imageKey, readImage, referenceOf } from "./image-name.ts";
import { imageUpdatePrefix, readPullSecret, readUpdateRules } from "./read-update-rules.ts";

const annotations = (texts: Record<string, string>) =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [`${imageUpdatePrefix}${name}`, text]));

test("names of images are cut as Docker cuts them", () => {
  const cases: [text: string, host: string, path: string, tag: string, digest: string][] = [
    ["nginx", "", "nginx", "", ""],
    ["nginx:1.x", "", "nginx", "1.x", ""],
    ["localhost/nginx:1", "localhost", "nginx", "1", ""],
    ["127.0.0.1:5000/a/b", "127.0.0.1:5000", "a/b", "", ""],
    ["ghcr.io/a/b:~1.2@sha256:ab", "ghcr.io", "a/b", "~1.2", "sha256:ab"],
    ["a/b:>=1.0.0 <2", "", "a/b", ">=1.0.0 <2", ""],
  ];
  for (const [text, host, path, tag, digest] of cases)
    assert.deepEqual(readImage(text), { host, path, tag, digest }, text);
  for (const text of [
    "",
    "UPPER/x",
    "a//b",
    "a/../b",
    "-x.io/a",
    "x.io:port/a",
    "a b",
    "a\nb",
    `x/${"a".repeat(300)}`,
  ])
    assert.equal(readImage(text), undefined, text);
});

test("an image of Docker Hub is the same however it is written", () => {
  const keys = [
    "nginx",
    "library/nginx",
    "docker.io/nginx",
    "docker.io/library/nginx",
    "index.docker.io/nginx",
  ].map((text) => imageKey(readImage(text) ?? assert.fail(text)));
  assert.deepEqual(new Set(keys), new Set(["docker.io/library/nginx"]));
  assert.notEqual(imageKey({ host: "ghcr.io", path: "nginx" }), keys[0]);
  assert.equal(
    referenceOf({ host: "", path: "nginx" }, { tag: "1", digest: "sha256:a" }),
    "nginx:1@sha256:a",
  );
});

test("annotations of argocd-image-updater: those of an image go before those of all", () => {
  const rules = readUpdateRules(
    annotations({
      "image-list": "web=ghcr.io/shop/web:1.x, shop/api",
      "update-strategy": "latest",
      "web.update-strategy": "semver",
      "ignore-tags": "*-debug, tmp-*",
      "web.allow-tags": "regexp:^1\\.",
      "shop_api.platforms": "linux/amd64,linux/arm64",
      "web.force-update": "true",
      "web.helm.image-name": "web.image.repository",
      "web.helm.image-tag": "web.image.tag",
      "pull-secret": "secret:shop/login#token",
      "write-back-method": "git:secret:shop/push",
      "write-back-target": "helmvalues:/charts/web/values.yaml",
      "git-branch": "main:update-{{.SHA256}}",
    }),
  );
  assert.deepEqual(rules?.problems, []);
  const [web, api] = rules?.images ?? [];
  assert.deepEqual(
    [web?.alias, web?.strategy, web?.constraint, web?.forceUpdate, web?.allow],
    ["web", "semver", "1.x", true, { kind: "regexp", source: "^1\\." }],
  );
  assert.deepEqual(web?.helm, { name: "web.image.repository", tag: "web.image.tag", spec: "" });
  assert.deepEqual(
    [api?.alias, api?.strategy, api?.platforms, api?.ignore],
    ["shop_api", "newest-build", ["linux/amd64", "linux/arm64"], ["*-debug", "tmp-*"]],
  );
  assert.deepEqual(api?.pullSecret, { kind: "secret", namespace: "shop", name: "login", field: "token" });
  assert.deepEqual(rules?.writeBack, {
    method: "git",
    credentials: { namespace: "shop", name: "push" },
    target: { kind: "helmvalues", file: "/charts/web/values.yaml" },
    repository: "",
    branch: "main",
    pushBranch: "update-{{.SHA256}}",
  });
});

test("what cannot be followed is said, and the rest is followed", () => {
  const cases: [texts: Record<string, string>, problem: RegExp, images: number][] = [
    [{ "image-list": "web=Not An Image, api=shop/api" }, /"web=Not An Image" is no image/, 1],
    [{ "image-list": "web=shop/web", "web.update-strategy": "newest" }, /"newest" is none of semver/, 0],
    [
      { "image-list": "web=shop/web", "update-strategy": "digest" },
      /name it in image-list as web=shop\/web:TAG/,
      0,
    ],
    [{ "image-list": "web=shop/web,web=shop/api" }, /another image has the alias web/, 1],
    [{ "image-list": "web=shop/web", "pull-secret": "shop/login" }, /write pullsecret:NAMESPACE\/NAME/, 0],
    [
      { "image-list": "web=shop/web", "web.helm.image-tag": "t", "web.kustomize.image-name": "x" },
      /exclude each other/,
      0,
    ],
    [{ "image-list": "web=shop/web", "write-back-method": "svn" }, /neither argocd nor git/, 1],
    [
      { "image-list": "web=shop/web", "write-back-method": "git", "write-back-target": "values" },
      /neither kustomization/,
      1,
    ],
  ];
  for (const [texts, problem, images] of cases) {
    const rules = readUpdateRules(annotations(texts));
    assert.match(rules?.problems.join() ?? "", problem);
    assert.equal(rules?.images.length, images, JSON.stringify(texts));
  }
  assert.equal(readUpdateRules({}), undefined);
  assert.equal(readUpdateRules(annotations({ "image-list": " " })), undefined);
  assert.equal(readPullSecret("secret:shop/login"), undefined);
  assert.equal(readPullSecret("pullsecret:../x"), undefined);
});
