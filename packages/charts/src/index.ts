export type { DependencyLogin } from "./fetch-dependencies.ts";
export { readKubeVersion } from "./kube-version.ts";
export { chartInputs, helmEnv, renderChart } from "./render-chart.ts";
export { resolveValueFiles } from "./value-files.ts";
