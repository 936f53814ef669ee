export { cacheFolder, installedTools, isThere, toolFolder, toolFolders } from "./bundled-tools.ts";
export { chosenEnv } from "./chosen-env.ts";
export {
  confinedStage,
  refusal,
  sandboxCommand,
  unconfinedVariable,
  withoutCredentials,
} from "./confined-stage.ts";
export { chartsBelow, helmForKustomize } from "./helm-for-kustomize.ts";
export { keptScript } from "./kept-script.ts";
export { type OwnProgram, providedTools } from "./provided-tools.ts";
export { quoteForShell } from "./quote-for-shell.ts";
export { onPath, prepareTools, type ToolName, toolPath } from "./tool-path.ts";
