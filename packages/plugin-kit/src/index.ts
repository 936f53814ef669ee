export { type Followed, type FollowMeans, followFiles, unchanging } from "./follow-files.ts";
export { followLinks, traceLink, traceLinks } from "./follow-links.ts";
export * from "./for-authors.ts";
export type { ContainerImage, FunctionImage, WasmImage, WithImage } from "./function-image.ts";
export { type HeldEnd, HeldProcess } from "./held-process.ts";
export { fileIdentity } from "./isolation/file-identity.ts";
export { mayChangeUsers } from "./isolation/may-change-users.ts";
export { findOnPath, probeIsolation } from "./isolation/probe-isolation.ts";
export { type ProbedSandbox, probeOuterSandbox } from "./isolation/probe-sandbox.ts";
export { giveTo, runApart, whyNoSandbox } from "./isolation/run-apart.ts";
export { type Sandbox, type SandboxView, sandboxArguments } from "./isolation/sandbox.ts";
export { visibleProgram, visiblePrograms } from "./isolation/visible-programs.ts";
export { ProgramGroup } from "./kill-group.ts";
export { judgeFolder } from "./local-repository/judge-folder.ts";
export { absoluteFolderOf, requireFolder } from "./local-repository/require-folder.ts";
export { type NamedQueueOptions, namedQueue } from "./named-queue.ts";
export { isWithin, joinWithin, parentOf, relativeTo } from "./paths.ts";
export {
  type ChartLogin,
  type ChartRequest,
  type Discovery,
  type Elsewhere,
  type ExpandedStage,
  type Generated,
  type GeneratedManifest,
  type Inputs,
  inProcessPlugin,
  type Log,
  type Observed,
  type Plugin,
  type RenderContext,
  type RenderContextSettings,
  type Stage,
  type Workspace,
} from "./plugin.ts";
export {
  announcementEnv,
  discoveryEnv,
  type EnvVariable,
  pluginEnv,
  withoutRevision,
} from "./plugin-env.ts";
export { readAuthority, readPair, readToken } from "./read-pem.ts";
export { fileName, hasGitFolder } from "./rooted/file-name.ts";
export {
  linkBelow,
  listBelow,
  makeBelow,
  readBelow,
  readItselfBelow,
  removeBelow,
  statBelow,
  writeBelow,
} from "./rooted/rooted-files.ts";
export {
  type Command,
  type CommandEnd,
  type CommandOutput,
  displayCommand,
  runCommand,
  runToEnd,
} from "./run-command.ts";
export { extractArchive } from "./server/extract-archive.ts";
export { commandEnvironment } from "./sidecar/command-environment.ts";
export { type SourceTree, type TreeEntry, type WalkLimits, walk } from "./source-tree.ts";
export { childrenWhileSmall } from "./spawner/children-while-small.ts";
export { Spawner } from "./spawner/spawner.ts";
export { splitList, stripQuotes, unquote } from "./split-list.ts";
export type { ProgramStarter } from "./start-program.ts";
export { clearUnused, folderBytes, measureFolder } from "./store/clear-unused.ts";
export { UnpackCount } from "./unpack/unpack-count.ts";
export { byWalkOrder } from "./walk-order.ts";
