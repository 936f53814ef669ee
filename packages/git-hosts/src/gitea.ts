import { withoutEndSlashes } from "@capstan/formats";
import type { GitHost, HostedRepository, HostSettings } from "./git-host.ts";
import type { HostSite, Look, Query } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { plainHeaders, siteOf } from "./host-site.ts";
import { allPages, nextLinked } from "./pages.ts";
import { hasAll, idAt, namesAt, numberAt, pathParts, recordsOf, textAt, valueAt } from "./read-answer.ts";

const perPage = 50;

/** https://docs.gitea.com/api/, version 1; Forgejo's is the same here. */
export function openGitea(settings: HostSettings): GitHost {
  const { calls } = settings;
  const site = giteaSite(settings);
  const list = (path: string, { what, query = {}, look }: { what: string; query?: Query; look: Look }) =>
    allPages(site, async (page) => {
      const answer = await calls.get(site, path, {
        what,
        query: { ...query, limit: perPage, page: page ?? 1 },
        look,
      });
      return { items: recordsOf(site, answer.body), next: nextLinked(answer) };
    });
  const repositoryPath = (owner: string, name: string) =>
    `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  const readBranch = (one: unknown) => ({
    name: textAt(site, one, "name"),
    sha: textAt(site, one, "commit", "id"),
  });
  return {
    async listRepositories({ owner }, look) {
      const path = `/orgs/${encodeURIComponent(owner)}/repos`;
      const all = await list(path, { what: `organization ${owner}`, look });
      const found: HostedRepository[] = [];
      for (const one of all) {
        const name = textAt(site, one, "name");
        const what = `repository ${owner}/${name}`;
        // As Argo CD's: the labels of its issues stand for those of the repository.
        const labels = await list(`${repositoryPath(owner, name)}/labels`, { what, look });
        found.push(
          readRepository(site, { one, owner, labels: labels.map((label) => textAt(site, label, "name")) }),
        );
      }
      return found;
    },
    async listBranches({ organization, name, defaultBranch }, all, look) {
      if (defaultBranch === undefined) return [];
      const path = `${repositoryPath(organization, name)}/branches`;
      const what = `branch ${defaultBranch} of ${organization}/${name}`;
      if (all) return (await list(path, { what, look })).map(readBranch);
      return [
        readBranch((await calls.get(site, `${path}/${pathParts(defaultBranch)}`, { what, look })).body),
      ];
    },
    async hasPath({ organization, name }, { branch, path }, look) {
      const where = `${repositoryPath(organization, name)}/contents/${pathParts(path)}`;
      const asked = calls.get(site, where, { what: path, query: { ref: branch.name }, look });
      return (await unlessMissing(asked)) !== undefined;
    },
    async listPullRequests({ owner, name }, { labels }, look) {
      const path = `${repositoryPath(owner, name)}/pulls`;
      const asked = list(path, { what: `repository ${owner}/${name}`, query: { state: "open" }, look });
      const found = (await unlessMissing(asked))?.map((one) => ({
        number: numberAt(site, one, "number"),
        title: textAt(site, one, "title"),
        author: textAt(site, one, "user", "login"),
        branch: textAt(site, one, "head", "ref"),
        targetBranch: textAt(site, one, "base", "ref"),
        headSha: textAt(site, one, "head", "sha"),
        labels: namesAt(one, "labels"),
      }));
      return found?.filter((one) => hasAll(one.labels, labels));
    },
  };
}

export function giteaSite(settings: HostSettings): HostSite {
  const { api } = settings;
  if (!api) throw new Error("gitea: api is missing, the address of the server");
  const headers = plainHeaders(settings, (token) => ({ authorization: `token ${token}` }));
  return siteOf(settings, { name: "Gitea", base: `${withoutEndSlashes(api)}/api/v1`, headers });
}

function readRepository(
  site: HostSite,
  { one, owner, labels }: { one: unknown; owner: string; labels: readonly string[] },
): HostedRepository {
  const branch = valueAt(one, "default_branch");
  const isEmpty = valueAt(one, "empty") === true || typeof branch !== "string" || branch === "";
  return {
    organization: owner,
    name: textAt(site, one, "name"),
    key: textAt(site, one, "name"),
    id: idAt(one, "id"),
    sshUrl: textAt(site, one, "ssh_url"),
    // As Argo CD's: git takes it without .git too.
    httpsUrl: textAt(site, one, "html_url"),
    defaultBranch: isEmpty ? undefined : branch,
    isArchived: valueAt(one, "archived") === true,
    labels,
  };
}
