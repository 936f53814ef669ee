import { existsSync } from "node:fs";
import type { Clock } from "@capstan/model";
import type { Log } from "@capstan/plugin-kit";
import type { RepoProcess } from "@capstan/servers/repo";
import type { UpOptions } from "./options.ts";
import { confineRepoServer, findRepoSandbox } from "./repo-sandbox.ts";
import { samplesFolder } from "./samples.ts";
import { startChild } from "./start-child.ts";
import { visibleFolders } from "./visible-folders.ts";

interface Input {
  options: UpOptions;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

/** Starts repo servers, each as a process of its own that sees the given repositories of this machine. */
export type StartRepoProcess = (folders: readonly string[]) => Promise<RepoProcess>;

/** In a sandbox where there is one; where there is none, that is said once. */
export function repoStarter({ options, clock, log, signal }: Input): StartRepoProcess {
  const probing = findRepoSandbox(clock, signal);
  probing.then(
    (probed) => {
      if ("why" in probed) log.warn({ why: probed.why }, unconfined);
    },
    () => undefined, // whoever starts one is told
  );
  return async (folders) => {
    const probed = await probing;
    const samples = samplesFolder(options);
    const hasSamples = existsSync(samples);
    const shown = await Promise.all(folders.map((folder) => visibleFolders(folder, options)));
    const { before, env } = await confineRepoServer(options, probed, shown.flat());
    const child = startChild(["repo-server"], { before, env });
    const sees = (folder: string): boolean =>
      before.length === 0 || folders.includes(folder) || (hasSamples && folder === samples);
    return { ...child, sees, ...("why" in probed ? { whyNotConfined: probed.why } : {}) };
  };
}

const unconfined =
  "repositories are rendered without a sandbox: whoever can commit to one may reach what this user can, if a parser has a hole";

/** Starts the first as soon as the samples are there, for whoever asks for one later. */
export function startedAhead(start: StartRepoProcess, samples: Promise<unknown>): StartRepoProcess {
  let first: Promise<RepoProcess> | undefined = samples.catch(() => undefined).then(() => start([]));
  first.catch(() => undefined); // whoever asks for it is told
  return async (folders) => {
    const ahead = first;
    first = undefined;
    if (ahead && folders.length === 0) return ahead;
    void ahead?.then(({ kill }) => kill());
    return start(folders);
  };
}
