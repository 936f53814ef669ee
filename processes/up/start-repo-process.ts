import type { Clock } from "@capstan/flow";
import type { Log, Sandbox } from "@capstan/plugin-kit";
import {
  endingSignals,
  LocalGit,
  type ProcessLimits,
  type RepoEnd,
  type RepoProcess,
  type RepoStart,
} from "@capstan/servers/repo";
import { findSandbox } from "./find-sandbox.ts";
import { localFolders } from "./local-folders.ts";
import type { UpOptions } from "./options.ts";
import { confineRepoServer } from "./repo-sandbox.ts";
import { type ChildEnd, startChild } from "./start-child.ts";
import { startUpload } from "./start-upload.ts";

export interface RepoStarterInput {
  options: UpOptions;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** Starts repo servers, each as a process of its own with limits. */
export type StartRepoProcess = (start: RepoStart) => Promise<RepoProcess>;

/** In a sandbox where there is one; where there is none, that is said once. */
export function repoStarter({ options, clock, log, signal }: RepoStarterInput): StartRepoProcess {
  const probing = findSandbox(clock, signal);
  probing.then(
    (probed) => {
      if ("why" in probed) log.warn({ why: probed.why }, unconfined);
    },
    () => undefined, // whoever starts one is told
  );
  let opening: Promise<LocalGit> | undefined;
  const openLocalGit = async (sandbox: Sandbox): Promise<LocalGit> => {
    const git = await LocalGit.listen(startUpload(options, await localFolders(options), sandbox));
    signal.addEventListener("abort", () => void git[Symbol.asyncDispose](), { once: true });
    return git;
  };
  let isMoveTold = false;
  return async ({ role }) => {
    const probed = await probing;
    const limits = limitsOf(options, role);
    // Where its sandbox ends, all that it has started ends.
    const given = { ...limits, endsWhole: !("why" in probed) };
    const { before, env, whyMoved, isOutdated } = await confineRepoServer(options, probed, role);
    if (whyMoved !== undefined && !isMoveTold) log.warn({ why: whyMoved }, moved);
    isMoveTold ||= whyMoved !== undefined;
    if (!("why" in probed))
      opening ??= openLocalGit(probed.sandbox).catch((error: unknown) => {
        opening = undefined; // the next process tries again
        throw error;
      });
    const localGit = (await opening)?.grant();
    const words = ["render-process", JSON.stringify(given)];
    const child = startChild(words, { before, env, node: nodeFlags(limits) });
    const ended = child.ended.then((end) => readEnd(end, limits));
    if (localGit) void ended.then(() => localGit[Symbol.dispose]());
    return {
      ...child,
      ended,
      isOutdated,
      ...(localGit && { localGit }),
      ...("why" in probed && { whyNotConfined: probed.why }),
    };
  };
}

const unconfined =
  "repositories are rendered without a sandbox: whoever can commit to one may reach what this user can, if a parser has a hole";

const moved = "the cache folder cannot be written (set CAPSTAN_CACHE to one that can)";

/** Starts the first as soon as the samples are there, for whoever asks for one later; ends one that nobody asked for. */
export function startedAhead(
  start: StartRepoProcess,
  samples: Promise<unknown>,
): AsyncDisposable & { readonly start: StartRepoProcess } {
  let first: Promise<RepoProcess> | undefined = samples
    .catch(() => undefined)
    .then(() => start({ role: "main" }));
  first.catch(() => undefined); // whoever asks for it is told
  return {
    start: (wanted) => {
      if (wanted.role === "alone") return start(wanted);
      const ahead = first;
      first = undefined;
      return ahead ?? start(wanted);
    },
    [Symbol.asyncDispose]: async () => {
      const left = await first?.catch(() => undefined); // it did not start
      left?.kill();
      await left?.ended;
    },
  };
}

/** What others wait for may take less time than what harms nobody else. */
const stallMs = { main: 20_000, alone: 90_000 };

function limitsOf({ repoServerMemoryBytes: memoryBytes }: UpOptions, role: RepoStart["role"]): ProcessLimits {
  return { memoryBytes, stallMs: stallMs[role] };
}

/** V8's own limit ends a process without a word: it comes after the guard's. */
function nodeFlags({ memoryBytes }: ProcessLimits): string[] {
  // As bin/capstan.js says it of the process that starts this one.
  const old = Math.ceil(memoryBytes / 2 ** 20);
  return [`--max-old-space-size=${old}`, "--max-semi-space-size=4", "--heap-growing-percent=50"];
}

function readEnd({ how, signal }: ChildEnd, { memoryBytes, stallMs: cpuMs }: ProcessLimits): RepoEnd {
  switch (signal) {
    case endingSignals.memory:
      return { how, cause: "memory", limit: `${Math.round(memoryBytes / 2 ** 20)} MiB` };
    case endingSignals.stall:
      return { how, cause: "stall", limit: `${cpuMs / 1000} s` };
    case "SIGKILL":
    case "SIGTERM":
      return { how, cause: "killed" };
    default:
      return { how, cause: "crash" };
  }
}
