import { withoutTrailing } from "@capstan/formats";
import type { GitHost, HostedRepository, HostSettings } from "./git-host.ts";
import type { HostSite, Look, Query } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { bearer, plainHeaders, siteOf } from "./host-site.ts";
import { allPages } from "./pages.ts";
import { idAt, numberAt, oddAnswer, pathParts, recordsOf, textAt, valueAt } from "./read-answer.ts";

const limit = 100;

/** https://developer.atlassian.com/server/bitbucket/rest/, api/1.0 */
export function openBitbucketServer(settings: HostSettings): GitHost {
  const { calls } = settings;
  const site = bitbucketServerSite(settings);
  const list = (path: string, { what, query = {}, look }: { what: string; query?: Query; look: Look }) =>
    allPages(site, async (start) => {
      const { body } = await calls.get(site, path, { what, query: { ...query, limit, start }, look });
      const items = recordsOf(site, valueAt(body, "values"));
      if (valueAt(body, "isLastPage") === true) return { items };
      return { items, next: String(numberAt(site, body, "nextPageStart")) };
    });
  const pathOf = (project: string, slug: string) =>
    `/projects/${encodeURIComponent(project)}/repos/${encodeURIComponent(slug)}`;
  const readBranch = (one: unknown) => ({
    name: textAt(site, one, "displayId"),
    sha: textAt(site, one, "latestCommit"),
  });
  return {
    async listRepositories({ owner }, look) {
      const path = `/projects/${encodeURIComponent(owner)}/repos`;
      const found = await list(path, { what: `project ${owner}`, look });
      return found.map((one) => readRepository(site, one));
    },
    async listBranches({ organization, key }, all, look) {
      const path = `${pathOf(organization, key)}/branches`;
      const what = `repository ${organization}/${key}`;
      // Missing, or nothing at all, where the repository is empty.
      const answer = await unlessMissing(calls.get(site, `${path}/default`, { what, look }));
      if (answer?.body === undefined) return [];
      return all ? (await list(path, { what, look })).map(readBranch) : [readBranch(answer.body)];
    },
    async hasPath({ organization, key }, { branch, path }, look) {
      const where = `${pathOf(organization, key)}/browse/${pathParts(path)}`;
      const query = { at: branch.name, type: true, limit };
      return (await unlessMissing(calls.get(site, where, { what: path, query, look }))) !== undefined;
    },
    async listPullRequests({ owner, name }, _query, look) {
      const what = `repository ${owner}/${name}`;
      const found = await unlessMissing(list(`${pathOf(owner, name)}/pull-requests`, { what, look }));
      return found?.map((one) => ({
        number: numberAt(site, one, "id"),
        title: textAt(site, one, "title"),
        author: textAt(site, one, "author", "user", "name"),
        branch: textAt(site, one, "fromRef", "displayId"),
        targetBranch: textAt(site, one, "toRef", "displayId"),
        headSha: textAt(site, one, "fromRef", "latestCommit"),
        labels: [],
      }));
    },
  };
}

export function bitbucketServerSite(settings: HostSettings): HostSite {
  const { api } = settings;
  if (!api) throw new Error("bitbucketServer: api is missing, the address of the server");
  const headers = { "x-atlassian-token": "no-check", ...plainHeaders(settings, bearer) };
  return siteOf(settings, { name: "Bitbucket Server", base: `${restBase(api)}/api/1.0`, headers });
}

/** applicationset/utils NormalizeBitbucketBasePath */
function restBase(api: string): string {
  const base = withoutTrailing(api, "/");
  return base.endsWith("/rest") ? base : `${base}/rest`;
}

function readRepository(site: HostSite, one: unknown): HostedRepository {
  const links = recordsOf(site, valueAt(one, "links", "clone"));
  const linkOf = (name: string) => String(links.find((link) => link.name === name)?.href ?? "");
  const slug = valueAt(one, "slug");
  const name = textAt(site, one, "name");
  if (name === "") throw oddAnswer(site, "name is empty");
  return {
    organization: textAt(site, one, "project", "key"),
    name,
    key: typeof slug === "string" ? slug : name,
    id: idAt(one, "id"),
    sshUrl: linkOf("ssh"),
    httpsUrl: linkOf("http"),
    // Told for each repository alone.
    defaultBranch: undefined,
    isArchived: valueAt(one, "archived") === true,
    labels: [],
  };
}
