export { collectSources, evaluateSources, type JsonnetRequest } from "./evaluate-jsonnet.ts";
export { JsonnetError } from "./jsonnet-error.ts";
export type { ExternalValue } from "./run-jsonnet.ts";
