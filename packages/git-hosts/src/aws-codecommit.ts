import { isRecord } from "@capstan/formats";
import type { GitHost, HostedRepository } from "./git-host.ts";
import type { HostCalls, Look } from "./host-calls.ts";
import { HostError } from "./host-error.ts";

export interface CodecommitSettings {
  /** undefined: as the environment says. */
  readonly region?: string | undefined;
  /** ARN of a role to take on; undefined: none. */
  readonly role?: string | undefined;
  /** Repositories with all of these tags; of one key any of the values; none: all repositories. */
  readonly tags?: readonly { readonly key: string; readonly value?: string | undefined }[] | undefined;
  readonly calls: HostCalls;
}

const targets = { codecommit: "CodeCommit_20150413", tagging: "ResourceGroupsTaggingAPI_20170126" } as const;
const mostPages = 500;
type Body = Record<string, unknown>;

/** Requests to AWS, signed; with a role, as that. */
function callsOf({ region: named, role, calls }: CodecommitSettings) {
  const { env, clock } = calls;
  const ask = async (
    service: keyof typeof targets,
    { action, body }: { action: string; body: Body },
    { signal }: Look,
  ): Promise<Body> => {
    const aws = await import("@capstan/secret-services");
    const { Settings } = await import("@capstan/secret-services/settings");
    const settings = new Settings({}, env);
    const region = named || settings.get("AWS_REGION") || settings.get("AWS_DEFAULT_REGION");
    if (!region) throw new HostError("awsCodeCommit: region is missing, in the generator and in AWS_REGION");
    const endpoint = settings.get("AWS_ENDPOINT_URL");
    const needs = { clock, signal };
    const own = await aws.readAwsCredentials(settings, needs);
    const credentials = role ? await aws.assumeAwsRole(own, { role, region, endpoint }, needs) : own;
    const call = { service, region, endpoint, target: `${targets[service]}.${action}`, body };
    const answer = await aws.callAws(call, credentials, needs);
    const type = aws.awsErrorType(answer.body);
    const isMissing = /^(?:Repository|Commit|Folder|Path)DoesNotExistException$/.test(type);
    if (answer.status !== 200)
      throw new HostError(`AWS CodeCommit: ${aws.awsProblem(answer)}`, { isMissing });
    return isRecord(answer.body) ? answer.body : {};
  };
  const pages = async (
    service: keyof typeof targets,
    { action, token, list }: { action: string; token: string; list: string },
    { body, look }: { body: Body; look: Look },
  ): Promise<unknown[]> => {
    const all: unknown[] = [];
    let from: unknown;
    for (let page = 0; page < mostPages; page += 1) {
      const answer = await ask(
        service,
        { action, body: from === undefined ? body : { ...body, [token]: from } },
        look,
      );
      const items = answer[list];
      if (!Array.isArray(items)) throw new HostError(`AWS CodeCommit answers ${action} without ${list}`);
      all.push(...items);
      from = answer[token];
      if (from === undefined || from === null || from === "") return all;
    }
    throw new HostError(`AWS CodeCommit has more than ${mostPages} pages of one list`);
  };
  return { ask, pages };
}

async function namesOf(
  { pages }: ReturnType<typeof callsOf>,
  tags: NonNullable<CodecommitSettings["tags"]>,
  look: Look,
): Promise<string[]> {
  if (tags.length === 0) {
    const request = { action: "ListRepositories", token: "nextToken", list: "repositories" };
    return textsOf(await pages("codecommit", request, { body: {}, look }), "repositoryName");
  }
  const request = { action: "GetResources", token: "PaginationToken", list: "ResourceTagMappingList" };
  const body = { ResourceTypeFilters: ["codecommit:repository"], TagFilters: filtersOf(tags) };
  const arns = textsOf(await pages("tagging", request, { body, look }), "ResourceARN");
  return arns.map((arn) => arn.split(":").slice(5).join(":"));
}

/**
 * AWS CodeCommit with the credentials that Capstan's own process has (https://docs.aws.amazon.com/codecommit/latest/APIReference/).
 * AWS_ENDPOINT_URL in its environment takes the place of all addresses.
 */
export function openCodecommit(settings: CodecommitSettings): GitHost {
  const { tags = [] } = settings;
  const calls = callsOf(settings);
  const { ask, pages } = calls;
  return {
    async listRepositories(_scope, look) {
      const found: HostedRepository[] = [];
      for (const repositoryName of await namesOf(calls, tags, look)) {
        const answer = await ask("codecommit", { action: "GetRepository", body: { repositoryName } }, look);
        const one = isRecord(answer.repositoryMetadata) ? answer.repositoryMetadata : {};
        // One without a default branch is empty.
        if (!one.defaultBranch) continue;
        found.push({
          organization: String(one.accountId ?? ""),
          name: repositoryName,
          key: repositoryName,
          id: typeof one.repositoryId === "string" ? one.repositoryId : undefined,
          sshUrl: String(one.cloneUrlSsh ?? ""),
          httpsUrl: String(one.cloneUrlHttp ?? ""),
          defaultBranch: String(one.defaultBranch),
          isArchived: false,
          labels: [],
        });
      }
      return found;
    },
    async listBranches({ name: repositoryName, defaultBranch }, all, look) {
      // Commits would take a request for each branch: as in Argo CD, they are not told.
      if (!all) return defaultBranch === undefined ? [] : [{ name: defaultBranch, sha: "" }];
      const request = { action: "ListBranches", token: "nextToken", list: "branches" };
      const names = await pages("codecommit", request, { body: { repositoryName }, look });
      return names.map((name) => ({ name: String(name), sha: "" }));
    },
    async hasPath({ name: repositoryName }, { branch, path }, look) {
      const parts = path.split("/").filter((part) => part !== "");
      const last = parts.pop();
      if (last === undefined) return true;
      const body = { repositoryName, commitSpecifier: branch.name, folderPath: `/${parts.join("/")}` };
      try {
        const folder = await ask("codecommit", { action: "GetFolder", body }, look);
        const lists = [folder.files, folder.subFolders, folder.subModules, folder.symbolicLinks];
        return lists
          .flatMap((list) => (Array.isArray(list) ? textsOf(list, "relativePath") : []))
          .includes(last);
      } catch (error) {
        if (error instanceof HostError && error.isMissing) return false;
        throw error;
      }
    },
    async listPullRequests() {
      throw new HostError("pull requests of AWS CodeCommit are not asked for");
    },
  };
}

function filtersOf(tags: NonNullable<CodecommitSettings["tags"]>): { Key: string; Values?: string[] }[] {
  const byKey = new Map<string, string[]>();
  for (const { key, value } of tags) byKey.set(key, [...(byKey.get(key) ?? []), ...(value ? [value] : [])]);
  return [...byKey].map(([Key, Values]) => ({ Key, ...(Values.length > 0 ? { Values } : {}) }));
}

function textsOf(records: readonly unknown[], field: string): string[] {
  return records
    .map((one) => (isRecord(one) ? one[field] : undefined))
    .filter((text) => typeof text === "string");
}
