import { chown, lchown, opendir, stat } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { Clock } from "@capstan/flow";
import { limitArguments } from "./limits.ts";
import { mayChangeUsers } from "./may-change-users.ts";
import { findOnPath } from "./probe-isolation.ts";
import { probeSandbox } from "./probe-sandbox.ts";
import { type Sandbox, sandboxArguments } from "./sandbox.ts";
import { userOf } from "./user-of.ts";
import { visibleProgram, visiblePrograms } from "./visible-programs.ts";

export interface ApartProgram {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What a program sees, writes and reaches in a sandbox, beside the system and the programs of its PATH. */
export interface ApartView {
  readonly searchPath: string;
  readonly clock: Clock;
  readonly readable: readonly string[];
  /** Where this process is root they become the program's own, with all that is in them. */
  readonly writable: readonly string[];
  /** Further ones, that programs of several runs fill: these then run as one user. */
  readonly shared?: readonly string[];
  readonly hidden?: readonly string[];
  /** Stands for /tmp. */
  readonly scratch?: string;
  readonly network: boolean;
}

type Probed = { readonly sandbox: Sandbox } | { readonly why: string };
const probes = new Map<string, Promise<Probed>>();

/** Why no sandbox works on this machine; nothing where one does. Asked once for a PATH. */
export async function whyNoSandbox(searchPath: string, clock: Clock): Promise<string | undefined> {
  const probed = await probe(searchPath, clock);
  return "why" in probed ? probed.why : undefined;
}

/** A program in limits and a sandbox that shows it no more than it needs; nothing where none works. */
export async function runApart(
  { program, args, cwd }: ApartProgram,
  view: ApartView,
): Promise<ApartProgram | undefined> {
  const { searchPath, clock, readable, shared = [], hidden = [], scratch, network } = view;
  const writable = [...view.writable, ...shared];
  const probed = await probe(searchPath, clock);
  if ("why" in probed) return undefined;
  const { sandbox } = probed;
  const owner = sandbox.setpriv === undefined ? undefined : userOf(shared[0] ?? writable[0] ?? program);
  if (owner !== undefined) {
    for (const path of view.writable) await giveTo(owner, path);
    for (const path of shared) if ((await stat(path)).uid !== owner) await giveTo(owner, path);
  }
  const found = isAbsolute(program) ? program : (findOnPath(program, searchPath) ?? program);
  const seen = [...visiblePrograms(searchPath), ...visibleProgram(found), ...readable];
  const optional = { ...(scratch ? { scratch } : {}), ...(owner === undefined ? {} : { owner }) };
  const prlimit = findOnPath("prlimit", searchPath);
  const [bwrap = "", ...argv] = [
    ...sandboxArguments({ cwd, readable: seen, writable, hidden, network, ...optional }, sandbox),
    ...limitArguments({ prlimit, owner }),
    program,
    ...args,
  ];
  return { program: bwrap, args: argv, cwd };
}

/** Makes a folder of this process's a program's, with all in it; links are not followed. */
export async function giveTo(owner: number, path: string): Promise<void> {
  await chown(path, owner, owner);
  const entries = await opendir(path, { recursive: true }).catch((error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (entries)
    for await (const entry of entries) await lchown(join(entry.parentPath, entry.name), owner, owner);
}

function probe(searchPath: string, clock: Clock): Promise<Probed> {
  const asked = probes.get(searchPath) ?? probeOnce(searchPath, clock);
  probes.set(searchPath, asked);
  return asked;
}

async function probeOnce(searchPath: string, clock: Clock): Promise<Probed> {
  const [bwrap, setpriv] = ["bwrap", "setpriv"].map((name) => findOnPath(name, searchPath));
  if (bwrap === undefined) return { why: "bubblewrap (bwrap) is not installed" };
  const isRoot = mayChangeUsers();
  return probeSandbox({ bwrap, setpriv, isRoot }, { clock, signal: new AbortController().signal });
}
