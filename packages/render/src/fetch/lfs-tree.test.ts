import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Repository } from "@capstan/model";
import { type GitServer, LfsContents, startGitServer } from "@capstan/testkit";
import { configMap, failsWith, realClock, startWorld } from "@capstan/testkit/render-world";
import { LfsServer } from "./lfs-server.ts";

const credentials = { username: "robot", password: "s3cret" };
const lfs = new LfsContents();
let server: GitServer;
let world: Awaited<ReturnType<typeof startWorld>>;

before(async () => {
  server = await startGitServer({ credentials, lfs });
  world = await startWorld();
});
after(async () => {
  await world[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Renders a repository of these files, with its credentials and Git LFS, unless told otherwise. */
async function render(
  name: string,
  files: Record<string, string>,
  { source = { path: "app" }, ...more }: { source?: object } & Partial<Repository> = {},
) {
  const { url } = await server.createRepository(name, files);
  const repository = { url, ...credentials, enableLfs: true, ...more };
  return world.render({ repoURL: url, ...source }, { repository });
}

const refusedFile = (problem: RegExp) =>
  failsWith(
    { code: "FAILED_PRECONDITION" },
    new RegExp(`app/one.yaml, which Git LFS keeps: ${problem.source}`),
  );

test("a pointer is rendered as what it stands for, wherever it is read", async () => {
  const kept = lfs.keep("a large text\n".repeat(200));
  const made = await render("kinds", {
    "app/kustomization.yaml": lfs.keep(
      "configMapGenerator: [{name: made, files: [one.txt], options: {disableNameSuffixHash: true}}]\n",
    ),
    "app/one.txt": kept,
    "elsewhere/large.bin": `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`,
  });
  assert.deepEqual(
    made.manifests.map(({ manifest }) => manifest.data),
    [{ "one.txt": "a large text\n".repeat(200) }],
  );
  const [before, batches] = [lfs.fetched.length, lfs.batches.length];
  const { url } = await server.createRepository("helm", {
    "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/templates/one.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {text: {{ .Values.text | quote }}}\n",
    "values.yaml": lfs.keep("text: from Git LFS\n"),
  });
  const repository = { url, ...credentials, enableLfs: true };
  const chart = { repoURL: url, path: "chart", helm: { valueFiles: ["../values.yaml"] } };
  const charted = await world.render(chart, { repository });
  assert.deepEqual(charted.manifests[0]?.manifest.data, { text: "from Git LFS" });
  assert.equal(lfs.fetched.length, before + 1);
  await world.render({ ...chart, helm: { ...chart.helm, releaseName: "other" } }, { repository });
  assert.deepEqual([lfs.fetched.length, lfs.batches.length], [before + 1, batches + 1], "kept by its digest");
});

test("many files are asked for together", async () => {
  const files = Array.from({ length: 150 }, (_none, at) => [
    `app/${at}.yaml`,
    lfs.keep(configMap(`of-${at}`)),
  ]);
  const before = lfs.batches.length;
  assert.equal((await render("many", Object.fromEntries(files))).manifests.length, 150);
  const batches = lfs.batches.slice(before);
  assert.ok(batches.every((objects) => objects <= 100) && batches.length < 15, batches.join());
});

test("what is not what the pointer says is not rendered, and not kept", async () => {
  const misdeeds = [
    [{ content: Buffer.from(configMap("fal-0")) }, /what its server gave is not what the pointer names/],
    [{ content: Buffer.from("short") }, /its server gave 5 bytes, where the pointer says \d+/],
    [{ content: Buffer.alloc(5_000) }, /its server gave 5000 bytes/],
    [{ object: { size: 1 } }, /its server has another size than the \d+ bytes/],
    [{ object: { actions: {} } }, /its server does not say where it is to be had/],
    [{ href: "file:///etc/passwd" }, /its server leads to an address of the scheme file:, which is not/],
    [{ object: { error: { code: 410, message: "gone\u001b[2J" } } }, /its server says: gone \[2J \(410\)/],
    [{ answer: { objects: [] } }, /its server's answer does not name it/],
  ] as const;
  const answers = [
    [{ answer: { transfer: "ssh" } }, /is none that Git LFS's batch API knows/],
    [{ href: `${server.url}/nowhere` }, /HTTP status 40/],
    [{ content: Buffer.alloc(2 ** 20) }, /lfs-contents.* 64 KiB/],
  ] as const;
  // Failures are kept for a while by what would be rendered: each has its own.
  const texts = [...misdeeds, ...answers].map((_one, at) => lfs.keep(configMap(`tru-${at}`)));
  const files = Object.fromEntries(texts.map((text, at) => [`${at}/app/one.yaml`, text]));
  const { url: repoURL } = await server.createRepository("bad", files);
  const repository = { url: repoURL, ...credentials, enableLfs: true };
  for (const [at, [misdeed, says]] of [...misdeeds, ...answers].entries()) {
    lfs.misdeeds = misdeed;
    const expected = at < misdeeds.length ? refusedFile(says) : says;
    await assert.rejects(world.render({ repoURL, path: `${at}/app` }, { repository }), expected);
  }
  lfs.misdeeds = {};
  const source = { repoURL, path: ".", directory: { recurse: true } };
  assert.equal((await world.render(source, { repository })).manifests.length, texts.length);
});

test("a pointer that is none, or to too much, is refused before anything is asked for", async () => {
  const before = lfs.batches.length;
  const start = "version https://git-lfs.github.com/spec/v1\n";
  const extended = `${start}ext-0-case sha256:${"b".repeat(64)}\noid sha256:${"a".repeat(64)}\nsize 12\n`;
  await assert.rejects(
    render("extended", { "app/one.yaml": extended }),
    refusedFile(/its pointer has more than/),
  );
  const huge = `${start}oid sha256:${"a".repeat(64)}\nsize ${2 ** 30}\n`;
  await assert.rejects(render("huge", { "app/one.yaml": huge }), failsWith({ code: "FILE_TOO_LARGE" }));
  const missing = `${start}oid sha256:${"a".repeat(64)}\nsize 12\n`;
  assert.equal(lfs.batches.length, before);
  await assert.rejects(
    render("missing", { "app/one.yaml": missing }),
    refusedFile(/its server says: Object does not/),
  );
});

test("another repository, or other settings, get nothing of what is kept", async () => {
  const text = lfs.keep(configMap("secret-one"));
  await render("owner", { "app/one.yaml": text });
  const before = lfs.fetched.length;
  await render("stranger", { "app/one.yaml": text }, { project: "other" });
  assert.equal(lfs.fetched.length, before + 1);
  await assert.rejects(
    render("off", { "app/one.yaml": text }, { enableLfs: false }),
    /file app\/one.yaml: it is kept by Git LFS.*set enableLfs/,
  );
  const elsewhere = { ".lfsconfig": "[lfs]\n\turl = https://lfs.example.com/x\n", "app/one.yaml": text };
  await assert.rejects(
    render("config", elsewhere),
    /\.lfsconfig names https:\/\/lfs\.example\.com\/x .* is not asked/,
  );
});

test("repositories over ssh and on this machine have no server of Git LFS", () => {
  for (const url of ["git@git.example.com:team/app.git", "ssh://git@git.example.com/app", "file:///srv/app"])
    assert.throws(
      () => new LfsServer({ repository: { url }, url, clock: realClock, timeoutMs: 1_000 }),
      /files of Git LFS are fetched over https alone/,
    );
});

test("a server elsewhere does not lead to addresses of this machine", async () => {
  const url = "https://git.example.com/team/app.git";
  const elsewhere = new LfsServer({ repository: { url }, url, clock: realClock, timeoutMs: 5_000 });
  for (const href of [
    "http://169.254.169.254/latest/meta-data",
    `${server.url}/x`,
    "http://localhost/",
    "http://[::1]/",
  ])
    await assert.rejects(
      elsewhere.download(
        { oid: "a", size: 1 },
        { href: new URL(href), headers: {} },
        AbortSignal.timeout(5_000),
      ),
      /address of this machine or of its surroundings/,
    );
});
