/**
 * A program of its own: serves the plugin of a file, a program or a plugin.yaml, and reads the file again for each
 * line `reload` on standard input. Says on descriptor 3, a line of JSON each, what is served or what is wrong: standard
 * output is the plugin's own.
 * Arguments: FILE SOCKET-FOLDER WORK-FOLDER [HOST:PORT CERTIFICATE KEY TOKEN]. At HOST:PORT it is served too, over TLS,
 * to callers that send what the file TOKEN holds.
 */
import { writeSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { systemClock as clock } from "@capstan/flow";
import type { HostedCommands } from "./hosted-file.ts";
import { WorkDirectories } from "./server/work-directories.ts";
import { Spawner } from "./spawner/spawner.ts";

const [file = "", socketFolder = "", workFolder = "", address, ...tlsFiles] = process.argv.slice(2);
const isProgram = /\.[cm]?[jt]s$/.test(file);
const probeMs = 10_000;
const answers = 3;

// An end by a signal is an exit like others: what is removed then (folders of the sandbox) is removed.
for (const [signal, number] of [["SIGHUP", 1] as const, ["SIGINT", 2] as const, ["SIGTERM", 15] as const])
  process.once(signal, () => process.exit(128 + number));

// Of Capstan alone: the plugin is to see the environment of the person.
delete process.env.NODE_COMPILE_CACHE;
const env = Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name, value ?? ""]));

await using directories = await WorkDirectories.create(workFolder, { error: () => undefined });
await using stack = new AsyncDisposableStack();
// Other processes begin first: they are there once this one has loaded what serves.
const commands = isProgram ? undefined : await beginCommands();
const { HostedFile } = await import("./hosted-file.ts");
await using hosted = await HostedFile.open({
  ...{ file, socketFolder, address, tlsFiles, clock, env, directories },
  ...(commands ? { commands } : {}),
});

async function beginCommands(): Promise<HostedCommands> {
  /** Scripts beside the file are found by their names, as they are on PATH in an image. */
  const path = `${dirname(resolve(file))}:${env.PATH ?? ""}`;
  const starter = stack.use(await Spawner.open(join(directories.base, "pipes"), path));
  starter.prepare();
  const { probeApart, probeTrace } = await import("./isolation/probe-isolation.ts");
  const apart = probeApart(path, clock, AbortSignal.timeout(probeMs));
  apart.catch(() => undefined); // whoever reads the file is told
  return { path, starter, apart, trace: () => probeTrace(path, clock, AbortSignal.timeout(probeMs)) };
}

async function load(): Promise<void> {
  writeSync(answers, `${JSON.stringify(await hosted.load())}\n`);
}

await load();
// The first question is on its way.
hosted.prepareRun();
for await (const line of createInterface({ input: process.stdin })) if (line === "reload") await load();
