/** A door of its own: the repo server's process needs nothing else of the listeners. */

export type { RepoParent } from "./repo/repo-connection.ts";
export { RepoKeeper, type RepoProcess } from "./repo/repo-keeper.ts";
export { type RepoSurroundings, serveRepoServer } from "./repo/repo-listener.ts";
