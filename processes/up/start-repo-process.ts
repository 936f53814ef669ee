import type { RepoProcess } from "@capstan/servers/repo";
import { startChild } from "./start-child.ts";

/** A repo server as a process of its own. */
export function startRepoProcess(): RepoProcess {
  return startChild(["repo-server"]);
}

/** Starts the first now, for whoever asks for one later. */
export function startedAhead(start: () => RepoProcess): () => RepoProcess {
  let first: RepoProcess | undefined = start();
  return () => {
    const taken = first ?? start();
    first = undefined;
    return taken;
  };
}
