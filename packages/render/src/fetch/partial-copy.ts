import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isCapstanError } from "@capstan/model";
import type { CommandOutput } from "@capstan/plugin-kit";

/**
 * How much of a commit is fetched with it. whole: every file. limited: those of at most a mebibyte. on-demand: none.
 * The others come when they are asked for, where the server offers it (git's partial clone).
 */
export type CopyKind = "whole" | "limited" | "on-demand";

/** With more files than that, most are of no application. */
const mostFiles = 10_000;
const remote = "capstan";
const file = "capstan-copy";
/** Ids of a line each. */
const maxListBytes = 32 * 2 ** 20;

type Run = (args: readonly string[], limits: { maxStdoutBytes: number }) => Promise<CommandOutput>;

export const withoutFiles = "--filter=blob:none";
/** As nothing were here: of a commit that is told to be here a server takes the files to be here too. */
export const ofNothing = "--refetch";

/** What is left out of a fetch (git-rev-list(1), --filter); undefined: nothing. */
export function filterOf(kind: CopyKind): string | undefined {
  if (kind === "whole") return undefined;
  return kind === "limited" ? "blob:limit=1m" : "blob:none";
}

export function filterWords(kind: CopyKind): readonly string[] {
  const filter = filterOf(kind);
  return filter === undefined ? [] : [`--filter=${filter}`];
}

/** Of a fetch that does nothing beside. */
const alone = ["--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--recurse-submodules=no"];

/**
 * A partial copy needs a remote by name. That it may be asked for what lacks stands on no disk: so no program of git asks
 * by itself, without the credentials.
 */
export function fetchWords(url: string, options: readonly string[], refs: readonly string[]): string[] {
  const isPartial = options.some((option) => option.startsWith("--filter"));
  const settings = isPartial ? [`url=${url}`, "promisor=true", "partialCloneFilter=blob:none"] : [];
  const before = settings.flatMap((setting) => ["-c", `remote.${remote}.${setting}`]);
  const name = isPartial ? remote : url;
  return [...before, "fetch", "--quiet", "--force", ...alone, ...options, "--", name, ...refs];
}

export function isOfThisMachine(url: string): boolean {
  return /^(file:|\/)/i.test(url);
}

/** What kind of copy a folder holds; undefined of one that is new, or not decided. */
export async function readCopyKind(dir: string): Promise<CopyKind | undefined> {
  const text = await readFile(join(dir, file), "utf8").catch(() => "");
  return text === "whole" || text === "limited" || text === "on-demand" ? text : undefined;
}

export async function keepCopyKind(dir: string, kind: CopyKind): Promise<void> {
  await writeFile(join(dir, file), kind);
}

/** Of a commit that was fetched without its files: how the copy goes on. A server that does not know of it sent all. */
export async function decideCopyKind(sha: string, run: Run): Promise<CopyKind> {
  const listing = ["rev-list", "--objects", "--missing=print", "--no-object-names", sha];
  try {
    const { stdout } = await run(listing, { maxStdoutBytes: maxListBytes });
    const lacking = stdout.toString("latin1").match(/^\?/gm)?.length ?? 0;
    if (lacking === 0) return "whole";
    return lacking <= mostFiles ? "limited" : "on-demand";
  } catch (error) {
    if (isCapstanError(error, "OUTPUT_TOO_LARGE")) return "on-demand";
    throw error;
  }
}
