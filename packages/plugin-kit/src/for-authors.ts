/** What plugins are written with, here and in the package that npm has of it (../npm), for Node 20 and later. */
import "./older-node.ts";

export {
  type DefinedPlugin,
  definePlugin,
  type KubernetesObject,
  type Output,
  type PluginDefinition,
  type PluginRun,
} from "./author/define-plugin.ts";
export { isMain } from "./author/is-main.ts";
export {
  boolean,
  choice,
  list,
  map,
  number,
  type Parameter,
  type Parameters,
  type ParameterValues,
  string,
} from "./author/parameters.ts";
export { type ErrorPlace, PluginError } from "./author/plugin-error.ts";
export type { ServeOptions } from "./author/serve-options.ts";
export { servePlugin } from "./author/serve-plugin.ts";
export { type TestOptions, type TestResult, testPlugin } from "./author/test-plugin.ts";
export { expandEnv } from "./expand-env.ts";
