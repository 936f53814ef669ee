import { withoutEndSlashes } from "@capstan/formats";
import type { GitHost, HostedRepository, HostSettings } from "./git-host.ts";
import type { HostSite, Look, Query } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { plainHeaders, siteOf } from "./host-site.ts";
import { allPages } from "./pages.ts";
import { numberAt, recordsOf, textAt, textsAt, valueAt } from "./read-answer.ts";

const perPage = 100;

/** https://docs.gitlab.com/api/rest/, version 4 */
export function openGitlab(settings: HostSettings): GitHost {
  const { calls } = settings;
  const site = gitlabSite(settings);
  const list = (path: string, { what, query = {}, look }: { what: string; query?: Query; look: Look }) =>
    allPages(site, async (page) => {
      const answer = await calls.get(site, path, {
        what,
        query: { ...query, per_page: perPage, page },
        look,
      });
      const next = answer.headers["x-next-page"];
      return {
        items: recordsOf(site, answer.body),
        ...(typeof next === "string" && next !== "" ? { next } : {}),
      };
    });
  const readBranch = (one: unknown) => ({
    name: textAt(site, one, "name"),
    sha: textAt(site, one, "commit", "id"),
  });
  return {
    async listRepositories({ owner, withSubgroups = false, withShared = true, topic }, look) {
      const query = { include_subgroups: withSubgroups, with_shared: withShared, topic: topic || undefined };
      const path = `/groups/${encodeURIComponent(owner)}/projects`;
      return (await list(path, { what: `group ${owner}`, query, look })).map((one) => readProject(site, one));
    },
    async listBranches({ key, defaultBranch }, all, look) {
      const path = `/projects/${key}/repository/branches`;
      const what = `project ${key}`;
      if (all) return ((await unlessMissing(list(path, { what, look }))) ?? []).map(readBranch);
      if (defaultBranch === undefined) return [];
      const one = `${path}/${encodeURIComponent(defaultBranch)}`;
      const answer = await unlessMissing(calls.get(site, one, { what, look }));
      return answer ? [readBranch(answer.body)] : [];
    },
    async hasPath({ key }, { branch, path }, look) {
      const repository = `/projects/${key}/repository`;
      const ref = branch.name;
      const file = `${repository}/files/${encodeURIComponent(path)}`;
      if (await unlessMissing(calls.get(site, file, { what: path, query: { ref }, look }))) return true;
      const query = { path, ref, per_page: 1 };
      const folder = await unlessMissing(calls.get(site, `${repository}/tree`, { what: path, query, look }));
      // Older ones list nothing of a folder that is not there; git knows no empty one.
      return folder !== undefined && recordsOf(site, folder.body).length > 0;
    },
    async listPullRequests({ owner, name }, { labels = [], state }, look) {
      const project = owner === "" ? name : `${owner}/${name}`;
      const path = `/projects/${encodeURIComponent(project)}/merge_requests`;
      const query = { labels: labels.length > 0 ? labels.join(",") : undefined, state: state || undefined };
      const found = await unlessMissing(list(path, { what: `project ${project}`, query, look }));
      return found?.map((one) => ({
        number: numberAt(site, one, "iid"),
        title: textAt(site, one, "title"),
        author: textAt(site, one, "author", "username"),
        branch: textAt(site, one, "source_branch"),
        targetBranch: textAt(site, one, "target_branch"),
        headSha: textAt(site, one, "sha"),
        labels: textsAt(one, "labels"),
      }));
    },
  };
}

export function gitlabSite(settings: HostSettings): HostSite {
  const headers = plainHeaders(settings, (token) => ({ "private-token": token }));
  return siteOf(settings, { name: "GitLab", base: gitlabBase(settings.api), headers });
}

function gitlabBase(api: string | undefined): string {
  const base = withoutEndSlashes(api || "https://gitlab.com");
  return base.endsWith("/api/v4") ? base : `${base}/api/v4`;
}

function readProject(site: HostSite, one: unknown): HostedRepository {
  const branch = valueAt(one, "default_branch");
  const topics = textsAt(one, "topics");
  const id = String(numberAt(site, one, "id"));
  return {
    organization: textAt(site, one, "namespace", "full_path"),
    name: textAt(site, one, "path"),
    key: id,
    id,
    sshUrl: textAt(site, one, "ssh_url_to_repo"),
    httpsUrl: textAt(site, one, "http_url_to_repo"),
    defaultBranch: typeof branch === "string" && branch !== "" ? branch : undefined,
    isArchived: valueAt(one, "archived") === true,
    // Before 14.5 they were called tags.
    labels: topics.length > 0 ? topics : textsAt(one, "tag_list"),
  };
}
