import { withoutEndSlashes } from "@capstan/formats";
import type { GitHost, HostedRepository, HostSettings } from "./git-host.ts";
import type { HostSite, Look, Query } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { basic, plainHeaders, siteOf } from "./host-site.ts";
import { allPages } from "./pages.ts";
import { hasAll, idAt, namesAt, numberAt, recordsOf, textAt, valueAt } from "./read-answer.ts";

const version = { "api-version": "7.1" };
const perPage = 100;

/** https://learn.microsoft.com/rest/api/azure/devops/git/, version 7.1; owners are `organization/project`. */
export function openAzureDevops(settings: HostSettings): GitHost {
  const { calls } = settings;
  const site = azureSite(settings);
  const pathOf = (owner: string, rest = "") =>
    `/${owner.split("/").map(encodeURIComponent).join("/")}/_apis/git/repositories${rest}`;
  const get = async (path: string, { what, query, look }: { what: string; query?: Query; look: Look }) =>
    (await calls.get(site, path, { what, query: { ...query, ...version }, look })).body;
  const readBranch = (one: unknown) => ({
    name: textAt(site, one, "name"),
    sha: textAt(site, one, "commit", "commitId"),
  });
  const readRepository = (owner: string, one: unknown): HostedRepository[] => {
    const branch = valueAt(one, "defaultBranch");
    // One without a default branch is empty.
    if (typeof branch !== "string") return [];
    const repository = {
      organization: owner.split("/", 1)[0] ?? "",
      name: textAt(site, one, "name"),
      key: pathOf(owner, `/${encodeURIComponent(textAt(site, one, "id"))}`),
      id: idAt(one, "id"),
      sshUrl: String(valueAt(one, "sshUrl") ?? ""),
      httpsUrl: textAt(site, one, "remoteUrl"),
      defaultBranch: withoutHeads(branch),
      isArchived: valueAt(one, "isDisabled") === true,
      labels: [],
    };
    return [repository];
  };
  return {
    async listRepositories({ owner }, look) {
      const body = await get(pathOf(owner), { what: `project ${owner}`, look });
      return recordsOf(site, valueAt(body, "value")).flatMap((one) => readRepository(owner, one));
    },
    async listBranches({ key, name, defaultBranch }, all, look) {
      const what = `repository ${name}`;
      const path = `${key}/stats/branches`;
      if (!all) {
        const body = await unlessMissing(get(path, { what, query: { name: defaultBranch }, look }));
        return body === undefined ? [] : [readBranch(body)];
      }
      const body = await unlessMissing(get(path, { what, look }));
      return body === undefined ? [] : recordsOf(site, valueAt(body, "value")).map(readBranch);
    },
    async hasPath({ key }, { branch, path }, look) {
      const query = { path, "versionDescriptor.version": branch.name };
      return (await unlessMissing(get(`${key}/items`, { what: path, query, look }))) !== undefined;
    },
    async listPullRequests({ owner, name }, { labels }, look) {
      const what = `repository ${owner}/${name}`;
      const path = pathOf(owner, `/${encodeURIComponent(name)}/pullrequests`);
      const pages = allPages(site, async (skip) => {
        const query = { $top: perPage, $skip: skip };
        const items = recordsOf(site, valueAt(await get(path, { what, query, look }), "value"));
        const next = Number(skip ?? 0) + items.length;
        return { items, ...(items.length === perPage ? { next: String(next) } : {}) };
      });
      const found = (await unlessMissing(pages))?.flatMap((one) => {
        // While a merge is computed nothing is known of the commit yet.
        const headSha = valueAt(one, "lastMergeSourceCommit", "commitId");
        if (typeof headSha !== "string") return [];
        return [
          {
            number: numberAt(site, one, "pullRequestId"),
            title: textAt(site, one, "title"),
            author: textAt(site, one, "createdBy", "uniqueName").split("@", 1)[0] ?? "",
            branch: withoutHeads(textAt(site, one, "sourceRefName")),
            targetBranch: withoutHeads(textAt(site, one, "targetRefName")),
            headSha,
            labels: namesAt(one, "labels"),
          },
        ];
      });
      return found?.filter((one) => hasAll(one.labels, labels));
    },
  };
}

export function azureSite(settings: HostSettings): HostSite {
  const headers = plainHeaders(settings, (token) => ({ authorization: basic("", token) }));
  const base = withoutEndSlashes(settings.api || "https://dev.azure.com");
  return siteOf(settings, { name: "Azure DevOps", base, headers });
}

function withoutHeads(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}
