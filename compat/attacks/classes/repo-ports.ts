/** What a repo server that serves other machines says to whoever reaches its port. */
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { startProcess, untilServing } from "@capstan/testkit";
import type { Attack, AttackWorld } from "../attack.ts";

const launcher = join(import.meta.dirname, "..", "..", "..", "bin", "capstan.js");

/** Ends as `capstan repo-server` does that is started so, or gives its port to `ask`. */
async function withRepoServer(
  { capstan }: AttackWorld,
  flags: readonly string[],
  ask: (port: number) => Promise<void>,
): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-repo-port-"));
  try {
    await writeFile(join(dir, "token"), "not to be guessed");
    const places = ["--data", join(dir, "data"), "--kubeconfig", capstan.status.kubeconfig];
    const own = ["--port", "0", "--address", "127.0.0.1", "--metrics-port", "0"];
    const words = flags.map((flag) => flag.replace("TOKEN", join(dir, "token")));
    const args = [launcher, "repo-server", ...places, ...own, ...words];
    await using server = startProcess(process.execPath, args, {});
    const find = () => /"port":(\d+)/.exec(server.output())?.[1];
    await ask(Number(await untilServing("capstan repo-server", server, find)));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** All that is answered to these bytes on a new connection of this protocol, until it is closed. */
function say(port: number, protocol: string, bytes: Uint8Array): Promise<Buffer> {
  const socket = connect({
    ...{ port, host: "127.0.0.1", rejectUnauthorized: false },
    ALPNProtocols: [protocol],
  });
  const answered: Buffer[] = [];
  socket.on("data", (part: Buffer) => answered.push(part));
  socket.on("error", () => undefined); // it is closed then
  socket.write(bytes);
  const limit = setTimeout(() => socket.destroy(), 30_000);
  return new Promise((resolve) =>
    socket.on("close", () => {
      clearTimeout(limit);
      resolve(Buffer.concat(answered));
    }),
  );
}

const frame = (text: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, Buffer.from(text)]);
};

export const attacks: readonly Attack[] = [
  {
    id: "repo-ports/asked-by-a-stranger",
    threat:
      "Whoever reaches a repo server's port has repositories rendered, with a token that he guesses or without one",
    heldBy:
      "callers show that they know the token for this very TLS connection before a word of theirs is read; the connection is closed without an answer",
    play: (world) =>
      withRepoServer(world, ["--token-file", "TOKEN"], async (port) => {
        const call = frame(JSON.stringify({ call: 1, method: "listPlugins", request: {} }));
        for (const proof of [Buffer.alloc(32), Buffer.alloc(0)]) {
          const answered = await say(port, "capstan-repo.v1", Buffer.concat([proof, call]));
          assert.equal(answered.length, 0, answered.toString());
        }
        const other = await say(port, "http/1.1", Buffer.from("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
        assert.equal(other.length, 0);
      }),
  },
  {
    id: "repo-ports/open-to-anyone",
    threat: "An operator starts a repo server on a port and forgets to say who may call it",
    heldBy:
      "it does not start without a token, an authority of callers' certificates, or the flag that says anyone",
    play: (world) =>
      assert.rejects(
        withRepoServer(world, [], async () => undefined),
        /--token-file FILE/,
      ),
  },
];
