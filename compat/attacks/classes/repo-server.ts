/** What a parser's hole would give whoever found it: the repo server's process is looked at from outside. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, readlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { eventually, repoServersOf } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deploys } from "../deploy.ts";

const lacks = ({ mode }: AttackWorld): string | false => (mode.hasSandbox ? false : "there is no sandbox");

async function repoServer({ capstan }: AttackWorld): Promise<number> {
  return eventually(async () => (await repoServersOf(capstan.status.pid))[0], {
    signal: AbortSignal.timeout(60_000),
    describe: () => "there is no repo server",
  });
}

/** Another attack may end it meanwhile: then its successor is looked at. */
async function lookAt(world: AttackWorld, look: (process: string) => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const process = `/proc/${await repoServer(world)}`;
    const problem = await look(process).catch((error: unknown) => ({ error }));
    const isThere = await readlink(join(process, "ns", "mnt")).catch(() => undefined);
    if (isThere === undefined) continue;
    if (problem) throw problem.error;
    return;
  }
  throw new Error("each repo server ended while it was looked at");
}

/** Another attack may have ended the one that was found. */
async function endRepoServer(world: AttackWorld): Promise<void> {
  const isEnded = async () => {
    try {
      return process.kill(await repoServer(world), "SIGKILL");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ESRCH") return undefined;
      throw error;
    }
  };
  await eventually(isEnded, {
    signal: AbortSignal.timeout(60_000),
    describe: () => "no repo server can be ended",
  });
}

export const attacks: readonly Attack[] = [
  {
    id: "repo-server/reads-what-up-keeps",
    threat:
      "Code that a repository brought into the process that renders reads the password, the kubeconfig or a file outside",
    heldBy:
      "the repo server's sandbox shows programs and its own folder; repositories of the machine it fetches as from a server",
    advisories: ["CVE-2022-24348", "CVE-2025-53547"],
    lacks,
    play: (world) =>
      lookAt(world, async (process) => {
        const root = join(process, "root");
        const { dataDir, outside } = world.at;
        for (const path of ["admin-password", "kubeconfig", "cluster", "plugins/kubeconfig"])
          assert.ok(!existsSync(join(root, dataDir, path)), path);
        for (const path of [outside, "/etc/shadow", join(homedir(), ".ssh"), "/run/docker.sock"])
          assert.ok(!existsSync(join(root, path)), path);
        assert.ok(existsSync(join(root, dataDir, "render")), "its own folder is there");
      }),
  },
  {
    id: "repo-server/has-no-capability",
    threat: "Code in the process that renders mounts, traces or signals what is not its own",
    heldBy: "no capability, and user, process, IPC, host-name and mount namespaces of its own",
    lacks,
    play: (world) =>
      lookAt(world, async (own) => {
        const status = await readFile(`${own}/status`, "utf8");
        for (const [, name = "", bits = "1"] of status.matchAll(/^(Cap(?:Prm|Eff|Bnd|Amb)):\s*(\S+)$/gm))
          assert.equal(BigInt(`0x${bits}`), 0n, name);
        assert.match(status, /^NoNewPrivs:\s*1$/m);
        for (const kind of ["mnt", "pid", "ipc", "uts"])
          assert.notEqual(await readlink(`${own}/ns/${kind}`), await readlink(`/proc/self/ns/${kind}`), kind);
      }),
  },
  {
    id: "repo-server/ends-in-the-middle",
    threat: "A repository ends the process that renders while others are rendered",
    heldBy: "it is started again, and what it was asked is asked again",
    play: async (world) => {
      const applied = deploys("beside-an-ended-process", {
        files: () => ({ "app/a.yaml": fineConfigMap }),
        ends: { harmless: true },
      })(world);
      await endRepoServer(world);
      await applied;
    },
  },
];
