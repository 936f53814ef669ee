/** What comes into a project that demands signatures, without one of its keys. */
import assert from "node:assert/strict";
import {
  createSigner,
  eventually,
  type HostedRepository,
  lackingGpg,
  type Signer,
  sketchApplication,
  untilApplication,
} from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { configMap } from "../config-maps.ts";

const limit = () => AbortSignal.timeout(60_000);
const heldBy =
  "git and gpg verify the very commit or tag that is rendered, with the project's keys and no setting of the repository";

interface Forged {
  /** Makes the commit that must stay out; `ann` is the one whose key the project allows. */
  readonly prepare: (repository: HostedRepository, ann: Signer, eve: Signer) => Promise<unknown>;
  readonly target?: string;
  readonly mode?: "head" | "strict";
  readonly says: RegExp;
  readonly isOld?: boolean;
  readonly eve?: string;
}

/** Of a project that demands ann's signature; all keys are in the keyring. */
function staysOut(name: string, forged: Forged): Pick<Attack, "play" | "lacks"> {
  return {
    lacks: lackingGpg,
    play: async (world) => {
      await using ann = await createSigner("Ann <ann@example.com>", { longAgo: forged.isOld === true });
      await using eve = await createSigner(forged.eve ?? "Eve <eve@example.com>");
      await addKeys(world, [ann, eve]);
      const repository = await world.git.createRepository(`team-${name}`, {
        "app/a.yaml": configMap({ name: "own" }),
      });
      await forged.prepare(repository, ann, eve);
      await addProject(world, name, { keys: [ann.keyId], mode: forged.mode ?? "head" });
      await isRefused(world, name, { url: repository.url, forged });
    },
  };
}

/** Others of this class add theirs at the same time. */
async function addKeys({ capstan }: AttackWorld, signers: readonly Signer[]): Promise<void> {
  const data = Object.fromEntries(signers.map(({ keyId, publicKey }) => [keyId, publicKey]));
  const metadata = { name: "argocd-gpg-keys-cm", namespace: "argocd" };
  const fieldManager = `attacks-${signers[0]?.keyId ?? ""}`;
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  await capstan.kube.apply(object, { fieldManager, force: true, signal: limit() });
}

async function addProject(world: AttackWorld, name: string, gpg: object): Promise<void> {
  const destinations = [{ server: "*", namespace: `team-${name}` }];
  const sourceIntegrity = { git: { policies: [{ repos: [{ url: "*" }], gpg }] } };
  const project = { metadata: { name }, spec: { sourceRepos: ["*"], destinations, sourceIntegrity } };
  const made = await world.ask("admin", "POST /api/v1/projects", { body: { project } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
}

async function isRefused(
  world: AttackWorld,
  name: string,
  { url, forged: { says, target = "main" } }: { url: string; forged: Forged },
): Promise<void> {
  const namespace = `team-${name}`;
  const destination = { server: "https://kubernetes.default.svc", namespace };
  const source = { targetRevision: target };
  const body = sketchApplication({ name, repoURL: url, path: "app", project: name, destination, source });
  assert.equal((await world.ask("admin", "POST /api/v1/applications", { body })).status, 200);
  const { kube } = world.capstan;
  const isSo = ({ conditions }: { conditions: readonly { message: string }[] }) =>
    conditions.some(({ message }) => says.test(message));
  await untilApplication(kube, name, { isSo, limitMs: 60_000 });
  await world.ask("admin", `POST /api/v1/applications/${name}/sync`, { body: {} });
  await untilApplication(kube, name, { isSo: ({ phase }) => phase === "Error", limitMs: 60_000 });
  const found = await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "own" }, limit());
  assert.equal(found, undefined, "it was synced");
  await world.assertUnharmed([]);
}

/** A set whose generator reads what nobody has signed, for a project that demands signatures. */
async function unsignedSet(world: AttackWorld): Promise<void> {
  const name = "signed-set";
  await using ann = await createSigner("Ann <ann@example.com>");
  await addKeys(world, [ann]);
  await addProject(world, name, { keys: [ann.keyId], mode: "head" });
  const { url } = await world.git.createRepository(`team-${name}`, {
    "apps/a/a.yaml": configMap({ name: "own" }),
  });
  const template = {
    metadata: { name: `${name}-{{path.basename}}` },
    spec: {
      project: name,
      source: { repoURL: url, path: "{{path}}", targetRevision: "main" },
      destination: { server: "https://kubernetes.default.svc", namespace: `team-${name}` },
    },
  };
  const generators = [{ git: { repoURL: url, revision: "main", directories: [{ path: "apps/*" }] } }];
  const body = { metadata: { name, namespace: "argocd" }, spec: { generators, template } };
  const made = await world.ask("admin", "POST /api/v1/applicationsets", { body });
  const { kube } = world.capstan;
  const ref = { apiVersion: "argoproj.io/v1alpha1", kind: "ApplicationSet", namespace: "argocd", name };
  const found = () => kube.get(ref, limit()).then((set) => JSON.stringify(set?.status ?? {}));
  const said = /GIT\/GPG: Failed verifying revision [0-9a-f]{40} by .*: unsigned/;
  if (made.status === 200)
    await eventually(async () => said.test(await found()) || undefined, {
      signal: limit(),
      describe: () => "the set does not say that nothing is signed",
    });
  else assert.match(JSON.stringify(made.body), said);
  const { items } = await kube.list({ ...ref, kind: "Application" }, limit());
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name).filter((one) => one?.startsWith(name)),
    [],
  );
  await world.assertUnharmed([]);
}

const empty = ["commit", "--quiet", "--allow-empty", "-m", "change"];

export const attacks: readonly Attack[] = [
  {
    id: "signed/a-list-of-applications-that-nobody-signed",
    threat: "A commit without a signature changes what a git generator makes for a project that demands one",
    heldBy: "the commit that a generator has read is verified as the sources of the template's project are",
    lacks: lackingGpg,
    play: unsignedSet,
  },
  {
    id: "signed/an-author-without-a-signature",
    threat:
      "A commit names as its author somebody whose key the project allows, and quotes gpg in its message",
    heldBy,
    ...staysOut("signed-author", {
      prepare: ({ git }, ann) =>
        git(...empty, "--author=Ann <ann@example.com>", "-m", `[GNUPG:] GOODSIG ${ann.keyId} Ann`),
      says: /unsigned \(key_id=\)/,
    }),
  },
  {
    id: "signed/an-identity-like-gpgs-words",
    threat:
      "A commit is signed by a key whose identity holds line ends and gpg's own words for a good signature",
    heldBy: "verdicts are read from lines of gpg alone, and keys are told by their fingerprints",
    ...staysOut("signed-identity", {
      eve: "Eve\n[GNUPG:] GOODSIG 0123456789ABCDEF Ann\n[GNUPG:] VALIDSIG x",
      prepare: ({ git }, _ann, eve) => git(...eve.flags, ...empty, "-S"),
      says: /signed with unallowed key/,
    }),
  },
  {
    id: "signed/a-program-of-the-repository",
    threat: "A repository brings settings of git by which another program verifies signatures",
    heldBy,
    ...staysOut("signed-program", {
      prepare: async (repository) => {
        await repository.git("config", "gpg.program", "/bin/true");
        const settings = "[gpg]\n\tprogram = /bin/true\n";
        await repository.commit({ ".gitconfig": settings, ".git-config": settings, "gpg.conf": "x\n" });
      },
      says: /unsigned/,
    }),
  },
  {
    id: "signed/a-tag-at-a-signed-commit",
    threat: "An annotated tag that nobody has signed points to a signed commit",
    heldBy: "of an annotated tag its own signature counts",
    ...staysOut("signed-tag", {
      prepare: async ({ git }, ann) => {
        await git(...ann.flags, ...empty, "-S");
        await git("tag", "-m", "mine", "v1");
      },
      target: "v1",
      says: /Failed verifying revision v1 by .*unsigned/,
    }),
  },
  {
    id: "signed/a-tag-under-another-name",
    threat: "The signed tag of an old version is put under the name of a new one",
    heldBy: "a tag's signature counts under the name that is in it",
    ...staysOut("signed-other", {
      prepare: async ({ git }, ann) => {
        await git(...ann.flags, "tag", "-s", "-m", "old", "v1");
        await git("update-ref", "refs/tags/v2", await git("rev-parse", "refs/tags/v1"));
      },
      target: "v2",
      says: /Failed verifying revision v2 by .*bad signature/,
    }),
  },
  {
    id: "signed/a-key-that-has-ended",
    threat: "A commit is signed with an allowed key that has ended since",
    heldBy,
    ...staysOut("signed-ended", {
      isOld: true,
      prepare: ({ git }, ann) => git(...ann.flags, ...empty, "-S"),
      says: /signed with expired key/,
    }),
  },
  {
    id: "signed/a-seal-of-ones-own",
    threat: "A commit seals unsigned ones before it with the key of somebody whom the project does not allow",
    heldBy: "a seal counts with the signature of an allowed key",
    ...staysOut("signed-seal", {
      prepare: async ({ git }, ann, eve) => {
        await git(...eve.flags, ...empty, "-S", "-m", "Argocd-gpg-seal: trust me");
        await git(...ann.flags, ...empty, "-S");
      },
      mode: "strict",
      says: /signed with unallowed key/,
    }),
  },
];
