import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, describe, test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { CapstanError } from "@capstan/model";
import { realClock } from "@capstan/testkit";
import type { FileWriteRequest, GitContentRequest, ManifestRequest, RepoServer } from "@capstan/wire";
import { reposerver } from "@capstan/wire/repo-protocols";
import { argocdRepoConnections } from "./connections.ts";
import { dialArgocdRepo } from "./dial-foreign.ts";
import { readManifestRequest } from "./read-request.ts";
import { writeManifestRequest } from "./write-request.ts";

const signal = () => AbortSignal.timeout(100_000);
const url = "https://git.example.com/team/shop.git";
const request: ManifestRequest = {
  repository: {
    ...{ url, type: "git", username: "u", password: "p", insecure: true, enableLfs: true },
    ...{ githubAppID: "12", githubAppInstallationID: "34", proxy: "http://proxy:1", inheritedCreds: true },
  },
  source: { repoURL: url, path: "app", targetRevision: "main", helm: { valueFiles: ["$values/a.yaml"] } },
  appName: "team_shop",
  namespace: "shop",
  project: "team",
  revision: "main",
  kubeVersion: "1.33",
  apiVersions: ["v1", "apps/v1"],
  refSources: {
    values: {
      repository: { url, type: "git" },
      source: { repoURL: url, targetRevision: "v1", ref: "values" },
    },
  },
  repositories: [{ url: "registry.example.com/charts", type: "oci", insecureOciForceHttp: true }],
  credentialTemplates: [{ url: "https://git.example.com", username: "t" }],
  sourceRepos: ["*"],
  manifestGeneratePaths: ".",
  noRevisionCache: true,
  settings: {
    kustomizeBuildOptions: "--load-restrictor LoadRestrictionsNone",
    kustomizeVersions: { v5: "/bin/kustomize5" },
    disabledTypes: ["Jsonnet"],
    helmValuesFileSchemes: ["https"],
  },
};
const commit = "a".repeat(40);
const configMap = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { n: "1" } };

test("what is asked of Argo CD's repo server is what ours reads of Argo CD's programs", () => {
  const written = create(reposerver.ManifestRequestSchema, writeManifestRequest(request, true));
  const { insecure: _, ...repository } = request.repository;
  // Theirs has two names for a host that is not verified.
  assert.deepEqual(readManifestRequest(written), {
    ...request,
    repository: { ...repository, insecure: true },
  });
});

test("a number that is none is told of the repository that is meant, and of another one hinders nobody", () => {
  const wrong = { ...request.repository, githubAppID: "app" };
  assert.throws(
    () => writeManifestRequest({ ...request, repository: wrong }, false),
    (error) => error instanceof CapstanError && /githubAppID: is not a whole number/.test(error.message),
  );
  const others = { repositories: [wrong], credentialTemplates: [wrong] };
  const written = writeManifestRequest({ ...request, ...others }, false);
  assert.deepEqual([written.repos, written.helmRepoCreds], [[], []]);
});

describe("Argo CD's repo server, asked by its own protocol", () => {
  const seen: ManifestRequest[] = [];
  let failure: CapstanError | undefined;
  let foreignPaths = ["apps", "apps/.hidden", "apps/a", "apps/b"];
  let texts: readonly object[] = [configMap];
  const served = {
    async generateManifests(asked: ManifestRequest) {
      if (failure) throw failure;
      seen.push(asked);
      return {
        manifests: texts.map((manifest) => ({ manifest, digest: "" })),
        ...{ revision: commit, sourceType: "Plugin", plugin: "x", commands: ["x ."], cache: "hit" },
      };
    },
    async resolveRevision() {
      return { revision: commit, ambiguous: "main (abc)" };
    },
    async revisionMetadata() {
      return { author: "a", date: "2026-01-02T03:04:05Z", message: "m", tags: ["v1"] };
    },
    async listRefs() {
      return { branches: ["main"], tags: ["v1"] };
    },
    async readGitContent({ revision, directories, files = [] }: GitContentRequest) {
      assert.equal(revision, commit, "of the commit that was found first");
      if (directories) return { revision, directories: foreignPaths };
      const names = files[0]?.path === "apps/*.yaml" ? ["apps/b.yaml", "apps/a.yaml"] : ["apps/b.yaml"];
      return { revision, files: names.map((path) => ({ path, objects: [{ path }] })) };
    },
    async describeSource() {
      const stage = {
        name: "helm",
        plugin: "helm",
        sensitive: false,
        announced: [],
        parameters: [],
        env: [],
      };
      const helm = { valueFiles: ["values.yaml"], values: "a: 1", parameters: [{ name: "a", value: "1" }] };
      return { plugin: "helm", sourceType: "Helm", stages: [stage], helm };
    },
  } as unknown as RepoServer;
  const log = { debug: () => undefined, warn: () => undefined };
  const connections = argocdRepoConnections({
    repo: served,
    anyoneMayCall: true,
    maxMessageBytes: 2 ** 20,
    log,
  });
  const listener = createServer((socket) => connections.take(socket, { isKnown: true }));
  let repo: RepoServer & AsyncDisposable;

  before(async () => {
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const address = listener.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const place = { host: "127.0.0.1", port, security: "plaintext", timeoutMs: 50_000 } as const;
    repo = dialArgocdRepo({ ...place, maxMessageBytes: 2 ** 20 }, realClock);
  });
  after(async () => {
    await repo[Symbol.asyncDispose]();
    connections[Symbol.dispose]();
    listener.close();
  });

  test("manifests come without tracking, with the plugin's own name and when the remote was asked", async () => {
    const source = { ...request.source, plugin: { name: "tanka" } };
    const { noRevisionCache: _, ...usual } = request;
    const first = await repo.generateManifests({ ...usual, source }, signal());
    assert.deepEqual(
      first.manifests.map(({ manifest }) => manifest),
      [configMap],
    );
    assert.deepEqual([first.plugin, first.revision, first.commands], ["tanka", commit, ["x ."]]);
    const askedAt = first.askedAt ?? assert.fail("it does not say when");
    const again = await repo.generateManifests({ ...usual, source, revisionNotBefore: askedAt }, signal());
    assert.equal(again.askedAt, askedAt, "what was asked since is not asked again");
    const newer = await repo.generateManifests(
      { ...usual, source, revisionNotBefore: askedAt + 1 },
      signal(),
    );
    assert.ok((newer.askedAt ?? 0) >= askedAt);
    const asked = seen.slice(-3).map(({ noRevisionCache = false }) => noRevisionCache);
    assert.deepEqual(asked, [true, false, true]);
  });

  test("files that are sent arrive whole", async () => {
    const uploaded = Buffer.alloc(200_000, "x").toString("base64");
    await repo.generateManifests({ ...request, uploaded }, signal());
    assert.equal(seen.at(-1)?.uploaded, uploaded);
  });

  test("revisions, metadata, refs and details are told as ours tells them", async () => {
    const resolved = await repo.resolveRevision(request, signal());
    assert.deepEqual([resolved.revision, resolved.ambiguous], [commit, "main (abc)"]);
    const metadata = await repo.revisionMetadata(request, signal());
    assert.deepEqual(metadata, { author: "a", date: "2026-01-02T03:04:05Z", message: "m", tags: ["v1"] });
    assert.deepEqual(await repo.listRefs(request, signal()), { branches: ["main"], tags: ["v1"] });
    assert.deepEqual(
      await repo.describeSource(request, signal()),
      await served.describeSource(request, signal()),
    );
  });

  test("what it says of a failure is said, and where it was said", async () => {
    failure = new CapstanError({ code: "PATH_MISSING", path: "app" });
    const { noRevisionCache: _, ...usual } = { ...request, revision: "not-asked-before" };
    await assert.rejects(repo.generateManifests(usual, signal()));
    failure = undefined;
    await repo.generateManifests(usual, signal());
    assert.equal(seen.at(-1)?.noRevisionCache, true, "what failed has not asked the remote");
    failure = new CapstanError({ code: "PATH_MISSING", path: "app" });
    await assert.rejects(
      repo.generateManifests(request, signal()),
      /Argo CD's repo server 127\.0\.0\.1:\d+: .*app/,
    );
    failure = undefined;
  });

  test("an answer over the limit of a message, or no manifest, is refused", async () => {
    texts = [{ ...configMap, data: { n: "x".repeat(2 ** 20) } }];
    await assert.rejects(
      repo.generateManifests(request, signal()),
      /repo server .*(larger|RESOURCE_EXHAUSTED|exceed)/i,
    );
    texts = [{ kind: "ConfigMap" }];
    await assert.rejects(
      repo.generateManifests(request, signal()),
      /document 1.*apiVersion, kind and metadata/,
    );
    texts = [configMap];
  });

  test("what git generators ask for is of one commit; what is left out is", async () => {
    const { revision: _, ...wanted } = request;
    const directories = [{ path: "apps/*" }, { path: "apps/b", exclude: true }];
    assert.deepEqual(await repo.readGitContent({ ...wanted, directories }, signal()), {
      revision: commit,
      directories: ["apps/a"],
    });
    const hidden = await repo.readGitContent({ ...wanted, directories, hidden: true }, signal());
    assert.deepEqual(hidden.directories, ["apps/.hidden", "apps/a"]);
    const files = [{ path: "apps/*.yaml" }];
    const read = await repo.readGitContent({ ...wanted, files }, signal());
    assert.deepEqual(read.files, [
      { path: "apps/a.yaml", objects: [{ path: "apps/a.yaml" }] },
      { path: "apps/b.yaml", objects: [{ path: "apps/b.yaml" }] },
    ]);
    const some = [...files, { path: "apps/b.yaml", exclude: true }];
    const left = await repo.readGitContent({ ...wanted, files: some }, signal());
    assert.deepEqual(
      left.files?.map(({ path }) => path),
      ["apps/a.yaml"],
    );
  });

  test("paths that lead elsewhere, and manifests of another commit, are not taken", async () => {
    const { revision: _, ...wanted } = request;
    for (const path of ["apps/../../etc", "/etc", "apps//a", "./apps"]) {
      foreignPaths = ["apps/a", path];
      const asked = repo.readGitContent({ ...wanted, directories: [{ path: "apps/*" }] }, signal());
      await assert.rejects(asked, /is no path below it/);
    }
    const other = "b".repeat(40);
    await assert.rejects(
      repo.generateManifests({ ...request, revision: other }, signal()),
      new RegExp(`of commit ${commit}, where ${other} was asked for`),
    );
    assert.equal((await repo.generateManifests({ ...request, revision: commit }, signal())).revision, commit);
  });

  test("what only ours can do is refused with what to do", async () => {
    await assert.rejects(
      repo.writeFiles({} as FileWriteRequest, signal()),
      /write-back to git.*capstan repo-server/,
    );
    const demand = { mode: "strict", keys: [] } as const;
    const signed = { ...request, revision: "abc", demand, keyring: [] };
    await assert.rejects(repo.verifySignatures(signed, signal()), /strict/);
    const head = { ...signed, demand: { mode: "head", keys: [] } } as const;
    await assert.rejects(repo.verifySignatures(head, signal()), /signature of the commit/);
  });
});
