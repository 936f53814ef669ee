import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import type { Clock } from "@capstan/flow";
import { CapstanError } from "@capstan/model";
import { findOnPath, runApart, type Stage, visibleProgram, whyNoSandbox } from "@capstan/plugin-kit";
import { toolFolders } from "./cache.ts";

export interface Confinement {
  /** Who is told about in errors. */
  readonly plugin: string;
  /** Whether commands may run without a sandbox where there is none: the operator chose them, or says so. */
  readonly mayRunOpenly: boolean;
  /** Whether its commands reach the network; absent: they do. */
  readonly network?: boolean;
  /** Further directories that its commands see. */
  readonly readable?: readonly string[];
  /** Further directories that they may write, in which they find what earlier runs left. */
  readonly writable?: readonly string[];
}

const confined = new WeakSet<Stage>();

/** The operator's word that commands which applications choose may run where no sandbox works. */
export const unconfinedVariable = "CAPSTAN_UNCONFINED_COMMANDS";

/**
 * The stage, but its commands see of this machine only programs, system files and the stage's own directories: what
 * applications choose to run cannot read what is not theirs.
 */
export function confinedStage(stage: Stage, confinement: Confinement): Stage {
  // What stands around it has decided: one sandbox within another sees no more.
  if (confined.has(stage)) return stage;
  const { signal, clock, log, env, inputs, refresh } = stage;
  const apart: Stage = {
    ...{ signal, clock, log, env, inputs, refresh },
    credentials: (repository) => stage.credentials(repository),
    note: stage.note,
    chart: (request) => stage.chart(request),
    chartLogin: (repository) => stage.chartLogin(repository),
    repositoryTree: (url, revision) => stage.repositoryTree(url, revision),
    file: (url, repository) => stage.file(url, repository),
    workspace: () => stage.workspace(),
    layOut: (tree, paths) => stage.layOut(tree, paths),
    run: (command) => runConfined(stage, command, confinement),
  };
  confined.add(apart);
  return apart;
}

async function runConfined(
  stage: Stage,
  command: Parameters<Stage["run"]>[0],
  { plugin, mayRunOpenly, readable = [], writable = [], network = true }: Confinement,
): ReturnType<Stage["run"]> {
  const searchPath = stage.env.PATH ?? "";
  const program = findProgram(command, searchPath);
  const { root, refs, scratch } = await stage.workspace();
  const apart = await runApart(
    { program, args: command.args, cwd: command.cwd },
    {
      ...{ searchPath, clock: stage.clock, scratch, network },
      readable: [...toolFolders(stage.env), ...programPlaces(searchPath), ...readable],
      writable: [root, ...Object.values(refs), scratch],
      shared: writable,
    },
  );
  if (!apart) {
    if (!mayRunOpenly) throw await refusal(plugin, searchPath, stage.clock);
    return stage.run({ ...command, program });
  }
  const { tool = command.program, shownArgs = command.args } = command;
  return stage.run({ ...command, ...apart, tool, shownArgs });
}

/** The one answer to commands that repositories or applications choose, where no sandbox works. */
export async function refusal(plugin: string, searchPath: string, clock: Clock): Promise<CapstanError> {
  const why = await whyNoSandbox(searchPath, clock);
  return new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `plugin ${plugin}`,
    problem: `what a repository or an application chooses runs in a sandbox only, but ${why}. Install bubblewrap where Capstan runs. ${unconfinedVariable}=true in Capstan's environment lets it run without: with Capstan's own rights, able to read every other tenant's files and credentials`,
  });
}

/** A command in a sandbox that shows it no more than it needs; nothing where none works. */
export function sandboxCommand(
  command: { program: string; args: readonly string[]; cwd: string },
  of: {
    own: readonly string[];
    readable: readonly string[];
    searchPath: string;
    clock: Clock;
    network: boolean;
  },
): ReturnType<typeof runApart> {
  return runApart(command, { ...of, writable: of.own });
}

/** Variables that blank out those by which this machine's own credentials would reach a command. */
export function withoutCredentials(env: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.keys(env).filter((name) => /^(GIT_CONFIG_(KEY|VALUE)_\d+|SSH_AUTH_SOCK)$/.test(name));
  return { ...Object.fromEntries(named.map((name) => [name, ""])), GIT_CONFIG_COUNT: "0" };
}

/** helm, which other programs run. */
function programPlaces(searchPath: string): readonly string[] {
  const helm = findOnPath("helm", searchPath);
  return helm === undefined ? [] : visibleProgram(helm);
}

/** A wrapper around a program that is not there would say so in words of its own. */
function findProgram(
  { program, tool = program, installHint }: Parameters<Stage["run"]>[0],
  searchPath: string,
): string {
  const found = isAbsolute(program) ? program : findOnPath(program, searchPath);
  if (found !== undefined && existsSync(found)) return found;
  const hint = installHint ?? `Install ${tool} and put it on PATH`;
  throw new CapstanError({ code: "TOOL_MISSING", tool, hint });
}
