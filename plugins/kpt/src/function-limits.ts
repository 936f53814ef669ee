import { onPath } from "@capstan/programs";
import type { ProgramEnd } from "./command-function.ts";
import type { FunctionContext } from "./function.ts";
import { PackageError } from "./trace-error.ts";

type Env = FunctionContext["env"];

/** How much memory each process of a function may have. */
export interface MemoryLimit {
  shown: string;
  /** Absent: as much as there is. */
  bytes: number | undefined;
}

/** The operator's: "512Mi", "4Gi", or "unlimited". */
const memoryVariable = "CAPSTAN_KPT_MEMORY";
const defaultMemory = "2Gi";
/** As for the commands of plugins (plugin-kit confine-command.ts). */
const maxFileBytes = 4 * 2 ** 30;
const units: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

export function readMemoryLimit(env: Env): MemoryLimit {
  const shown = env[memoryVariable] || defaultMemory;
  if (shown === "unlimited") return { shown, bytes: undefined };
  const [, count, unit = ""] = /^([1-9]\d{0,9})(Ki|Mi|Gi)?$/.exec(shown) ?? [];
  if (count === undefined)
    throw new PackageError(`${memoryVariable} "${shown}" must be a size such as 512Mi or 2Gi, or unlimited`);
  return { shown, bytes: Number(count) * (units[unit] ?? 1) };
}

/** A container runtime has no limit unless the operator set one, as with kpt. */
export function readContainerMemory(env: Env): MemoryLimit {
  return env[memoryVariable] ? readMemoryLimit(env) : { shown: "", bytes: undefined };
}

/**
 * What stands before a command. RLIMIT_DATA counts what a process can write and shares with none; RLIMIT_AS would
 * count the terabytes too that Go, Node and Java only reserve.
 */
export async function limitArgs({ bytes }: MemoryLimit, env: Env): Promise<string[]> {
  const prlimit = await onPath("prlimit", env);
  if (prlimit === undefined) return [];
  const data = bytes === undefined ? [] : [`--data=${bytes}`];
  return [prlimit, "--core=0", `--fsize=${maxFileBytes}`, ...data, "--"];
}

const lacksMemory =
  /out of memory|memory exhausted|cannot allocate memory|MemoryError|bad_alloc|no space left on device/i;

/** 128 + SIGKILL: the kernel ended what took more than its container may have. */
const killed = 137;

/** Says which limit a function came up against that tells of too little. */
export function tellLimit(end: ProgramEnd, { shown, bytes }: MemoryLimit): ProgramEnd {
  const { exitCode, stderr } = end;
  const isShort = exitCode === killed || (exitCode !== 0 && lacksMemory.test(stderr));
  if (bytes === undefined || !isShort) return end;
  const hint = `a process of a function, and its /tmp, may take ${shown} of memory (${memoryVariable})`;
  return { ...end, stderr: stderr === "" ? hint : `${stderr}\n${hint}` };
}
