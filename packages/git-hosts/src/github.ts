import { withoutEndSlashes } from "@capstan/formats";
import type { GitHost, HostedBranch, HostedRepository, HostSettings, PullRequest } from "./git-host.ts";
import { githubHeaders } from "./github-app.ts";
import type { HostSite, Look } from "./host-calls.ts";
import { unlessMissing } from "./host-error.ts";
import { siteOf } from "./host-site.ts";
import { allPages, nextLinked } from "./pages.ts";
import {
  hasAll,
  idAt,
  namesAt,
  numberAt,
  pathParts,
  recordsOf,
  textAt,
  textsAt,
  valueAt,
} from "./read-answer.ts";

const perPage = 100;

/** https://docs.github.com/en/rest, version 2022-11-28; GitHub Enterprise Server the same under /api/v3. */
export function openGithub(settings: HostSettings): GitHost {
  const { calls } = settings;
  const base = githubBase(settings.api);
  const siteFor = (owner: string, { signal }: Look) => githubSite(settings, owner, signal);
  const list = async (owner: string, path: string, { what, look }: { what: string; look: Look }) => {
    const site = await siteFor(owner, look);
    return allPages(site, async (page) => {
      const answer = await calls.get(site, path, { what, query: { per_page: perPage, page }, look });
      return { items: recordsOf(site, answer.body), next: nextLinked(answer) };
    });
  };
  const named = siteOf(settings, { name: "GitHub", base });
  return {
    async listRepositories({ owner }, look) {
      const what = `organization ${owner}`;
      const found = await list(owner, `/orgs/${encodeURIComponent(owner)}/repos`, { what, look });
      return found.map((one) => readRepository(named, one));
    },
    async listBranches({ organization, name, defaultBranch }, all, look) {
      if (defaultBranch === undefined) return [];
      const path = `${repositoryPath(organization, name)}/branches`;
      const what = `repository ${organization}/${name}`;
      if (all) return (await list(organization, path, { what, look })).map((one) => readBranch(named, one));
      const one = `${path}/${encodeURIComponent(defaultBranch)}`;
      // Where there is no default branch, the repository is empty.
      const answer = await unlessMissing(calls.get(await siteFor(organization, look), one, { what, look }));
      return answer ? [readBranch(named, answer.body)] : [];
    },
    async hasPath({ organization, name }, { branch, path }, look) {
      const where = `${repositoryPath(organization, name)}/contents/${pathParts(path)}`;
      const site = await siteFor(organization, look);
      const asked = calls.get(site, where, { what: path, query: { ref: branch.name }, look });
      return (await unlessMissing(asked)) !== undefined;
    },
    async listPullRequests({ owner, name }, { labels }, look) {
      const what = `repository ${owner}/${name}`;
      const found = await unlessMissing(list(owner, `${repositoryPath(owner, name)}/pulls`, { what, look }));
      return found?.map((one) => readPullRequest(named, one)).filter((one) => hasAll(one.labels, labels));
    },
  };
}

/** An installation of an App is found by whose repositories are asked for. */
export async function githubSite(
  settings: HostSettings,
  owner: string,
  signal: AbortSignal,
): Promise<HostSite> {
  const site = siteOf(settings, { name: "GitHub", base: githubBase(settings.api) });
  return {
    ...site,
    headers: { ...versioned, ...(await githubHeaders(site, { ...settings, owner, signal })) },
  };
}

const versioned = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" };

/** As go-github's WithEnterpriseURLs completes what people write. */
export function githubBase(api: string | undefined): string {
  if (!api) return "https://api.github.com";
  const base = withoutEndSlashes(api);
  const host = URL.canParse(base) ? new URL(base).hostname : "";
  const isWhole = base.endsWith("/api/v3") || host.startsWith("api.") || host.includes(".api.");
  return isWhole ? base : `${base}/api/v3`;
}

function repositoryPath(owner: string, name: string): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

function readRepository(site: HostSite, one: unknown): HostedRepository {
  const branch = valueAt(one, "default_branch");
  return {
    organization: textAt(site, one, "owner", "login"),
    name: textAt(site, one, "name"),
    key: textAt(site, one, "name"),
    id: idAt(one, "id"),
    sshUrl: textAt(site, one, "ssh_url"),
    httpsUrl: textAt(site, one, "clone_url"),
    defaultBranch: typeof branch === "string" && branch !== "" ? branch : undefined,
    isArchived: valueAt(one, "archived") === true,
    labels: textsAt(one, "topics"),
  };
}

function readBranch(site: HostSite, one: unknown): HostedBranch {
  return { name: textAt(site, one, "name"), sha: textAt(site, one, "commit", "sha") };
}

function readPullRequest(site: HostSite, one: unknown): PullRequest {
  return {
    number: numberAt(site, one, "number"),
    title: textAt(site, one, "title"),
    author: textAt(site, one, "user", "login"),
    branch: textAt(site, one, "head", "ref"),
    targetBranch: textAt(site, one, "base", "ref"),
    headSha: textAt(site, one, "head", "sha"),
    labels: namesAt(one, "labels"),
  };
}
