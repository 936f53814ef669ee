export type { ContainerSettings } from "./container-function.ts";
export type { ContainerImage, FunctionImage, WithImage } from "./function-image.ts";
export { kpt } from "./kpt.ts";
