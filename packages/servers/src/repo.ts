/** A door of its own: the repo server's process needs nothing else of the listeners. */
export { dialRepo, type RepoIdentity } from "./repo/dial-repo.ts";
export { findEndpoints } from "./repo/find-endpoints.ts";
export { endingSignals, guardProcess, type ProcessLimits } from "./repo/guard-process.ts";
export { LocalGit, type StartUpload } from "./repo/local-git.ts";
export type { RepoParent } from "./repo/repo-connection.ts";
export { RepoKeeper } from "./repo/repo-keeper.ts";
export { type RepoSurroundings, serveRepoServer } from "./repo/repo-listener.ts";
export { RepoPool } from "./repo/repo-pool.ts";
export { checkRepoCallers, listenForRepoCalls } from "./repo/repo-port.ts";
export type { RepoEnd, RepoProcess, RepoStart } from "./repo/repo-process.ts";
