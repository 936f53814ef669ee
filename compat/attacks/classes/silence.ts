/** What is set to protect something, or lies elsewhere, and would pass unnoticed. */
import assert from "node:assert/strict";
import { sketchApplication, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";

const configMap = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${"a".repeat(64)}\nsize 12345\n`;
const commit = "1234567890123456789012345678901234567890";
const limit = () => AbortSignal.timeout(60_000);

/** An application of a project that restricts something; none of it may come into the cluster. */
async function staysOut(world: AttackWorld, name: string, { spec, says }: { spec: object; says: RegExp }) {
  const repository = await world.git.createRepository(`team-${name}`, { "app/one.yaml": configMap("one") });
  const namespace = `team-${name}`;
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name },
    spec: { sourceRepos: ["*"], destinations: [{ server: "*", namespace }], ...spec },
  };
  const made = await world.ask("admin", "POST /api/v1/projects", { body: { project } });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const body = sketchApplication({
    name,
    repoURL: repository.url,
    path: "app",
    project: name,
    destination: { server: "https://kubernetes.default.svc", namespace },
  });
  assert.equal((await world.ask("admin", "POST /api/v1/applications", { body })).status, 200);
  const isBlocked = ({ conditions }: { conditions: readonly { type: string; message: string }[] }) =>
    conditions.some(({ type, message }) => type === "NotHonouredError" && says.test(message));
  const { kube } = world.capstan;
  await untilApplication(kube, name, { isSo: isBlocked, limitMs: 60_000 });
  const asked = await world.ask("admin", `POST /api/v1/applications/${name}/sync`, { body: { prune: true } });
  if (asked.status === 200)
    await untilApplication(kube, name, { isSo: ({ phase }) => phase === "Error", limitMs: 60_000 });
  const found = await kube.get({ apiVersion: "v1", kind: "ConfigMap", namespace, name: "one" }, limit());
  assert.equal(found, undefined, "it was synced");
  await world.assertUnharmed([]);
}

const window = {
  kind: "deny",
  schedule: "* * * * *",
  duration: "1h",
  applications: ["*"],
  timeZone: "Mars/Olympus",
};

export const attacks: readonly Attack[] = [
  {
    id: "silence/submodule-vanishes",
    threat: "A directory becomes a submodule, whose objects are missing from then on and would be pruned",
    heldBy: "a source with a submodule below its path is rendered with its files or not at all",
    advisories: ["CVE-2018-11235", "CVE-2018-17456"],
    play: deploys("submodule-vanishes", {
      files: () => ({ "app/one.yaml": configMap("one") }),
      prepare: async ({ git }) => {
        await git("update-index", "--add", "--cacheinfo", `160000,${commit},app/sub`);
        await git("commit", "--quiet", "-m", "a submodule");
      },
      source: () => ({ directory: { recurse: true } }),
      ends: { refused: /submodule app\/sub/ },
      absent: [{ apiVersion: "v1", kind: "ConfigMap", namespace: "team-submodule-vanishes", name: "one" }],
    }),
  },
  {
    id: "silence/submodule-elsewhere",
    threat:
      "A submodule names a repository that the project does not permit, or a folder of the machine, or a program",
    heldBy:
      "each submodule is asked of the project as a source is; only addresses of a network are fetched from",
    advisories: ["CVE-2018-17456"],
    play: deploys("submodule-elsewhere", {
      files: () => ({
        ".gitmodules": ["../rival-app.git", "file:///etc", "ext::sh -c id", "-uid"]
          .map((url, at) => `[submodule "${at}"]\n\tpath = app/sub${at}\n\turl = ${url}\n`)
          .join(""),
        "app/one.yaml": configMap("one"),
      }),
      prepare: async ({ git }) => {
        for (const at of [0, 1, 2, 3])
          await git("update-index", "--add", "--cacheinfo", `160000,${commit},app/sub${at}`);
        await git("commit", "--quiet", "-m", "submodules");
      },
      source: () => ({ directory: { recurse: true } }),
      ends: { refused: /submodule app\/sub0/ },
      absent: [{ apiVersion: "v1", kind: "ConfigMap", namespace: "team-submodule-elsewhere", name: "one" }],
    }),
  },
  {
    id: "silence/path-in-submodule",
    threat: "An application's path leads into a submodule",
    heldBy: "the submodule is named, and nothing is rendered or pruned",
    play: deploys("path-in-submodule", {
      prepare: async ({ git }) => {
        await git("update-index", "--add", "--cacheinfo", `160000,${commit},app`);
        await git("commit", "--quiet", "-m", "a submodule");
      },
      ends: { refused: /submodule app/ },
    }),
  },
  {
    id: "silence/lfs-pointer-deployed",
    threat: "A file is kept by Git LFS, and the text of its pointer would be deployed in its place",
    heldBy: "pointers are known by their first line, and what would use one is not rendered",
    play: deploys("lfs-pointer-deployed", {
      files: () => ({
        "app/kustomization.yaml": "configMapGenerator: [{name: one, files: [one.txt]}]\n",
        "app/one.txt": pointer,
      }),
      ends: { refused: /app\/one\.txt.*Git LFS/s },
    }),
  },
  {
    id: "silence/misspelt-pipeline",
    threat:
      "A typing error in capstan.yaml makes it no pipeline, and another tool renders the files as they are",
    heldBy: "what looks like a Pipeline and is none is refused, with the field that was meant",
    play: deploys("misspelt-pipeline", {
      files: () => ({
        "app/capstan.yaml":
          "apiversion: capstan.dev/v1alpha1\nkind: Pipeline\nspec:\n  stages:\n    - plugin: kustomize\n",
        "app/one.yaml": configMap("one"),
      }),
      ends: { refused: /apiversion.*did you mean apiVersion\?/s },
      absent: [{ apiVersion: "v1", kind: "ConfigMap", namespace: "team-misspelt-pipeline", name: "one" }],
    }),
  },
  {
    id: "silence/window-in-unknown-zone",
    threat: "A sync window's time zone is misspelt, and the window would deny at another time of the day",
    heldBy: "a window that cannot be read counts as denying, and says so",
    play: (world) =>
      staysOut(world, "window-in-unknown-zone", {
        spec: { syncWindows: [window] },
        says: /time zone "Mars\/Olympus" is not known/,
      }),
  },
];
