import { access, constants } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { CapstanError, type Clock, messageOf } from "@capstan/model";
import { runCommand, type Stage } from "@capstan/plugin-kit";
import { cacheFolder } from "../binaries/bundled-tools.ts";

export interface Confinement {
  /** Who is told about in errors. */
  readonly plugin: string;
  /** Whether commands may run without a sandbox where there is none: the operator chose them, or says so. */
  readonly mayRunOpenly: boolean;
}

/** The operator's word that commands which applications choose may run where no sandbox works. */
export const unconfinedVariable = "CAPSTAN_UNCONFINED_COMMANDS";

const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/etc",
  "/opt",
  "/nix",
  "/run/systemd/resolve",
];
const probeMs = 5_000;
const probes = new Map<string, Promise<string | undefined>>();

/**
 * The stage, but its commands see of this machine only programs, system files and the stage's own directories: what
 * applications choose to run cannot read what is not theirs.
 */
export function confinedStage(stage: Stage, confinement: Confinement): Stage {
  const { signal, clock, log, env, inputs, refresh } = stage;
  return {
    ...{ signal, clock, log, env, inputs, refresh },
    credentials: (repository) => stage.credentials(repository),
    note: stage.note,
    chart: (request) => stage.chart(request),
    workspace: () => stage.workspace(),
    run: (command) => runConfined(stage, command, confinement),
  };
}

async function runConfined(
  stage: Stage,
  command: Parameters<Stage["run"]>[0],
  { plugin, mayRunOpenly }: Confinement,
): ReturnType<Stage["run"]> {
  const searchPath = command.env?.PATH ?? stage.env.PATH ?? "";
  const program = await findProgram(command, searchPath);
  const bwrap = await findOnPath("bwrap", searchPath);
  const problem =
    bwrap === undefined ? "bubblewrap (bwrap) is not installed" : await probe(bwrap, stage.clock);
  if (bwrap === undefined || problem !== undefined) {
    if (mayRunOpenly) return stage.run({ ...command, program });
    throw new CapstanError({
      code: "FAILED_PRECONDITION",
      what: `plugin ${plugin}`,
      problem: `commands that an application chooses run in a sandbox only, but ${problem}. Install bubblewrap where Capstan runs, or let them run without by ${unconfinedVariable}=true`,
    });
  }
  const { root, refs, scratch } = await stage.workspace();
  const seen = [...searchPath.split(delimiter), dirname(program), cacheFolder(stage.env)];
  const args = sandbox({ cwd: command.cwd, own: [root, ...Object.values(refs), scratch], seen });
  const tool = command.tool ?? command.program;
  const shownArgs = command.shownArgs ?? command.args;
  return stage.run({
    ...command,
    program: bwrap,
    args: [...args, program, ...command.args],
    tool,
    shownArgs,
  });
}

/** A command in a sandbox that shows it no more than it needs; nothing where none works. */
export async function sandboxCommand(
  { program, args, cwd }: { program: string; args: readonly string[]; cwd: string },
  of: { own: readonly string[]; readable: readonly string[]; searchPath: string; clock: Clock },
): Promise<{ program: string; args: string[]; cwd: string } | undefined> {
  const bwrap = await findOnPath("bwrap", of.searchPath);
  if (bwrap === undefined || (await probe(bwrap, of.clock)) !== undefined) return undefined;
  const seen = [...of.searchPath.split(delimiter), ...of.readable];
  return { program: bwrap, args: [...sandbox({ cwd, own: of.own, seen }), program, ...args], cwd };
}

function sandbox(of: { cwd: string; own: readonly string[]; seen: readonly string[] }): string[] {
  const { cwd, own, seen } = of;
  const isSystem = (path: string) => system.some((one) => path === one || path.startsWith(`${one}/`));
  const more = seen.filter((path) => isAbsolute(path) && !isSystem(path));
  return [
    "--die-with-parent",
    ...["--unshare-pid", "--unshare-ipc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...[...system, ...new Set(more)].flatMap((path) => ["--ro-bind-try", path, path]),
    ...own.flatMap((path) => ["--bind-try", path, path]),
    ...["--chdir", cwd, "--"],
  ];
}

/** Why the sandbox does not work here, asked once. */
function probe(bwrap: string, clock: Clock): Promise<string | undefined> {
  const args = [...sandbox({ cwd: "/", own: [], seen: [] }), "true"];
  const limits = { clock, signal: new AbortController().signal, timeoutMs: probeMs };
  const asked =
    probes.get(bwrap) ??
    runCommand({ program: bwrap, args, cwd: "/", env: { PATH: "/usr/bin:/bin" } }, limits).then(
      () => undefined,
      (error: unknown) => `bubblewrap does not work here: ${messageOf(error)}`,
    );
  probes.set(bwrap, asked);
  return asked;
}

/** A wrapper around a program that is not there would say so in words of its own. */
async function findProgram(
  { program, tool = program, installHint }: Parameters<Stage["run"]>[0],
  searchPath: string,
): Promise<string> {
  const found = await findOnPath(program, searchPath);
  if (found !== undefined) return found;
  const hint = installHint ?? `Install ${tool} and put it on PATH`;
  throw new CapstanError({ code: "TOOL_MISSING", tool, hint });
}

async function findOnPath(name: string, searchPath: string): Promise<string | undefined> {
  const places = isAbsolute(name) ? [""] : searchPath.split(delimiter).filter((one) => one !== "");
  for (const directory of places) {
    const file = join(directory, name);
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}
