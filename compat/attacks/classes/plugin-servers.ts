/** What a request to a plugin's server may say, and who may ask it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, startProcess } from "@capstan/testkit";
import { askStock } from "../../plugins/stock-call.ts";
import type { Attack } from "../attack.ts";

const launcher = join(import.meta.dirname, "..", "..", "..", "bin", "capstan.js");
const signal = () => AbortSignal.timeout(100_000);

/** A plugin called `asked` that runs `env`: what `plugin-server` is started with, and the folder of its socket. */
async function withPlugin(work: (args: readonly string[], dir: string) => Promise<string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-asked-server-"));
  try {
    await mkdir(join(dir, "config"));
    const yaml =
      "kind: ConfigManagementPlugin\nmetadata: {name: asked}\nspec: {generate: {command: [env]}}\n";
    await writeFile(join(dir, "config", "plugin.yaml"), yaml);
    const places = ["--config-dir-path", join(dir, "config"), "--socket-dir", dir, "--work-dir", dir];
    return await work([launcher, "plugin-server", ...places], dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Ends as the server does that is started so; its output. */
function serves(flags: readonly string[]): Promise<string> {
  return withPlugin(async (args) => {
    const server = spawn(process.execPath, [...args, ...flags], { signal: signal() });
    let told = "";
    server.stdout.on("data", (chunk) => (told += chunk));
    server.stderr.on("data", (chunk) => (told += chunk));
    const [code] = await once(server, "close");
    return `${code}: ${told}`;
  });
}

/** What a plugin server answers to a request that sets this variable. */
function sendsVariable(name: string): Promise<string> {
  return withPlugin(async (args, dir) => {
    await using server = startProcess(process.execPath, args, {});
    await eventually(async () => server.output().includes("is serving") || undefined, {
      signal: signal(),
      describe: server.output,
    });
    const request = { files: { "evil.so": "" }, env: [{ name, value: "./evil.so" }] };
    return JSON.stringify(await askStock(join(dir, "asked.sock"), "generateManifest", request));
  });
}

export const attacks: readonly Attack[] = [
  {
    id: "plugin-servers/open-to-anybody",
    threat: "Somebody in the network sends files of his own to a plugin service that asks nobody who he is",
    heldBy: "plugin-server refuses to listen without token or client authority; the chart makes a token",
    play: async (world) => {
      for (const flags of [[], ["--plaintext"]]) {
        const told = await serves(["--listen", "127.0.0.1:0", ...flags]);
        assert.match(told, /^1: .*--token-file.*--client-ca.*--anyone-may-call/s);
      }
      await world.assertUnharmed([]);
    },
  },
  ...["LD_PRELOAD", "NODE_OPTIONS", "BASH_ENV", "GIT_SSH_COMMAND", "PATH"].map(
    (name): Attack => ({
      id: `plugin-servers/variable-${name.toLowerCase().replaceAll("_", "-")}`,
      threat: `A request to a plugin's server sets ${name}, with code among the files that it sends`,
      heldBy:
        "a request's variables are those of the protocol, by their prefixes; others are refused by name",
      play: async (world) => {
        assert.match(await sendsVariable(name), new RegExp(`variable ${name}`));
        await world.assertUnharmed([]);
      },
    }),
  ),
];
