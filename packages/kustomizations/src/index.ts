export { type KustomizationFile, readKustomization } from "./kustomization-file.ts";
export {
  chartFields,
  findReferences,
  generatorFields,
  listFields,
  namedFiles,
  pathFields,
} from "./references.ts";
export { runBuild } from "./run-build.ts";
