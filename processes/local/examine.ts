import { execFile } from "node:child_process";
import { access, constants, mkdir, statfs } from "node:fs/promises";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { dirname } from "node:path";
import { type Clock, deadline } from "@capstan/flow";
import { messageOf } from "@capstan/model";
import { probeIsolation } from "@capstan/plugin-kit";
import { onPath, toolPath } from "@capstan/programs";
import { readRunning } from "../up/running.ts";

export interface Finding {
  /** lacks: Capstan works, less well or not all of it. fails: `capstan up` does not start, or renders nothing. */
  readonly state: "ok" | "lacks" | "fails";
  readonly what: string;
  readonly found: string;
  readonly todo?: string;
}

export interface Examination {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const programMs = 10_000;
const leastMemoryBytes = 2 * 2 ** 30;
const leastDiskBytes = 2 * 2 ** 30;
/** Of git: partial clones and `cat-file --batch` as the repo server uses them. */
const leastGit = [2, 25] as const;

/** What of this machine Capstan uses, in the order in which a person would mend it. */
export async function examine(asked: Examination): Promise<Finding[]> {
  const parts = [git, sandbox, helm, kustomize, kubectl, signatures, ssh, data, memory, ports];
  return (await Promise.all(parts.map((part) => part(asked)))).flat();
}

async function git(asked: Examination): Promise<Finding> {
  const what = "git";
  const said = await versionOf("git", ["--version"], asked);
  if (said === undefined)
    return {
      state: "fails",
      what,
      found: "not on PATH",
      todo: "install git: no repository is read without it",
    };
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  const isOld = Number(major) < leastGit[0] || (Number(major) === leastGit[0] && Number(minor) < leastGit[1]);
  return isOld
    ? { state: "fails", what, found: said, todo: `git ${leastGit.join(".")} or newer is needed` }
    : { state: "ok", what, found: said };
}

async function sandbox({ env, clock, signal }: Examination): Promise<Finding[]> {
  const isolation = await probeIsolation(env.PATH ?? "", clock, signal);
  const { whyNoSandbox, whyNoTrace, prlimit } = isolation;
  return [
    whyNoSandbox === undefined
      ? { state: "ok", what: "bubblewrap", found: "what repositories hold is rendered in a sandbox" }
      : {
          state: "lacks",
          what: "bubblewrap",
          found: whyNoSandbox,
          todo: "install bubblewrap: without it whoever can commit may read what the server's user reads",
        },
    prlimit === undefined
      ? {
          state: "lacks",
          what: "prlimit",
          found: "not on PATH",
          todo: "install util-linux: it limits what commands take",
        }
      : { state: "ok", what: "prlimit", found: "commands of plugins are limited" },
    whyNoTrace === undefined
      ? { state: "ok", what: "strace", found: "what plugins read can be observed" }
      : {
          state: "lacks",
          what: "strace",
          found: whyNoTrace,
          todo: "plugins with inputs.observe count the whole repository",
        },
  ];
}

const helm = (asked: Examination) => tool("helm", ["version", "--short"], asked);
const kustomize = (asked: Examination) => tool("kustomize", ["version"], asked);
const kubectl = (asked: Examination) => tool("kubectl", ["version", "--client"], asked);

async function tool(
  name: "helm" | "kustomize" | "kubectl",
  args: string[],
  asked: Examination,
): Promise<Finding> {
  const installed = await onPath(name, asked.env);
  try {
    const path = installed ?? (await toolPath(name, asked.env));
    // Within kubectl it is a command of it.
    const words = path.endsWith("kubectl") && name === "kustomize" ? ["version", "--client"] : args;
    const said = await versionOf(path, words, asked);
    if (said === undefined) throw new Error(`${path} does not tell its version`);
    return { state: "ok", what: name, found: `${said}${installed === undefined ? " (comes along)" : ""}` };
  } catch (error) {
    asked.signal.throwIfAborted();
    return {
      state: "lacks",
      what: name,
      found: messageOf(error),
      todo: `install ${name} and put it on PATH`,
    };
  }
}

async function signatures(asked: Examination): Promise<Finding> {
  const said = await versionOf("gpg", ["--version"], asked);
  return said === undefined
    ? {
        state: "lacks",
        what: "gpg",
        found: "not on PATH",
        todo: "projects that demand signatures need GnuPG",
      }
    : { state: "ok", what: "gpg", found: said };
}

async function ssh({ env }: Examination): Promise<Finding> {
  const found = await onPath("ssh", env);
  return found === undefined
    ? {
        state: "lacks",
        what: "ssh",
        found: "not on PATH",
        todo: "repositories over ssh need OpenSSH's client",
      }
    : { state: "ok", what: "ssh", found: "repositories over ssh can be read" };
}

async function data({ dataDir }: Examination): Promise<Finding> {
  const what = "data folder";
  try {
    await mkdir(dirname(dataDir), { recursive: true });
    const place = await access(dataDir, constants.W_OK | constants.X_OK).then(
      () => dataDir,
      () => dirname(dataDir),
    );
    await access(place, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(place);
    const free = bavail * bsize;
    const found = `${dataDir}, ${(free / 2 ** 30).toFixed(1)} GiB free`;
    return free < leastDiskBytes
      ? { state: "lacks", what, found, todo: "give it 2 GiB or more, or name another with --data" }
      : { state: "ok", what, found };
  } catch (error) {
    return { state: "fails", what, found: messageOf(error), todo: "name a folder of yours with --data" };
  }
}

async function memory(): Promise<Finding> {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  const found = `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  return bytes < leastMemoryBytes
    ? {
        state: "lacks",
        what: "memory",
        found,
        todo: "2 GiB or more; --repo-server-memory-limit lowers what renders may take",
      }
    : { state: "ok", what: "memory", found };
}

/** Taken ones are no failure: another one is taken then. */
async function ports({ dataDir }: Examination): Promise<Finding[]> {
  if (await readRunning(dataDir)) return [];
  return Promise.all(
    [8080, 6443].map(async (port): Promise<Finding> => {
      const what = `port ${port}`;
      return (await isFree(port))
        ? { state: "ok", what, found: "free" }
        : { state: "lacks", what, found: "in use", todo: "capstan up takes another one and says which" };
    }),
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once("error", () => answer(false));
    server.listen(port, "127.0.0.1", () => server.close(() => answer(true)));
  });
}

/** The first line that a program prints; undefined where it cannot be run. */
async function versionOf(
  program: string,
  args: string[],
  { env, clock, signal }: Examination,
): Promise<string | undefined> {
  using limited = deadline({ clock, signal, ms: programMs, late: () => new Error("late") });
  const said = await new Promise<string | undefined>((answer) => {
    execFile(program, args, { env: { ...env }, signal: limited.signal }, (error, out) =>
      answer(error ? undefined : out),
    );
  });
  signal.throwIfAborted();
  return said?.split("\n")[0]?.trim();
}
