import { withoutEndSlashes } from "@capstan/formats";
import type { GitHost, HostedRepository, HostSettings } from "./git-host.ts";
import type { HostSite, Look, Query } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { bearer, plainHeaders, siteOf } from "./host-site.ts";
import { allPages } from "./pages.ts";
import { idAt, numberAt, oddAnswer, pathParts, recordsOf, textAt, valueAt } from "./read-answer.ts";

/** https://developer.atlassian.com/cloud/bitbucket/rest/, version 2.0 */
export function openBitbucketCloud(settings: HostSettings): GitHost {
  const { calls } = settings;
  const site = bitbucketSite(settings);
  const list = (path: string, { what, query = {}, look }: { what: string; query?: Query; look: Look }) =>
    allPages(site, async (from) => {
      const asked = from === undefined ? query : Object.fromEntries(new URLSearchParams(from));
      const { body } = await calls.get(site, path, { what, query: asked, look });
      const next = valueAt(body, "next");
      const items = recordsOf(site, valueAt(body, "values"));
      return { items, ...(typeof next === "string" ? { next: queryOf(next) } : {}) };
    });
  /** The address of the next page is the host's to name, but not where it is asked. */
  const queryOf = (next: string): string => {
    if (!URL.canParse(next)) throw oddAnswer(site, "next is no address");
    return new URL(next).searchParams.toString();
  };
  const pathOf = (owner: string, name: string) =>
    `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const readBranch = (one: unknown) => ({
    name: textAt(site, one, "name"),
    sha: textAt(site, one, "target", "hash"),
  });
  return {
    async listRepositories({ owner }, look) {
      const query = { role: "member", pagelen: 100 };
      const path = `/repositories/${encodeURIComponent(owner)}`;
      const found = await list(path, { what: `workspace ${owner}`, query, look });
      return found.map((one) => readRepository(site, owner, one));
    },
    async listBranches({ organization, name, defaultBranch }, all, look) {
      if (defaultBranch === undefined) return [];
      const path = `${pathOf(organization, name)}/refs/branches`;
      const what = `branch ${defaultBranch} of ${organization}/${name}`;
      if (all) return (await list(path, { what, query: { pagelen: 100 }, look })).map(readBranch);
      return [
        readBranch((await calls.get(site, `${path}/${pathParts(defaultBranch)}`, { what, look })).body),
      ];
    },
    async hasPath({ organization, name }, { branch, path }, look) {
      const where = `${pathOf(organization, name)}/src/${branch.sha}/${pathParts(path)}`;
      const asked = calls.get(site, where, { what: path, query: { format: "meta" }, look });
      return (await unlessMissing(asked)) !== undefined;
    },
    async listPullRequests({ owner, name }, _query, look) {
      const what = `repository ${owner}/${name}`;
      const query = { state: "OPEN", pagelen: 50 };
      const found = await unlessMissing(list(`${pathOf(owner, name)}/pullrequests`, { what, query, look }));
      return found?.map((one) => ({
        number: numberAt(site, one, "id"),
        title: textAt(site, one, "title"),
        // Of an account that is gone nothing is told.
        author: String(valueAt(one, "author", "nickname") ?? ""),
        branch: textAt(site, one, "source", "branch", "name"),
        targetBranch: textAt(site, one, "destination", "branch", "name"),
        headSha: textAt(site, one, "source", "commit", "hash"),
        labels: [],
      }));
    },
  };
}

export function bitbucketSite(settings: HostSettings): HostSite {
  const headers = plainHeaders(settings, bearer);
  const base = withoutEndSlashes(settings.api || "https://api.bitbucket.org/2.0");
  return siteOf(settings, { name: "Bitbucket", base, headers });
}

function readRepository(site: HostSite, owner: string, one: unknown): HostedRepository {
  const branch = valueAt(one, "mainbranch", "name");
  const slug = textAt(site, one, "slug");
  const links = recordsOf(site, valueAt(one, "links", "clone"));
  const linkOf = (name: string) => String(links.find((link) => link.name === name)?.href ?? "");
  return {
    organization: owner,
    name: slug,
    key: slug,
    id: idAt(one, "uuid"),
    sshUrl: linkOf("ssh"),
    httpsUrl: linkOf("https"),
    defaultBranch: typeof branch === "string" && branch !== "" ? branch : undefined,
    isArchived: false,
    labels: [],
  };
}
