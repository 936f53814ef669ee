import { boolean, list, object, optional, string } from "../schema/schema.ts";

export const secretRefSchema = object({ secretName: string(), key: string() });

export const configMapKeyRefSchema = object({ configMapName: string(), key: string() });

const flag = optional(boolean());
const text = optional(string());
const texts = optional(list(string()));
const token = optional(secretRefSchema);
const certificate = optional(configMapKeyRefSchema);
const basicAuth = optional(object({ username: string(), passwordRef: secretRefSchema }));
const bearerToken = optional(object({ tokenRef: secretRefSchema }));

export const scmProviders = {
  github: optional(
    object({
      organization: string(),
      api: text,
      tokenRef: token,
      appSecretName: text,
      allBranches: flag,
      excludeArchivedRepos: flag,
    }),
  ),
  gitlab: optional(
    object({
      group: string(),
      includeSubgroups: flag,
      api: text,
      tokenRef: token,
      allBranches: flag,
      insecure: flag,
      includeSharedProjects: flag,
      topic: text,
      caRef: certificate,
      includeArchivedRepos: flag,
    }),
  ),
  gitea: optional(
    object({
      owner: string(),
      api: string(),
      tokenRef: token,
      allBranches: flag,
      insecure: flag,
      excludeArchivedRepos: flag,
    }),
  ),
  bitbucketServer: optional(
    object({
      project: string(),
      api: string(),
      basicAuth,
      bearerToken,
      allBranches: flag,
      insecure: flag,
      caRef: certificate,
    }),
  ),
  bitbucket: optional(object({ owner: string(), user: string(), appPasswordRef: token, allBranches: flag })),
  azureDevOps: optional(
    object({
      organization: string(),
      api: text,
      teamProject: string(),
      accessTokenRef: token,
      allBranches: flag,
    }),
  ),
  awsCodeCommit: optional(
    object({
      tagFilters: optional(list(object({ key: string(), value: text }))),
      role: text,
      region: text,
      allBranches: flag,
    }),
  ),
};

export const pullRequestProviders = {
  github: optional(
    object({
      owner: string(),
      repo: string(),
      api: text,
      tokenRef: token,
      appSecretName: text,
      labels: texts,
    }),
  ),
  gitlab: optional(
    object({
      project: string(),
      api: text,
      tokenRef: token,
      labels: texts,
      pullRequestState: text,
      insecure: flag,
      caRef: certificate,
    }),
  ),
  gitea: optional(
    object({
      owner: string(),
      repo: string(),
      api: string(),
      tokenRef: token,
      insecure: flag,
      labels: texts,
    }),
  ),
  bitbucketServer: optional(
    object({
      project: string(),
      repo: string(),
      api: string(),
      basicAuth,
      bearerToken,
      insecure: flag,
      caRef: certificate,
    }),
  ),
  bitbucket: optional(object({ owner: string(), repo: string(), api: text, basicAuth, bearerToken })),
  azuredevops: optional(
    object({
      organization: string(),
      project: string(),
      repo: string(),
      api: text,
      tokenRef: token,
      labels: texts,
    }),
  ),
};

export const scmFilterSchema = object({
  repositoryMatch: text,
  branchMatch: text,
  labelMatch: text,
  pathsExist: texts,
  pathsDoNotExist: texts,
});

export const pullRequestFilterSchema = object({
  branchMatch: text,
  targetBranchMatch: text,
  titleMatch: text,
});
