/** `kpt fn render`, `eval`, `source` and `sink` on a command line, with that program's flags and exit codes. */
import { join } from "node:path";
import { UsageError } from "@capstan/cli/flags";
import { messageOf } from "@capstan/model";
import type { WithImage } from "@capstan/plugin-kpt";
import {
  evalKptFolder,
  type KptSurroundings,
  renderKptFolder,
  sinkKptFolder,
  sourceKptFolder,
} from "@capstan/plugin-kpt/folders";
import { cacheFolder } from "@capstan/programs";
import { readKptFlags } from "./kpt/options.ts";
import { kptHelp } from "./kpt/verbs.ts";
import { clock, interrupted, ownVersion } from "./surroundings/own-process.ts";

const maxInputBytes = 256 * 2 ** 20;

/** The result is the exit code: 1 where a function failed, the package is wrong, or the flags are; 130 for Ctrl-C. */
export async function runKpt(argv: readonly string[]): Promise<number> {
  const stopping = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => stopping.abort(new Error("stopped")));
  const around: KptSurroundings = {
    clock,
    signal: stopping.signal,
    env: process.env,
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    readInput,
    readDefinitions: async () => (await import("@capstan/cluster/definitions")).builtinDefinitions().byName,
    withImage,
  };
  try {
    const flags = readKptFlags(argv);
    if (flags === "version") process.stdout.write(`kpt ${ownVersion()} (capstan)\n`);
    else if (flags.command === "help") process.stdout.write(kptHelp(flags.of));
    else if (flags.command === "source") return await sourceKptFolder(flags, around);
    else if (flags.command === "sink") return await sinkKptFolder(flags.directory, around);
    else if (flags.command === "render") return await renderKptFolder(flags, around);
    else return await evalKptFolder(flags, around);
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return interrupted();
    const hint = error instanceof UsageError ? "\nSee kpt --help" : "";
    process.stderr.write(`error: ${messageOf(error)}${hint}\n`);
    return 1;
  }
}

const withImage: WithImage = async (...given) => {
  const { functionImages } = await import("@capstan/render/images");
  return functionImages(join(cacheFolder(process.env), "images"))(...given);
};

async function readInput(): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    const piece = Buffer.from(chunk);
    bytes += piece.length;
    if (bytes > maxInputBytes)
      throw new Error(`standard input is larger than ${maxInputBytes / 2 ** 20} MiB`);
    chunks.push(piece);
  }
  return Buffer.concat(chunks).toString();
}
