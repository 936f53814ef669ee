export { isThere } from "./bundled-tools.ts";
export { cacheFolder, installedTools, toolFolder, toolFolders } from "./cache.ts";
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
export { providedTools } from "./provided-tools.ts";
export { quoteForShell } from "./quote-for-shell.ts";
export { onPath, prepareTools, toolPath } from "./tool-path.ts";
