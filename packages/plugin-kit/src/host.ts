/**
 * A program of its own: serves the plugin of a file, a program or a plugin.yaml, and reads the file again for each
 * line `reload` on standard input. Says on descriptor 3, a line of JSON each, what is served or what is wrong: standard
 * output is the plugin's own.
 * Arguments: FILE SOCKET-FOLDER WORK-FOLDER [HOST:PORT CERTIFICATE KEY TOKEN]. At HOST:PORT it is served too, over TLS,
 * to callers that send what the file TOKEN holds.
 */
import { hash } from "node:crypto";
import { writeSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { systemClock as clock } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import { resolveAuthorFiles } from "./author/author-files.ts";
import { authorPlace } from "./author/author-place.ts";
import { isDefined, notDefined } from "./author/is-defined.ts";
import { takeOver } from "./author/serve-plugin.ts";
import { servedPlugin } from "./author/served.ts";
import { unchanging } from "./follow-files.ts";
import { probeIsolation } from "./isolation/probe-isolation.ts";
import { callName, type ServedPlugin } from "./served-plugin.ts";
import { PluginServer } from "./server/plugin-server.ts";
import { pluginService } from "./server/plugin-service.ts";
import { RunQueue } from "./server/run-queue.ts";
import { WorkDirectories } from "./server/work-directories.ts";
import { commandPlugin } from "./sidecar/command-plugin.ts";
import { readPluginFile } from "./sidecar/plugin-file.ts";
import type { CommandSettings } from "./sidecar/run-plugin-command.ts";
import { Spawner } from "./spawner/spawner.ts";

const [file = "", socketFolder = "", workFolder = "", address, ...tlsFiles] = process.argv.slice(2);
const authorFolder = dirname(resolve(file));
const isProgram = /\.[cm]?[jt]s$/.test(file);
/** For programs that lead to Capstan's own. */
const capstanFolder = join(import.meta.dirname, "..", "..", "..");
const maxOutputBytes = 100 * 2 ** 20;
const answers = 3;
let generation = 0;

// An end by a signal is an exit like others: what is removed then (folders of the sandbox) is removed.
for (const [signal, number] of [["SIGHUP", 1] as const, ["SIGINT", 2] as const, ["SIGTERM", 15] as const])
  process.once(signal, () => process.exit(128 + number));
resolveAuthorFiles(authorFolder, () => generation);
takeOver();

const ignore = () => undefined;
const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
// Of Capstan alone: the plugin is to see the environment of the person.
delete process.env.NODE_COMPILE_CACHE;
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));

function say(line: object): void {
  writeSync(answers, `${JSON.stringify(line)}\n`);
}

async function readProgram(): Promise<ServedPlugin> {
  const loaded: { default?: unknown } = await import(pathToFileURL(resolve(file)).href);
  const { default: plugin } = loaded;
  if (!isDefined(plugin)) throw new Error(notDefined);
  return servedPlugin(plugin, { clock, env, folder: authorFolder, program: `${process.pid} ${generation}` });
}

/** Scripts beside the file are found by their names, as they are on PATH in an image. */
const path = `${authorFolder}:${env.PATH ?? ""}`;
await using directories = await WorkDirectories.create(workFolder, log);
await using starter = await Spawner.open(join(directories.base, "pipes"), path);

async function commandSettings(): Promise<CommandSettings> {
  starter.prepare();
  const isolation = await probeIsolation(path, clock, AbortSignal.timeout(10_000));
  const limits = { maxOutputBytes, maxStderrBytes: 2 ** 20 };
  const readable = [authorFolder, process.execPath, capstanFolder];
  return { clock, env: { ...env, PATH: path }, ...limits, isolation, starter, readable };
}

const settings = isProgram ? undefined : await commandSettings();

/** Of plugin.yaml as it was read last. */
let warnings: readonly string[] = [];

/** Its identity changes with every reading, since a script may have changed and not the file. */
async function readCommands(commands: CommandSettings): Promise<ServedPlugin> {
  const [first] = await readPluginFile(file);
  if (!first) throw new Error("it holds no ConfigManagementPlugin");
  ({ warnings } = first);
  const served = commandPlugin(first.config, commands);
  const own = `${process.pid} ${generation}`;
  return {
    ...served,
    describe: async () => {
      const told = await served.describe();
      return { ...told, digest: hash("sha256", `${told.digest} ${own}`) };
    },
  };
}

const limits = { maxTreeBytes: 2 ** 30, maxTreeFiles: 200_000 };
const services = { clock, log, limits, directories, queue: new RunQueue(100) };
const [certificate, key, token] = await Promise.all(tlsFiles.map((one) => readFile(one, "utf8")));
await using server = await PluginServer.start([], {
  ...services,
  version: "",
  maxMessageBytes: maxOutputBytes,
  ...(certificate && key ? { tls: unchanging({ certificate, key }) } : {}),
  ...(token ? { token: unchanging(token.trim()) } : {}),
  pluginService: (plugins) => pluginService(plugins, services),
});

/** Each generation listens at a new socket: whoever asks it knows that it is another plugin. */
async function load(): Promise<void> {
  generation += 1;
  try {
    const plugin = settings === undefined ? await readProgram() : await readCommands(settings);
    const socket = `unix://${join(socketFolder, `plugin-${process.pid}-${generation}.sock`)}`;
    const placed = [socket, ...(address === undefined ? [] : [address])];
    await server.replace(placed.map((one) => ({ plugin, address: one })));
    const listening = server.addresses.find((one) => !one.startsWith("unix:"));
    const name = callName(await plugin.describe());
    say({ name, warnings, ...(listening ? { address: listening } : {}) });
  } catch (error) {
    const problem = messageOf(error);
    const place = authorPlace(error, authorFolder);
    const where = place === undefined ? file : join(authorFolder, place);
    say({ problem: problem.includes(file) ? problem : `${where}: ${problem}` });
  }
}

await load();
for await (const line of createInterface({ input: process.stdin })) if (line === "reload") await load();
