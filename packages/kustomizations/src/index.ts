export { type KustomizationFile, readKustomization } from "./kustomization-file.ts";
export { findReferences, namedFiles } from "./references.ts";
export { runBuild } from "./run-build.ts";
