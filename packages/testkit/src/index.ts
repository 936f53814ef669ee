export { type ApiAnswer, type ApiRequestOptions, type ApiWorld, openApiWorld } from "./api-world.ts";
export {
  type ApplicationSketch,
  type ApplicationView,
  isSettled,
  readApplications,
  sketchApplication,
  untilApplication,
  viewApplication,
} from "./applications.ts";
export { type ArgoCDCluster, lackingArgoCD, type RealArgoCD, startArgoCD } from "./argocd.ts";
export {
  type CapstanOptions,
  type CapstanProcess,
  type CapstanStatus,
  startCapstan,
} from "./capstan-process.ts";
export { startProcess, type TestProcess } from "./child-process.ts";
export { type EmbeddedClusterProcess, startEmbeddedCluster } from "./embedded-cluster.ts";
export { freePorts } from "./free-port.ts";
export { createGitRepository, type Files, type GitRepository, openGitRepository } from "./git-repository.ts";
export { configMapText, deploymentText, jobText } from "./manifests.ts";
export { eventually, realClock } from "./real-clock.ts";
export { lackingRealCluster, type RealCluster, startRealCluster } from "./real-cluster.ts";
export { lacking, realProgram } from "./real-programs.ts";
export { type LoggedLine, openSmallWorld, type SmallWorld, type SmallWorldOptions } from "./small-world.ts";
export {
  applicationRef,
  configMapRef,
  readObject,
  refresh,
  requestSync,
  untilObject,
  untilOperation,
} from "./small-world-steps.ts";
