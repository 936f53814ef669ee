/** Repositories of this machine are fetched over a port of the loopback, which others of the machine reach too. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { createGitRepository, type GitRepository } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";

const sandboxed: Attack["lacks"] = ({ mode }) =>
  mode.hasSandbox ? false : "without a sandbox nothing is served: repositories are read where they are";
const limitMs = 30_000;
/** As many as a hostile program opens without trouble. */
const flood = 400;

/** Undefined for what was closed since it was listed. */
function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Ports on which the process listens, as /proc tells whoever may look. */
function portsOf({ capstan }: AttackWorld): number[] {
  const folder = `/proc/${capstan.status.pid}/fd`;
  const links = readdirSync(folder).map((name) => readLink(`${folder}/${name}`) ?? "");
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  const rows = readFileSync("/proc/net/tcp", "utf8").split("\n").slice(1);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === "0A" && sockets.has(inode))
    .map(([, address = ""]) => Number.parseInt(address.split(":")[1] ?? "", 16));
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.setTimeout(limitMs, () => socket.destroy());
  await once(socket, "connect");
  return socket;
}

async function say(port: number, line: string): Promise<string> {
  const socket = await open(port);
  socket.end(`${(line.length + 4).toString(16).padStart(4, "0")}${line}`);
  return text(socket).catch((error: unknown) => String(error));
}

/** A repository that the user of `up` may read. */
async function createOwnRepository({ mode }: AttackWorld): Promise<GitRepository> {
  const repository = await createGitRepository({ "secret.txt": "s" });
  if (mode.user !== undefined) execFileSync("chown", ["-R", String(mode.user), repository.dir]);
  return repository;
}

/** The operator's own view of a repository of this machine: that it is served is what the attack is about. */
async function lists({ ask }: AttackWorld, url: string): Promise<void> {
  const { status, body } = await ask("admin", `GET /api/v1/repositories/${encodeURIComponent(url)}/refs`);
  assert.equal(status, 200, JSON.stringify(body));
}

export const attacks: readonly Attack[] = [
  {
    id: "local-git/without-a-token",
    threat:
      "Somebody on the machine asks the port by which the renderer fetches the machine's own repositories",
    heldBy:
      "what is asked for begins with a token that the renderer alone has, and is a folder that it is asked about",
    lacks: sandboxed,
    play: async (world) => {
      await using repository = await createOwnRepository(world);
      const folder = repository.dir;
      await lists(world, repository.url);
      const ports = portsOf(world);
      assert.ok(ports.length > 0);
      for (const port of ports)
        for (const before of ["", "/", `/${"0".repeat(64)}`, "/..", `/${"0".repeat(64)}/..`])
          for (const service of ["upload-pack", "receive-pack", "upload-archive"])
            assert.doesNotMatch(
              await say(port, `git-${service} ${before}${folder}\0host=x\0\0version=2\0`),
              /refs|version 2/,
            );
    },
  },
  {
    id: "local-git/many-that-say-nothing",
    threat:
      "Somebody on the machine opens hundreds of connections to that port and says nothing, or a letter a second",
    heldBy: "who has said nothing for longest makes room, and each has ten seconds for its first line",
    lacks: sandboxed,
    play: async (world) => {
      await using repository = await createOwnRepository(world);
      await lists(world, repository.url);
      const opened: Socket[] = [];
      try {
        for (const port of portsOf(world))
          for (let count = 0; count < flood; count += 1) {
            const socket = connect(port, "127.0.0.1").on("error", () => undefined); // it was sent away
            socket.write("00");
            opened.push(socket);
          }
        await using another = await createOwnRepository(world);
        await lists(world, another.url);
      } finally {
        for (const socket of opened) socket.destroy();
      }
    },
  },
];
