export { kustomize } from "./kustomize.ts";
