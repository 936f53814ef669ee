import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type GitServer, startGitServer } from "@capstan/testkit";
import { failsWith, noSignal, realClock, TestLog } from "@capstan/testkit/render-world";
import type { FileEdit, FileWriteRequest, RepoServer } from "@capstan/wire";
import { createRepoServer } from "../repo-server.ts";

const credentials = { username: "ada", password: "secret" };
let server: GitServer;
let dataDir: string;
let repo: RepoServer & AsyncDisposable;

before(async () => {
  server = await startGitServer({ credentials });
  dataDir = await mkdtemp(join(tmpdir(), "capstan-write-"));
  repo = await createRepoServer({
    dataDir,
    clock: realClock,
    log: new TestLog(),
    env: process.env,
    plugins: [],
  });
});
after(async () => {
  await repo[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  await rm(dataDir, { recursive: true, force: true });
});

const values = "# of the shop\nweb:\n    image:\n        tag: 1.0.0 # by hand\n";
const files = {
  "web/values.yaml": values,
  "web/kustomization.yaml": "images:\n- name: shop/web\n  newTag: 1.0.0\n  digest: sha256:aa\n# end\n",
  "api/deployment.yaml": "kind: Deployment\n",
  // Too large to come with a commit where the server offers partial clones.
  "media.bin": "x".repeat(2 ** 21),
};

let repositories = 0;
async function openRepository() {
  repositories += 1;
  const hosted = await server.createRepository(`write-${repositories}`, files);
  await hosted.git("config", "uploadpack.allowFilter", "true");
  await hosted.git("config", "uploadpack.allowAnySHA1InWant", "true");
  const request = (edits: readonly FileEdit[], more: Partial<FileWriteRequest> = {}): FileWriteRequest => ({
    repository: { url: hosted.url, ...credentials },
    base: "main",
    branch: "",
    edits,
    message: "build: automatic update of web\n\nupdates image shop/web\n",
    author: { name: "argocd-image-updater", email: "noreply@argoproj.io" },
    ...more,
  });
  const show = async (file: string, branch = "main") => `${await hosted.git("show", `${branch}:${file}`)}\n`;
  const count = async (branch = "main") => Number(await hosted.git("rev-list", "--count", branch));
  return { hosted, request, show, count };
}

const tagEdit = (value: string): FileEdit => ({
  kind: "values",
  file: "web/values.yaml",
  values: [{ key: "web.image.tag", value }],
});

test("one commit changes the named values and nothing else; the same again is no commit", async () => {
  const { hosted, request, show, count } = await openRepository();
  const written = await repo.writeFiles(request([tagEdit("1.1.0")]), noSignal);
  assert.deepEqual(written.files, ["web/values.yaml"]);
  assert.equal(written.revision, await hosted.git("rev-parse", "main"));
  assert.equal(await show("web/values.yaml"), values.replace("1.0.0", "1.1.0"));
  const [author, message] = (await hosted.git("log", "-1", "--format=%an <%ae>%n%B", "main")).split(
    /\n(.*)/s,
  );
  assert.equal(author, "argocd-image-updater <noreply@argoproj.io>");
  assert.equal(message, "build: automatic update of web\n\nupdates image shop/web");
  assert.equal(await hosted.git("diff", "--name-only", "main~1", "main"), "web/values.yaml");
  const again = await repo.writeFiles(request([tagEdit("1.1.0")]), noSignal);
  assert.deepEqual([again.files, again.revision], [[], written.revision]);
  assert.equal(await count(), 2);
});

test("overrides of a source and a kustomization are merged into what stands there", async () => {
  const { request, show } = await openRepository();
  const file = "api/.argocd-source-api.yaml";
  const source = (image: string, value: string): FileEdit => ({
    kind: "source",
    file,
    images: [{ image, names: ["shop/web"] }],
    parameters: [{ name: "image.tag", value }],
    env: [],
  });
  await repo.writeFiles(request([source("shop/web:1.1.0", "1.1.0")]), noSignal);
  await repo.writeFiles(
    request([
      {
        ...source("shop/api:9", "x"),
        images: [{ image: "shop/api:9", names: ["shop/api"] }],
        parameters: [],
      } as FileEdit,
    ]),
    noSignal,
  );
  await repo.writeFiles(request([source("shop/web:1.20", "1.20")]), noSignal);
  assert.equal(
    await show(file),
    'kustomize:\n  images:\n    - shop/web:1.20\n    - shop/api:9\nhelm:\n  parameters:\n    - name: image.tag\n      value: "1.20"\n      forcestring: true\n',
  );
  const image = { name: "shop/web", newName: "shop/web", newTag: "1.20", digest: "" };
  const other = { name: "shop/db", newName: "mirror/db", newTag: "", digest: `sha256:${"0".repeat(64)}` };
  await repo.writeFiles(
    request([{ kind: "kustomization", folder: "web", images: [image, other] }]),
    noSignal,
  );
  assert.equal(
    await show("web/kustomization.yaml"),
    `images:\n- name: shop/web\n  newTag: "1.20"\n- name: shop/db\n  newName: mirror/db\n  digest: sha256:${"0".repeat(64)}\n\n# end\n`,
  );
});

test("a branch of its own begins at the base and grows; nothing is pushed by force", async () => {
  const { hosted, request, show, count } = await openRepository();
  const onBranch = (value: string) =>
    repo.writeFiles(request([tagEdit(value)], { branch: "update/web" }), noSignal);
  assert.equal((await onBranch("1.1.0")).branch, "update/web");
  await hosted.commit({ "README.md": "moved on\n" });
  await onBranch("1.2.0");
  assert.equal(await count("update/web"), 3);
  assert.match(await show("web/values.yaml", "update/web"), /1\.2\.0/);
  assert.match(await show("web/values.yaml"), /1\.0\.0/);
});

test("whoever pushes meanwhile is not overwritten: the change is made anew upon theirs", async () => {
  const { hosted, request, show, count } = await openRepository();
  await repo.resolveRevision(
    {
      repository: { url: hosted.url, ...credentials },
      source: { repoURL: hosted.url, targetRevision: "main" },
    },
    noSignal,
  );
  const all = await Promise.all(
    Array.from({ length: 3 }, (_one, at) =>
      repo.writeFiles(
        request([{ kind: "values", file: "web/values.yaml", values: [{ key: `app${at}.tag`, value: "2" }] }]),
        noSignal,
      ),
    ),
  );
  assert.equal(new Set(all.map(({ revision }) => revision)).size, 3);
  assert.equal(await count(), 4);
  for (const at of [0, 1, 2]) assert.match(await show("web/values.yaml"), new RegExp(`app${at}:\n`));
});

test("what a server does not take is its refusal, and not tried again", async () => {
  const { hosted, request, count } = await openRepository();
  await writeFile(
    join(hosted.dir, ".git", "hooks", "pre-receive"),
    "#!/bin/sh\necho 'main is protected' >&2\nexit 1\n",
    {
      mode: 0o755,
    },
  );
  await assert.rejects(
    repo.writeFiles(request([tagEdit("2")]), noSignal),
    /was not taken there: .*pre-receive hook declined/,
  );
  await assert.rejects(
    repo.writeFiles(request([tagEdit("2")], { base: "gone" }), noSignal),
    /gone is no branch there/,
  );
  const bare = { ...request([tagEdit("2")]), repository: { url: hosted.url } };
  await assert.rejects(repo.writeFiles(bare, noSignal), failsWith({ code: "REPOSITORY_AUTH" }));
  assert.equal(await count(), 1);
});

test("nothing is written outside the repository, through a link, into git's folder or where no file is", async () => {
  const { hosted, request, count } = await openRepository();
  await symlink("../../../../etc", join(hosted.dir, "link"));
  await symlink("/etc/passwd", join(hosted.dir, "web", "passwd.yaml"));
  await hosted.commit({ "web/binary.yaml": new Uint8Array([0xff, 0xfe, 0x00]), "web/list.yaml": "[1]\n" });
  const edits: [edit: FileEdit, problem: RegExp][] = [
    [{ ...tagEdit("2"), file: "../other/values.yaml" } as FileEdit, /leads out of the repository/],
    [{ ...tagEdit("2"), file: "/etc/values.yaml" } as FileEdit, /leads out of the repository/],
    [{ ...tagEdit("2"), file: ".git/config" } as FileEdit, /leads out of the repository/],
    [{ ...tagEdit("2"), file: "web/.GIT/config" } as FileEdit, /leads out of the repository/],
    [{ ...tagEdit("2"), file: "web/a\nM 100644 inline x" } as FileEdit, /leads out of the repository/],
    [{ ...tagEdit("2"), file: "link/values.yaml" } as FileEdit, /symlink/],
    [{ ...tagEdit("2"), file: "web/passwd.yaml" } as FileEdit, /symlink/],
    [{ ...tagEdit("2"), file: "web/gone.yaml" } as FileEdit, /gone\.yaml/],
    [{ ...tagEdit("2"), file: "web" } as FileEdit, /directory/],
    [{ ...tagEdit("2"), file: "web/binary.yaml" } as FileEdit, /UTF-8/],
    [{ ...tagEdit("2"), file: "web/list.yaml" } as FileEdit, /something else stands/],
    [
      { kind: "source", file: "gone/.argocd-source-web.yaml", images: [], parameters: [], env: [] },
      /no such folder/,
    ],
    [{ kind: "kustomization", folder: "api", images: [] }, /kustomization\.yaml/],
  ];
  for (const [edit, problem] of edits)
    await assert.rejects(repo.writeFiles(request([edit]), noSignal), problem);
  for (const branch of ["--force", "a..b", "a b", "x.lock", "a:b", "HEAD^{}"])
    await assert.rejects(
      repo.writeFiles(request([tagEdit("2")], { branch }), noSignal),
      /no name of a branch/,
      branch,
    );
  assert.equal(await count(), 2);
});
