import { openAzureDevops } from "./azure-devops.ts";
import { openBitbucketCloud } from "./bitbucket-cloud.ts";
import { openBitbucketServer } from "./bitbucket-server.ts";
import type { GitHost, HostSettings } from "./git-host.ts";
import { openGitea } from "./gitea.ts";
import { openGithub } from "./github.ts";
import { openGitlab } from "./gitlab.ts";

const openers = {
  github: openGithub,
  gitlab: openGitlab,
  gitea: openGitea,
  bitbucket: openBitbucketCloud,
  bitbucketServer: openBitbucketServer,
  azureDevOps: openAzureDevops,
};

export type HostKind = keyof typeof openers;

/** Throws for settings that such a host does not take. */
export function hostFor(kind: HostKind, settings: HostSettings): GitHost {
  return openers[kind](settings);
}
