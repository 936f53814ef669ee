import { existsSync } from "node:fs";
import { access, constants, realpath } from "node:fs/promises";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { CapstanError, type Clock, messageOf } from "@capstan/model";
import { runCommand, type Stage } from "@capstan/plugin-kit";
import { cacheFolder } from "../binaries/bundled-tools.ts";

export interface Confinement {
  /** Who is told about in errors. */
  readonly plugin: string;
  /** Whether commands may run without a sandbox where there is none: the operator chose them, or says so. */
  readonly mayRunOpenly: boolean;
  /** Further directories that its commands see. */
  readonly readable?: readonly string[];
  /** Further directories that they may write. */
  readonly writable?: readonly string[];
}

/** The operator's word that commands which applications choose may run where no sandbox works. */
export const unconfinedVariable = "CAPSTAN_UNCONFINED_COMMANDS";

/** Of this machine, what programs need and nothing that is anybody's own. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix", "/run/systemd/resolve"];
const settings = [
  ...["alternatives", "ca-certificates", "crypto-policies", "group", "hosts", "ld.so.cache", "ld.so.conf"],
  ...[
    "ld.so.conf.d",
    "localtime",
    "mime.types",
    "nsswitch.conf",
    "passwd",
    "pki",
    "protocols",
    "resolv.conf",
  ],
  ...["services", "ssl"],
].map((name) => `/etc/${name}`);
/** In the cache: packages of applications, which are theirs alone. */
const hidden = ["cdk8s"];
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
    chartLogin: (repository) => stage.chartLogin(repository),
    workspace: () => stage.workspace(),
    run: (command) => runConfined(stage, command, confinement),
  };
}

async function runConfined(
  stage: Stage,
  command: Parameters<Stage["run"]>[0],
  { plugin, mayRunOpenly, readable = [], writable = [] }: Confinement,
): ReturnType<Stage["run"]> {
  const searchPath = stage.env.PATH ?? "";
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
  const cache = cacheFolder(stage.env);
  const seen = [...(await programPlaces(program, searchPath)), cache];
  const covered = hidden.map((name) => join(cache, name)).filter((path) => existsSync(path));
  const own = [root, ...Object.values(refs), scratch, ...writable];
  const args = sandbox({ cwd: command.cwd, own, seen, covered, readable });
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

function sandbox(of: {
  cwd: string;
  own: readonly string[];
  seen: readonly string[];
  covered?: readonly string[];
  /** Within what is covered too. */
  readable?: readonly string[];
}): string[] {
  const { cwd, own, seen, covered = [], readable = [] } = of;
  const isSystem = (path: string) => system.some((one) => path === one || path.startsWith(`${one}/`));
  const more = seen.filter((path) => isAbsolute(path) && path !== "/" && !isSystem(path)).map(withLibraries);
  return [
    "--die-with-parent",
    ...["--unshare-pid", "--unshare-ipc", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...[...system, ...settings, ...new Set(more)].flatMap((path) => ["--ro-bind-try", path, path]),
    ...covered.flatMap((path) => ["--tmpfs", path]),
    ...readable.filter((path) => path !== "/").flatMap((path) => ["--ro-bind", path, path]),
    ...own.flatMap((path) => ["--bind-try", path, path]),
    ...["--chdir", cwd, "--"],
  ];
}

/** A program in /opt/NAME/bin has its libraries beside. */
function withLibraries(path: string): string {
  return /^(\/opt\/[^/]+)\//.exec(path)?.[1] ?? path;
}

/** Variables that blank out those by which this machine's own credentials would reach a command. */
export function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.keys(env).filter((name) => /^(GIT_CONFIG_(KEY|VALUE)_\d+|SSH_AUTH_SOCK)$/.test(name));
  return { ...Object.fromEntries(named.map((name) => [name, ""])), GIT_CONFIG_COUNT: "0" };
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

/** Folders of programs, and what links in them lead to: of the program, and of helm, which others run. */
async function programPlaces(program: string, searchPath: string): Promise<string[]> {
  const folders = searchPath.split(delimiter);
  const helm = (await findOnPath("helm", searchPath)) ?? program;
  const targets = await Promise.all([program, helm].map((one) => realpath(one)));
  // A link within a folder that is shown cannot be covered by its target.
  const alone = folders.includes(dirname(program)) ? [] : [program];
  return [...folders, ...alone, ...targets];
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
