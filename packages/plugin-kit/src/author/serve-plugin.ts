import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import type { DefinedPlugin } from "./define-plugin.ts";
import { announcementsOf, type Parameters } from "./parameters.ts";
import { readServeFlags, type ServeOptions, serveFlagsHelp } from "./serve-options.ts";
import { serveUntilStopped } from "./serve-until-stopped.ts";
import { addressOf } from "./socket-address.ts";

const maxProgramFiles = 1_000;
/** What plugins' own files asked for, where the program that loaded them serves them itself. */
let asked: Map<unknown, ServeOptions> | undefined;

/** From now on who loads a plugin's file serves it: `servePlugin` only keeps what the file asks for. */
export function takeOver(): void {
  asked ??= new Map();
}

/** Where a plugin's file asks to be served; nothing where it does not. */
export function askedFor(plugin: unknown): ServeOptions {
  return asked?.get(plugin) ?? {};
}

/**
 * Serves a plugin until SIGINT, SIGTERM or the signal: as a sidecar on a socket, or as a service on an address. Options
 * go before flags, flags before the environment. With --help only that is told.
 */
export async function servePlugin<P extends Parameters>(
  plugin: DefinedPlugin<P>,
  options: ServeOptions = {},
): Promise<void> {
  if (asked) {
    asked.set(plugin, options);
    return;
  }
  const { help, ...flags } = readServeFlags(process.argv.slice(2));
  if (help) process.stdout.write(helpOf(plugin));
  else await serveDefined(plugin, { ...flags, ...options }, process.argv[1] ?? ".");
}

/** `program`: the file that Node was started with, or that it loaded the plugin from. */
export async function serveDefined<P extends Parameters>(
  plugin: DefinedPlugin<P>,
  options: ServeOptions,
  program: string,
): Promise<void> {
  const { servedPlugin } = await import("./served.ts");
  const { name, version = "" } = plugin.definition;
  const folder = dirname(resolve(program));
  await serveUntilStopped(options, async ({ clock, env }) => [
    {
      plugin: servedPlugin(plugin, { clock, env, folder, program: await digestProgram(folder) }),
      address: await addressOf({ name, version }, options),
    },
  ]);
}

/** What `node plugin.ts --help` prints. */
export function helpOf<P extends Parameters>({ definition }: DefinedPlugin<P>): string {
  const { name, version, parameters = {}, discover } = definition;
  const announced = announcementsOf(parameters);
  const width = Math.max(0, ...Object.keys(parameters).map((one) => one.length));
  const lines = announced.map(({ name: own = "", title, tooltip, string, required }) => {
    const holds = required === true ? " (required)" : string === undefined ? "" : ` (default ${string})`;
    return `  ${own.padEnd(width)}  ${tooltip ?? title ?? ""}${holds}`.trimEnd();
  });
  const used = discover?.fileName ?? discover?.find?.glob;
  return [
    `${name}${version === undefined ? "" : ` ${version}`}: a plugin for Capstan and Argo CD.`,
    "",
    `Usage: node ${process.argv[1]?.split("/").at(-1) ?? "plugin.js"} [flags]`,
    "",
    `Serves at the socket ${version === undefined ? name : `${name}-${version}`}.sock, or with --listen at an address, until it is ended.`,
    ...(used === undefined ? [] : [`Used without being named where there is ${used}.`]),
    "",
    serveFlagsHelp,
    ...(lines.length === 0 ? [] : ["Parameters:", ...lines, ""]),
  ].join("\n");
}

/** Changes with the sources beside the program that runs, what it depends on from elsewhere by its lock file. */
async function digestProgram(folder: string): Promise<string> {
  const digest = createHash("sha256");
  const names = (await readdir(folder, { recursive: true }))
    .filter((name) => /\.([cm]?[jt]s|json|ya?ml)$/.test(name) && !name.includes("node_modules"))
    .sort();
  if (names.length > maxProgramFiles) return digest.update(`${process.pid} ${Date.now()}`).digest("hex");
  for (const name of names) digest.update(name).update(await readFile(join(folder, name)));
  return digest.digest("hex");
}
