/**
 * A small world for tests. `start…` starts a program or a server of a test's own, on free ports and in a folder of
 * its own: hold it with `await using`, and it ends with the test (also when the test dies by kill -9, on Linux). What
 * it printed is in the failure, or in `output()`. `open…` and `create…` make what needs no process. `lacking…` gives
 * the reason to skip where a program is absent, or false.
 */

export { createSelfMadeCertificate } from "@capstan/cluster/certificates";

export {
  type ApplicationSketch,
  type ApplicationView,
  isSettled,
  readApplications,
  sketchApplication,
  sketchProject,
  untilApplication,
} from "./applications.ts";
export { type ArgoCDCluster, lackingArgoCD, type RealArgoCD, startArgoCD } from "./argocd.ts";
export { type CapstanProcess, startCapstan } from "./capstan-process.ts";
export { startProcess, type TestProcess, untilServing } from "./child-process.ts";
export { type ContainerRuntime, openContainerRuntime } from "./container-runtime.ts";
export { type DocsBlock, type DocsCommand, readDocsBlocks } from "./docs-blocks.ts";
export { type EmbeddedClusterProcess, startEmbeddedCluster } from "./embedded-cluster.ts";
export { freePorts } from "./free-port.ts";
export { createGitRepository, type Files, type GitRepository } from "./git-repository.ts";
export { giteaApi } from "./hosts/gitea-api.ts";
export { githubApi } from "./hosts/github-api.ts";
export { gitlabApi } from "./hosts/gitlab-api.ts";
export {
  type HostApi,
  type HostReply,
  type HostRequest,
  type HostServer,
  startHostServer,
} from "./hosts/host-server.ts";
export type { HostedSketch } from "./hosts/hosted.ts";
export { writeImageRoot } from "./image-root.ts";
export { kubeconfigText } from "./kubeconfig-text.ts";
export { configMapText, deploymentText, jobText } from "./manifests.ts";
export { movedClock } from "./moved-clock.ts";
export { endProcessesNaming, processesNaming } from "./processes-naming.ts";
export { eventually, realClock } from "./real-clock.ts";
export { lackingRealCluster, type RealCluster, startRealCluster } from "./real-cluster.ts";
export { lacking, realProgram, realProgramPath } from "./real-programs.ts";
export { refusal } from "./refusal.ts";
export { plainAnswer, repoServerOf } from "./repo-server-of.ts";
export { repoServersOf } from "./repo-server-process.ts";
export { RpcClient } from "./rpc-client.ts";
export { before } from "./servers/between.ts";
export { type ChartServer, startChartServer } from "./servers/chart-server.ts";
export { type CmpServer, lackingCmpServer, startCmpServer } from "./servers/cmp-server.ts";
export { countingListener } from "./servers/counting-listener.ts";
export type { HostedRepository } from "./servers/git-hosting.ts";
export { type GitServer, startGitServer } from "./servers/git-server.ts";
export { lackingGitSshServer, startGitSshServer } from "./servers/git-ssh-server.ts";
export {
  type ImageRegistry,
  registryAt,
  type SmallRegistry,
  startSmallRegistry,
} from "./servers/image-registry.ts";
export { LfsContents, type LfsMisdeeds } from "./servers/lfs-contents.ts";
export { type LoopbackServer, startLoopbackServer } from "./servers/loopback-server.ts";
export { lackingOciRegistry, type OciRegistry, startOciRegistry } from "./servers/oci-registry.ts";
export { type OidcProvider, startOidcProvider } from "./servers/oidc-provider.ts";
export { lackingRealVault, type RealVault, startRealVault } from "./servers/real-vault.ts";
export { startRegistryGate } from "./servers/registry-gate.ts";
export { sketchImage } from "./servers/test-image.ts";
export {
  issuerFacts,
  startTokenIssuer,
  type TokenIssuer,
} from "./servers/token-issuer.ts";
export { createSigner, lackingGpg, type Signer } from "./signer.ts";
export { type StoppedClock, stoppedClock, turn } from "./stopped-clock.ts";
export { type ReceivedSpan, startTraceReceiver } from "./trace-receiver.ts";
