/** Git servers of a tenant's that send without end, or what has none once it is unpacked. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { RequestListener, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, deflateSync } from "node:zlib";
import { before, untilApplication } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";
import { fineConfigMap } from "../config-maps.ts";
import { deployFine, deploys } from "../deploy.ts";
import { withRepository } from "../own-server.ts";
import { startedBy } from "../started-processes.ts";

const packet = (text: string): string => (text.length + 4).toString(16).padStart(4, "0") + text;
const id = "1".repeat(40);
const head = `${packet("# service=git-upload-pack\n")}0000${packet(`${id} HEAD\0agent=git/2\n`)}`;
const main = packet(`${id} refs/heads/main\n`);
const flush = "0000";
const branches = packet(`${id} refs/heads/b\n`).repeat(1_000);

/** Twice a second a program is ended that has more than 2 GiB (--repo-server-memory-limit). */
const mostBytes = 3 * 2 ** 30;
const lookMs = 200;

/** Beside `work`: no program of git below Capstan takes more than it may. */
async function whileGitIsSmall(pid: number, work: Promise<void>): Promise<void> {
  const done = new AbortController();
  const ended = work.finally(() => done.abort());
  ended.catch(() => undefined); // it is awaited below
  let largest = { bytes: 0, line: "" };
  while (!done.signal.aborted) {
    for (const { pid: one, line } of await startedBy(pid)) {
      const bytes = /\bgit\b/.test(line) ? await memoryOf(one) : 0;
      if (bytes > largest.bytes) largest = { bytes, line };
    }
    await sleep(lookMs, undefined, { signal: done.signal }).catch(() => undefined);
  }
  await ended;
  assert.ok(largest.bytes < mostBytes, `${largest.line} took ${Math.round(largest.bytes / 2 ** 20)} MiB`);
}

async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
}

function endlessly(response: ServerResponse, text: string): void {
  const goOn = () => {
    while (!response.destroyed && response.write(text));
    if (!response.destroyed) response.once("drain", goOn);
  };
  goOn();
}

/** `whole`: how often it tells what it has before it tells without end. */
function references(name: string, whole: number) {
  return (world: AttackWorld): Promise<void> => {
    let asked = 0;
    const listener = (_: unknown, response: ServerResponse) => {
      response.writeHead(200, { "content-type": "application/x-git-upload-pack-advertisement" });
      asked += 1;
      if (asked <= whole) response.end(head + main + flush);
      else {
        response.write(head);
        endlessly(response, branches);
      }
    };
    return withRepository(listener, (repoURL) =>
      whileGitIsSmall(
        world.capstan.status.pid,
        deploys(name, {
          source: () => ({ repoURL, path: "." }),
          ends: { refused: /--repo-server-memory-limit/ },
        })(world),
      ),
    );
  };
}

/** `tell`: how it answers to Capstan's own question for its second commit; git gets that commit as it is. */
function nextCommit(name: string, tell: (response: ServerResponse) => void) {
  return async (world: AttackWorld): Promise<void> => {
    let told = 0;
    const listener = before(`${world.git.url}/team-${name}.git`, (response, { type }) => {
      told += 1;
      tell(response.writeHead(200, { "content-type": type }));
    });
    const atHome: RequestListener = (request, response) => {
      request.url = (request.url ?? "").replace(/^\/team-charts/, "");
      listener(request, response);
    };
    const play = async (repoURL: string) => {
      const repository = await deployFine(world, name, () => ({ repoURL }));
      const revision = await repository.commit({
        "app/b.yaml": fineConfigMap.replace(/name: .*/, "name: b"),
      });
      await world.ask("alice", `GET /api/v1/applications/${name}?refresh=normal`);
      await untilApplication(world.capstan.kube, name, (view) => view.revision === revision);
      assert.equal(told, 1, "it is git's to ask from then on");
    };
    await withRepository(atHome, (url) => whileGitIsSmall(world.capstan.status.pid, play(url)));
    await world.assertUnharmed([]);
  };
}

const packfile = packet("packfile\n");
const mostOfPacket = 65_515;

/** A pack of one commit, which is three gibibytes of zeros: some 3 MB as they are sent. */
function packOfZeros(): Buffer {
  const gibibytes = 3;
  const piece = deflateSync(Buffer.alloc(2 ** 26), { finishFlush: constants.Z_FULL_FLUSH });
  const [begin, again] = [piece, piece.subarray(2)];
  const pieces = [begin, ...Array.from({ length: (gibibytes * 2 ** 30) / 2 ** 26 - 1 }, () => again)];
  return Buffer.concat([Buffer.from("PACK"), word(2), word(1), sizeOf(gibibytes * 2 ** 30), ...pieces]);
}

function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Of a commit in a pack (gitformat-pack(5)): four bits of its size beside its type, then seven in each byte. */
function sizeOf(bytes: number): Buffer {
  const commit = 1 << 4;
  const parts = [commit | (bytes % 16)];
  for (let left = Math.floor(bytes / 16); left > 0; left = Math.floor(left / 128)) {
    parts[parts.length - 1] = (parts.at(-1) ?? 0) | 0x80;
    parts.push(left % 128);
  }
  return Buffer.from(parts);
}

function sendPack(response: ServerResponse, pack: Buffer): void {
  response.write(packfile);
  for (let at = 0; at < pack.length; at += mostOfPacket) {
    const part = pack.subarray(at, at + mostOfPacket);
    response.write((part.length + 5).toString(16).padStart(4, "0"));
    response.write(Buffer.concat([Buffer.from([1]), part]));
  }
  response.end(flush);
}

export const attacks: readonly Attack[] = [
  {
    id: "endless/commit",
    threat: "A tenant's git server sends a commit that Capstan itself asks for, without git, and never ends",
    heldBy:
      "such an answer has four mebibytes at most and 15 s; then git is asked, and alone for ten minutes",
    play: nextCommit("endless-commit", (response) => {
      response.write(packfile);
      endlessly(response, packet(`\u0002${"x".repeat(60_000)}`));
    }),
  },
  {
    id: "endless/commit-of-zeros",
    threat:
      "A commit that Capstan itself asks for is three gibibytes of zeros, 3 MB as a git server sends them",
    heldBy:
      "git unpacks it, whose memory --repo-server-memory-limit holds; then git is asked, and alone for ten minutes",
    play: nextCommit("endless-zeros", (response) => sendPack(response, packOfZeros())),
  },
  {
    id: "endless/references",
    threat:
      "A tenant's git server tells of branches without end: git keeps them all in memory, 300 MB in a second",
    heldBy:
      "a program that takes more than --repo-server-memory-limit is ended; what needs it fails alone and says so",
    play: references("endless-references", 0),
  },
  {
    id: "endless/references-of-a-fetch",
    threat:
      "A tenant's git server tells of one branch, and of branches without end when its commit is fetched",
    heldBy:
      "a program that takes more than --repo-server-memory-limit is ended; what needs it fails alone and says so",
    play: references("endless-fetch", 1),
  },
];
