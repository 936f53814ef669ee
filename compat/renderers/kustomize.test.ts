import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import {
  configMapText,
  lacking,
  lackingGitSshServer,
  realProgramPath,
  startChartServer,
  startGitServer,
  startGitSshServer,
} from "@capstan/testkit";
import { credentials, openRenderWorld } from "./render-world.ts";

const skip = lacking("kustomize", "helm4");
const base = {
  "k/kustomization.yaml": "resources: [one.yaml]\n",
  "k/one.yaml": configMapText("remote", "text"),
};
const kustomization = (resource: string) => ({ "app/kustomization.yaml": `resources: ["${resource}"]\n` });

type Answer = Awaited<ReturnType<Awaited<ReturnType<typeof openRenderWorld>>["render"]>>;
const names = ({ manifests }: Answer) => manifests.map(({ manifest }) => manifest.metadata.name);

test("a remote base over HTTP with a password, from a repository or by the beginning of its URL", {
  skip,
}, async () => {
  await using server = await startGitServer({ credentials });
  const { url } = await server.createRepository("bases", base);
  await using world = await openRenderWorld(kustomization(`${url}//k?ref=main`));
  const known = { repositories: [{ url, ...credentials }] };
  const answer = await world.render({ path: "app" }, known);
  assert.deepEqual(names(answer), ["remote"]);
  const credentialTemplates = [{ url: server.url, ...credentials }];
  assert.deepEqual(names(await world.render({ path: "app" }, { credentialTemplates, noCache: true })), [
    "remote",
  ]);
  assert.doesNotMatch(JSON.stringify([answer, world.logged]), new RegExp(credentials.password));
  await assert.rejects(
    world.render({ path: "app" }, { noCache: true }),
    /needs other credentials|REPOSITORY_AUTH/,
  );
});

test("a remote base over SSH with a key, its host known", {
  skip: skip || lackingGitSshServer(),
}, async () => {
  await using server = await startGitSshServer();
  const { url } = await server.createRepository("bases", base);
  await using world = await openRenderWorld(kustomization(`${url}//k?ref=main`));
  const repositories = [{ url, sshPrivateKey: server.privateKey }];
  await copyFile(server.knownHostsFile, join(world.dataDir, "ssh_known_hosts"));
  assert.deepEqual(names(await world.render({ path: "app" }, { repositories })), ["remote"]);
  await assert.rejects(
    world.render({ path: "app" }, { noCache: true }),
    /cannot reach|needs other credentials/,
  );
});

test("a remote base whose host says nothing is given up in time and named", { skip }, async () => {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => silent.once("listening", resolve));
  const address = silent.address();
  const url = `http://127.0.0.1:${typeof address === "object" && address ? address.port : 0}/x.git`;
  await using world = await openRenderWorld(kustomization(`${url}//k?ref=main`), {
    limits: { requestTimeoutMs: 500 },
  });
  // A commit: the branch would have to be looked up within the same limit.
  const targetRevision = await world.repository.git("rev-parse", "HEAD");
  try {
    await assert.rejects(world.render({ path: "app", targetRevision }), (error: Error) => {
      assert.match(error.message, /cannot reach repository http:\/\/127\.0\.0\.1:\d+\/x\.git: /);
      return true;
    });
  } finally {
    silent.close();
  }
});

test("charts of a kustomization come with the password that is known, and once", { skip }, async () => {
  const template =
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-{{ .Values.x }}'}\n";
  const files = { "templates/one.yaml": template, "values.yaml": "x: y\n" };
  await using server = await startChartServer([{ name: "web", version: "1.0.0", files }], { credentials });
  const chart = `{name: web, releaseName: r, repo: "${server.url}", version: 1.0.0, valuesInline: {x: set}}`;
  await using world = await openRenderWorld({ "app/kustomization.yaml": `helmCharts: [${chart}]\n` });
  const settings = { kustomizeBuildOptions: "--enable-helm" };
  const repositories = [{ url: server.url, type: "helm" as const, ...credentials }];
  assert.deepEqual(names(await world.render({ path: "app" }, { settings, repositories })), ["r-set"]);
  await world.render({ path: "app" }, { settings, repositories, noCache: true });
  assert.deepEqual(
    server.requests.filter((line) => line.endsWith(".tgz")),
    ["GET /charts/web-1.0.0.tgz"],
  );
  await assert.rejects(
    world.render({ path: "app" }, { settings, noCache: true }),
    /needs other credentials|REPOSITORY_AUTH/,
  );
});

test("kustomize.version names a program of the operator; an unknown one says what there is", {
  skip,
}, async () => {
  await using world = await openRenderWorld({
    "app/kustomization.yaml":
      "resources: []\nnamePrefix: x-\nconfigMapGenerator: [{name: c, literals: [a=b]}]\n",
  });
  const settings = { kustomizeVersions: { "v5.8": realProgramPath("kustomize") } };
  const answer = await world.render({ path: "app", kustomize: { version: "v5.8" } }, { settings });
  assert.match(String(names(answer)[0]), /^x-c-/);
  await assert.rejects(
    world.render({ path: "app", kustomize: { version: "v4" } }, { settings }),
    /kustomize\.path\.v4 of argocd-cm .*Configured: v5\.8/,
  );
});
