/** Git servers of a tenant's that send without end. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, AttackWorld } from "../attack.ts";
import { deploys } from "../deploy.ts";
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

export const attacks: readonly Attack[] = [
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
