import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@capstan/flow";
import {
  type CommandEnd,
  type CommandOutput,
  type ProgramStarter,
  runCommand,
  runToEnd,
} from "@capstan/plugin-kit";
import { type GitCredentials, gitProtocols, withGitSettings } from "./git-credentials.ts";

export interface GitProgramOptions {
  dataDir: string;
  clock: Clock;
  /** Of the process: PATH, proxies and git's own settings are taken from it. */
  env: Readonly<Record<string, string | undefined>>;
  /** Who starts it; absent: this process. */
  starter?: ProgramStarter;
}

export interface GitRun {
  cwd: string;
  access?: GitCredentials;
  signal: AbortSignal;
  timeoutMs: number;
  maxStdoutBytes?: number;
  stdin?: string | Uint8Array;
}

/** The git program with one settled configuration: it never asks a person and never starts work of its own. */
export interface GitProgram {
  run(args: readonly string[], options: GitRun): Promise<CommandOutput>;
  /** However it ends, unless it was stopped. */
  ask(args: readonly string[], options: GitRun): Promise<CommandEnd>;
  /** For programs that outlive one call. */
  readonly env: Readonly<Record<string, string>>;
}

const noAccess: GitCredentials = { env: {}, settings: [] };

const settings = `[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	version = 2
[core]
	bigFileThreshold = 16m
[credential]
	helper =
[http]
	lowSpeedLimit = 1
	lowSpeedTime = 15
	followRedirects = false
[init]
	defaultBranch = main
	defaultRefFormat = files
`;

/** Names taken over from the process; the rest of git's variables could point it at another repository. */
const passedOn =
  /^(PATH|TMPDIR|LANG|LC_ALL|SSL_CERT_(FILE|DIR)|GIT_SSL_CAINFO|GIT_SSL_CAPATH|GIT_CONFIG_(COUNT|SYSTEM|NOSYSTEM|KEY_\d+|VALUE_\d+)|(https?|no|all)_proxy|(HTTPS?|NO|ALL)_PROXY|SSH_AUTH_SOCK)$/;

export async function createGitProgram({
  dataDir,
  clock,
  env: given,
  starter,
}: GitProgramOptions): Promise<GitProgram> {
  const dir = join(dataDir, "git");
  await mkdir(dir, { recursive: true });
  const config = join(dir, "settings");
  const includes = [given.GIT_CONFIG_GLOBAL, join(dataDir, "gitconfig")]
    .filter((path) => path !== undefined && path !== "")
    .map((path) => `[include]\n\tpath = ${JSON.stringify(path)}\n`);
  await writeFile(config, settings + includes.join(""));
  const env = {
    ...selected(given),
    GIT_CONFIG_GLOBAL: config,
    HOME: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    SSH_ASKPASS: "",
    GIT_ALLOW_PROTOCOL: gitProtocols,
  };
  const command = (args: readonly string[], { cwd, access = noAccess, stdin }: GitRun) => ({
    program: "git",
    args,
    cwd,
    env: withGitSettings({ ...env, ...access.env }, access.settings),
    installHint: "Install git and put it on PATH",
    ...(stdin === undefined ? {} : { stdin }),
  });
  const within = ({ cwd: _, access: __, stdin: ___, ...limits }: GitRun) => ({
    clock,
    ...limits,
    ...(starter ? { starter } : {}),
  });
  return {
    env,
    run: (args, options) => runCommand(command(args, options), within(options)),
    async ask(args, options) {
      const ended = await runToEnd(command(args, options), within(options));
      if (ended.stopReason !== undefined) throw ended.stopReason;
      return ended;
    },
  };
}

function selected(env: GitProgramOptions["env"]): Record<string, string> {
  const taken: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && passedOn.test(name)) taken[name] = value;
  return taken;
}
