import { string } from "@capstan/model/shapes";
import type { Empty } from "./answers.ts";
import {
  type RepoCredsList,
  type RepositoryList,
  type RestRepoCreds,
  type RestRepository,
  repoCredsSchema,
  repoQuery,
  repositorySchema,
  validation,
} from "./repositories.ts";
import { bodyLimits, route } from "./route.ts";

const repositories = "/api/v1/write-repositories";
const creds = "/api/v1/write-repocreds";

/** The same calls for what repositories are written to with. */
export const writeRepositoryRoutes = {
  listWriteRepositories: route("GET", repositories, repoQuery)
    .rpc("repository.RepositoryService/ListWriteRepositories")
    .answers<RepositoryList>(),
  createWriteRepository: route("POST", repositories, { upsert: "boolean", credsOnly: "boolean" })
    .rpc("repository.RepositoryService/CreateWriteRepository")
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  getWriteRepository: route("GET", `${repositories}/{repo}`, repoQuery)
    .rpc("repository.RepositoryService/GetWrite")
    .answers<RestRepository>(),
  updateWriteRepository: route("PUT", `${repositories}/{url}`, {})
    .rpc("repository.RepositoryService/UpdateWriteRepository", { url: "repo.repo" })
    .takes("repo", repositorySchema)
    .answers<RestRepository>(),
  deleteWriteRepository: route("DELETE", `${repositories}/{repo}`, repoQuery)
    .rpc("repository.RepositoryService/DeleteWriteRepository")
    .answers<Empty>(),
  validateWriteRepository: route("POST", `${repositories}/{repo}/validate`, validation)
    .rpc("repository.RepositoryService/ValidateWriteAccess")
    .takes("repo", string(), bodyLimits.small)
    .answers<Empty>(),
  listWriteRepoCreds: route("GET", creds, { url: "string" })
    .rpc("repocreds.RepoCredsService/ListWriteRepositoryCredentials")
    .answers<RepoCredsList>(),
  createWriteRepoCreds: route("POST", creds, { upsert: "boolean" })
    .rpc("repocreds.RepoCredsService/CreateWriteRepositoryCredentials")
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  updateWriteRepoCreds: route("PUT", `${creds}/{url}`, {})
    .rpc("repocreds.RepoCredsService/UpdateWriteRepositoryCredentials", { url: "creds.url" })
    .takes("creds", repoCredsSchema)
    .answers<RestRepoCreds>(),
  deleteWriteRepoCreds: route("DELETE", `${creds}/{url}`, {})
    .rpc("repocreds.RepoCredsService/DeleteWriteRepositoryCredentials")
    .answers<Empty>(),
} as const;
