export type { ContainerSettings } from "./container-function.ts";
export { kpt } from "./kpt.ts";
