/** What people look into a running Capstan with: `capstan debug …`, through the socket in its data folder. */
import { createWriteStream } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import {
  defineCommand,
  ExitError,
  formatTable,
  type Io,
  isObjectFormat,
  outputFlag,
  printObject,
} from "@capstan/cli/record";
import { isRecord } from "@capstan/formats";
import { debugSocket } from "../surroundings/debug-socket.ts";
import { dataFlag, dataFolderOf } from "../up/running.ts";

const data = {
  ...dataFlag,
  help: "Where that Capstan keeps everything; of a program of one part ~/.capstan/NAME or its own --data",
} as const;
const common = { argument: "none", arity: [0, 0], standsAlone: true } as const;
const to = { kind: "string", value: "FILE", help: "Where to write it" } as const;

export const queues = defineCommand({
  ...common,
  usage: "",
  help: "Show what the queues of a running Capstan do, and what has been at it or has waited longest.",
  examples: ["capstan debug queues", "capstan debug queues --data ~/.capstan/controller -o json"],
  flags: { data, output: outputFlag(["json", "yaml"]) },
  async run({ flags, io }) {
    const shown = await askJson(flags.data, "/debug/queues", io.signal);
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, shown);
    else io.out(formatTable([["QUEUE", "RUNNING", "WAITING", "LATER", "LONGEST"], ...queueRows(shown)]));
    return 0;
  },
});

export const memory = defineCommand({
  ...common,
  usage: "",
  help: "Show what the memory of a running Capstan is used for, and what keeps it busy.",
  examples: ["capstan debug memory", "capstan debug memory -o json"],
  flags: { data, output: outputFlag(["json", "yaml"]) },
  async run({ flags, io }) {
    const shown = await askJson(flags.data, "/debug/memory", io.signal);
    if (isObjectFormat(flags.output)) await printObject(io, flags.output, shown);
    else io.out(formatTable([["WHAT", "AMOUNT"], ...memoryRows(shown)]));
    return 0;
  },
});

export const cpu = defineCommand({
  ...common,
  usage: "",
  help: "Write what the main thread of a running Capstan does for some seconds: a .cpuprofile for Chrome's tools.",
  examples: ["capstan debug cpu --seconds 30"],
  flags: {
    data,
    to: { ...to, byDefault: "capstan.cpuprofile" },
    seconds: { kind: "integer", value: "N", help: "How long to look", range: [1, 120], byDefault: "10" },
  },
  run: ({ flags, io }) =>
    save(io, {
      data: flags.data,
      path: `/debug/cpu?seconds=${flags.seconds ?? 10}`,
      file: flags.to ?? "capstan.cpuprofile",
    }),
});

export const heap = defineCommand({
  ...common,
  usage: "",
  help: "Write all that a running Capstan has in memory: a .heapsnapshot for Chrome's tools. It holds secrets.",
  notes: `The process does nothing else while the snapshot is made: some seconds for a large one, and about twice its memory.
`,
  examples: ["capstan debug heap --to /tmp/capstan.heapsnapshot"],
  flags: { data, to: { ...to, byDefault: "capstan.heapsnapshot" } },
  run: ({ flags, io }) =>
    save(io, { data: flags.data, path: "/debug/heap", file: flags.to ?? "capstan.heapsnapshot" }),
});

interface Wanted {
  readonly data: string | undefined;
  readonly path: string;
  readonly file: string;
}

async function save(io: Io, { data, path, file }: Wanted): Promise<number> {
  const target = resolve(file);
  const answer = await ask(data, path, io.signal);
  await pipeline(answer, createWriteStream(target, { mode: 0o600, flags: "wx" })).catch((error: unknown) => {
    throw new ExitError(`${target} cannot be written: ${messageOf(error)}`, 20);
  });
  io.out(`${target}\n`);
  return 0;
}

async function askJson(data: string | undefined, path: string, signal: AbortSignal): Promise<unknown> {
  return JSON.parse(await text(await ask(data, path, signal)));
}

async function ask(data: string | undefined, path: string, signal: AbortSignal): Promise<IncomingMessage> {
  const folder = dataFolderOf(data);
  const { promise, resolve: answered, reject } = Promise.withResolvers<IncomingMessage>();
  request({ socketPath: debugSocket(folder), path, signal }, answered)
    .once("error", reject)
    .end();
  const answer = await promise.catch((error: unknown) => {
    signal.throwIfAborted();
    const hint = "does a Capstan run there, started by you? --data names another folder";
    throw new ExitError(
      `nothing answers in ${join(folder, "debug.sock")} (${messageOf(error)}): ${hint}`,
      20,
    );
  });
  if (answer.statusCode === 200) return answer;
  throw new ExitError((await text(answer)).trim() || `it answered ${answer.statusCode}`, 20);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function queueRows(shown: unknown): string[][] {
  const all = Array.isArray(shown) ? shown.filter(isRecord) : [];
  return all.map(({ name, running, waiting, dueLater }) => {
    const [runs, waits] = [running, waiting].map((keys) =>
      Array.isArray(keys) ? keys.filter(isRecord) : [],
    );
    const [longest] = [...(runs ?? []), ...(waits ?? [])].toSorted(
      (one, other) => Number(other.ms) - Number(one.ms),
    );
    const shownLongest = longest ? `${longest.key} ${(Number(longest.ms) / 1000).toFixed(1)}s` : "";
    return [`${name}`, `${runs?.length}`, `${waits?.length}`, `${dueLater}`, shownLongest];
  });
}

const mebibyte = 1024 * 1024;

function memoryRows(shown: unknown): string[][] {
  if (!isRecord(shown)) return [];
  const { process: own, heap: v8, resources } = shown;
  const megabytes = (facts: unknown, names: Readonly<Record<string, string>>): string[][] =>
    isRecord(facts)
      ? Object.entries(names).map(([field, name]) => [
          name,
          `${(Number(facts[field]) / mebibyte).toFixed(0)} MiB`,
        ])
      : [];
  const open = isRecord(resources)
    ? Object.entries(resources).map(([kind, count]) => [kind, `${count}`])
    : [];
  return [
    ...megabytes(own, { rss: "resident", external: "buffers and others outside of the heap" }),
    ...megabytes(v8, {
      used_heap_size: "heap in use",
      total_heap_size: "heap",
      heap_size_limit: "limit of the heap",
    }),
    ...open,
  ];
}
