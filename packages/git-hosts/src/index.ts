export { type CodecommitSettings, openCodecommit } from "./aws-codecommit.ts";
export type {
  GitHost,
  HostCredential,
  HostedBranch,
  HostedRepository,
  PullRequestQuery,
  RepositoryName,
  RepositoryScope,
} from "./git-host.ts";
export { installationRequest, readInstallationToken } from "./github-app.ts";
export { type HostCall, HostCalls, type Look } from "./host-calls.ts";
export { type HostKind, hostFor } from "./host-for.ts";
export { askForMerge, type MergeAsked } from "./merges/ask-for-merge.ts";
export { mergesFor } from "./merges/merges-for.ts";
export { readPrivateKey, signClaims } from "./signed-claims.ts";
