import type { HostSettings } from "../git-host.ts";
import type { HostKind } from "../host-for.ts";
import { azureMerges } from "./azure-devops.ts";
import { bitbucketMerges } from "./bitbucket-cloud.ts";
import { bitbucketServerMerges } from "./bitbucket-server.ts";
import { giteaMerges } from "./gitea.ts";
import { githubMerges } from "./github.ts";
import { gitlabMerges } from "./gitlab.ts";
import type { MergeHost } from "./merge-host.ts";

const openers = {
  github: githubMerges,
  gitlab: gitlabMerges,
  gitea: giteaMerges,
  bitbucket: bitbucketMerges,
  bitbucketServer: bitbucketServerMerges,
  azureDevOps: azureMerges,
};

/** Throws for settings that such a host does not take. */
export function mergesFor(kind: HostKind, settings: HostSettings): MergeHost {
  return openers[kind](settings);
}
