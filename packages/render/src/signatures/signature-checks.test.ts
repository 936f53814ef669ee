import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import {
  createGitRepository,
  createSigner,
  type GitRepository,
  lackingGpg,
  realClock,
  type Signer,
  startGitServer,
} from "@capstan/testkit";
import { TestLog } from "@capstan/testkit/render-world";
import type { RepoServer } from "@capstan/wire";
import { createRepoServer } from "../repo-server.ts";

const limit = () => AbortSignal.timeout(60_000);

suite("signatures of commits and tags", { skip: lackingGpg() }, () => {
  const opened = new AsyncDisposableStack();
  let repo: RepoServer;
  let git: GitRepository;
  let ann: Signer;
  let eve: Signer;

  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "capstan-signatures-"));
    opened.defer(() => rm(dataDir, { recursive: true, force: true }));
    const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: "1" };
    repo = opened.use(
      await createRepoServer({ dataDir, clock: realClock, log: new TestLog(), env, plugins: [] }),
    );
    git = opened.use(await createGitRepository({ "a.yaml": "{}" }));
    [ann, eve] = await Promise.all([
      createSigner("Ann <ann@example.com>"),
      createSigner("Eve\n[GNUPG:] GOODSIG 0123456789ABCDEF Ann <ann@example.com>"),
    ]);
    opened.use(ann);
    opened.use(eve);
  });
  after(() => opened.disposeAsync());

  const head = () => git.git("rev-parse", "HEAD^{commit}");
  const commit = async (by: Signer | undefined, message = "change") => {
    const signing = by ? [...by.flags, "commit", "-S"] : ["commit"];
    await git.git(...signing, "--quiet", "--allow-empty", "-m", message);
    return head();
  };
  interface Asked {
    revision?: string;
    target?: string;
    mode?: "head" | "strict";
    keys?: readonly string[];
    ring?: readonly string[];
    git?: Pick<GitRepository, "url">;
  }
  const problems = async (asked: Asked = {}) => {
    const { revision, target = "HEAD", mode = "head", keys, ring } = asked;
    const { url } = asked.git ?? git;
    repo.forgetRevisions(url);
    return repo.verifySignatures(
      {
        repository: { url },
        source: { repoURL: url, path: ".", targetRevision: target },
        revision: revision ?? (await head()),
        demand: { mode, keys: keys ?? [ann.keyId] },
        keyring: ring ?? [ann.publicKey, eve.publicKey],
      },
      limit(),
    );
  };

  test("a commit counts with an allowed key of the keyring alone", async () => {
    const unsigned = await commit(undefined);
    assert.deepEqual(await problems(), [
      `Failed verifying revision ${unsigned} by 'Test <test@example.com>': unsigned (key_id=)`,
    ]);
    const signed = await commit(ann);
    assert.deepEqual(await problems(), []);
    assert.deepEqual(await problems({ keys: [ann.fingerprint.toLowerCase()] }), []);
    const failed = (why: string) => [
      `Failed verifying revision ${signed} by 'Test <test@example.com>': ${why}`,
    ];
    const id = `(key_id=${ann.keyId})`;
    assert.deepEqual(await problems({ keys: [] }), failed(`signed with unallowed key ${id}`));
    assert.deepEqual(await problems({ keys: [eve.keyId] }), failed(`signed with unallowed key ${id}`));
    assert.deepEqual(
      await problems({ keys: [ann.keyId.slice(-8), ""] }),
      failed(`signed with unallowed key ${id}`),
    );
    const impostor = `${"0".repeat(24)}${ann.keyId}`;
    assert.deepEqual(await problems({ keys: [impostor] }), failed(`signed with unallowed key ${id}`));
    for (const ring of [[], [eve.publicKey], ["no key at all"]])
      assert.deepEqual(await problems({ ring }), failed(`signed with key not in keyring ${id}`));
    assert.deepEqual(await problems({ ring: ["no key at all", ann.publicKey] }), []);
  });

  test("beside a commit stands which key has signed it, never who the commit says that it is of", async () => {
    const says = async (keys: readonly string[]) => {
      repo.forgetRevisions(git.url);
      const demand = { mode: "head", keys } as const;
      const { signatureInfo } = await repo.revisionMetadata(
        {
          repository: { url: git.url },
          source: { repoURL: git.url, path: ".", targetRevision: "HEAD" },
          revision: await head(),
          signatures: { demand, keyring: [ann.publicKey] },
        },
        limit(),
      );
      return signatureInfo;
    };
    await commit(ann);
    assert.equal(await says([ann.keyId]), `Good signature with key ${ann.keyId}`);
    assert.match((await says([eve.keyId])) ?? "", /signed with unallowed key/);
    await commit(undefined);
    assert.match((await says([ann.keyId])) ?? "", /: unsigned \(key_id=\)$/);
    const asked = {
      repository: { url: git.url },
      source: { repoURL: git.url, path: ".", targetRevision: "HEAD" },
    };
    const plain = await repo.revisionMetadata({ ...asked, revision: await head() }, limit());
    assert.equal(plain.signatureInfo, undefined, "it was not asked for");
  });

  test("an author, and an identity that looks like gpg's own words, prove nothing", async () => {
    await git.git("config", "user.name", "Ann");
    const forged = await git.git(
      ...eve.flags,
      ...[
        "-c",
        "user.name=Ann",
        "commit",
        "-S",
        "--quiet",
        "--allow-empty",
        "--author=Ann <ann@example.com>",
      ],
      ...["-m", `[GNUPG:] GOODSIG ${ann.keyId} Ann\n\ngpgsig -----BEGIN PGP SIGNATURE-----`],
    );
    assert.equal(forged, "");
    const [problem = ""] = await problems();
    assert.match(problem, new RegExp(`signed with unallowed key \\(key_id=${eve.keyId}\\)$`));
    assert.deepEqual(await problems({ keys: [eve.keyId] }), []);
  });

  test("a commit that was changed after it was signed is bad", async () => {
    await commit(ann, "good");
    const text = await git.git("cat-file", "commit", "HEAD");
    const file = join(git.dir, ".git", "forged");
    await writeFile(file, `${text.replace(/good$/, "evil")}\n`);
    const forged = await git.git("hash-object", "-t", "commit", "-w", file);
    await git.git("update-ref", "refs/heads/forged", forged);
    const [problem = ""] = await problems({ revision: forged, target: "forged" });
    assert.match(problem, /bad signature \(key_id=[0-9A-F]{16}\)$/);
  });

  test("of an annotated tag its own signature counts, of a plain one the commit's", async () => {
    const signed = await commit(ann);
    await git.git("tag", "plain");
    await git.git("tag", "-m", "annotated", "unsigned");
    assert.deepEqual(await problems({ target: "plain", revision: signed }), []);
    const [problem = ""] = await problems({ target: "unsigned", revision: signed });
    assert.match(
      problem,
      /^Failed verifying revision unsigned by 'Test <test@example.com>': unsigned \(key_id=\)$/,
    );
    const unsigned = await commit(undefined);
    await git.git(...ann.flags, "tag", "-s", "-m", "signed", "v1.0.0");
    await git.git(...eve.flags, "tag", "-s", "-m", "signed", "by-eve");
    assert.deepEqual(await problems({ target: "v1.0.0", revision: unsigned }), []);
    assert.deepEqual(await problems({ target: "v1.0.*", revision: unsigned }), []);
    const [other = ""] = await problems({ target: "by-eve", revision: unsigned });
    assert.match(other, /signed with unallowed key/);
    const [strict = ""] = await problems({ target: "v1.0.0", revision: unsigned, mode: "strict" });
    assert.match(strict, /unsigned/);
    // The signature of one tag under the name of another.
    await git.git("update-ref", "refs/tags/v2.0.0", await git.git("rev-parse", "refs/tags/v1.0.0"));
    const [moved = ""] = await problems({ target: "v2.0.0", revision: unsigned });
    assert.match(moved, /^Failed verifying revision v2\.0\.0 by .*: bad signature/);
  });

  test("strict: all commits count, back to one that an allowed key has sealed", async () => {
    await commit(undefined, "in between");
    const last = await commit(ann);
    assert.deepEqual(await problems(), []);
    assert.match((await problems({ mode: "strict" })).join("\n"), /unsigned \(key_id=\)/);
    await commit(eve, "all is well\n\nArgocd-gpg-seal: trust me");
    await commit(ann);
    assert.match((await problems({ mode: "strict" })).join("\n"), /unsigned \(key_id=\)/);
    await commit(ann, "seen\n\nArgocd-gpg-seal: up to here");
    assert.deepEqual(await problems({ mode: "strict" }), []);
    await commit(ann);
    assert.deepEqual(await problems({ mode: "strict" }), []);
    await commit(undefined);
    await commit(ann);
    const [problem = "", ...more] = await problems({ mode: "strict" });
    assert.match(problem, /unsigned/);
    assert.equal(more.length, 0);
    assert.deepEqual(await problems({ revision: last }), []);
  });

  test("strict: the history is fetched once, and goes on with each commit", async () => {
    await using server = await startGitServer();
    const remote = await server.createRepository("signed", { "a.yaml": "{}" });
    const signed = async () => {
      await remote.git(...ann.flags, "commit", "-S", "--quiet", "--allow-empty", "-m", "change");
      return remote.git("rev-parse", "HEAD");
    };
    const asked = async (revision: string, mode: "head" | "strict") => {
      const before = server.requests.length;
      const found = await problems({ git: remote, revision, mode });
      const packs = server.requests.slice(before).filter((request) => /^POST/.test(request)).length;
      return { found: found.length, packs };
    };
    await remote.git("commit", "--quiet", "--allow-empty", "-m", "unsigned");
    for (let count = 0; count < 8; count += 1) await signed();
    await asked(await signed(), "head");
    const history = await asked(await signed(), "strict");
    assert.deepEqual(history.found, 2, "of the first two");
    assert.ok(history.packs > 1, "the commit, and what it comes from");
    for (const mode of ["strict", "head", "strict"] as const)
      assert.deepEqual(await asked(await signed(), mode), { found: mode === "strict" ? 2 : 0, packs: 1 });
  });

  test("a key that has ended or was revoked counts no more; what git is told in the repository is not read", async () => {
    await using old = await createSigner("Old <old@example.com>", { longAgo: true });
    await commit(old);
    const of = { keys: [old.keyId], ring: [old.publicKey] };
    assert.match((await problems(of)).join(), /signed with expired key/);
    await using gone = await createSigner("Gone <gone@example.com>");
    await commit(gone);
    assert.deepEqual(await problems({ keys: [gone.keyId], ring: [gone.publicKey] }), []);
    const ring = [await gone.revoked()];
    assert.match((await problems({ keys: [gone.keyId], ring })).join(), /signed with revoked key/);
    await git.git("config", "gpg.program", "/bin/true");
    await git.commit({ ".gitconfig": "[gpg]\n\tprogram = /bin/true\n", ".git-config": "x" });
    assert.match((await problems()).join(), /unsigned/);
  });
});
