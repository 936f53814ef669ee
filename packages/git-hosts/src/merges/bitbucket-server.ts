import { bitbucketServerSite } from "../bitbucket-server.ts";
import type { HostSettings, RepositoryName } from "../git-host.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

const states = { OPEN: "open", MERGED: "merged" } as const;

/** https://developer.atlassian.com/server/bitbucket/rest/, pull-requests of api/1.0 */
export function bitbucketServerMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  const site = bitbucketServerSite(settings);
  const pathOf = ({ owner, name }: RepositoryName) =>
    `/projects/${encodeURIComponent(owner)}/repos/${encodeURIComponent(name)}/pull-requests`;
  return {
    async find(of, { head, base }, look) {
      const what = `repository ${of.owner}/${of.name}`;
      const query = {
        at: `refs/heads/${head}`,
        direction: "OUTGOING",
        state: "ALL",
        order: "NEWEST",
        limit: 100,
      };
      const { body } = await calls.get(site, pathOf(of), { what, query, look });
      const own = recordsOf(site, valueAt(body, "values")).filter(
        (one) =>
          valueAt(one, "toRef", "id") === `refs/heads/${base}` &&
          valueAt(one, "fromRef", "repository", "id") === valueAt(one, "toRef", "repository", "id"),
      );
      return own.map((one) => {
        const number = numberAt(site, one, "id");
        const state = textAt(site, one, "state");
        return {
          number,
          state: state === "OPEN" || state === "MERGED" ? states[state] : "closed",
          headSha: textAt(site, one, "fromRef", "latestCommit"),
          async change(text, signal) {
            // Whoever is not named again is no reviewer any more.
            const sent = {
              version: numberAt(site, one, "version"),
              title: text.title,
              description: text.body,
              reviewers: valueAt(one, "reviewers") ?? [],
            };
            await calls.post(site, `${pathOf(of)}/${number}`, { what, method: "PUT", body: sent, signal });
          },
        };
      });
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const refOf = (branch: string) => ({
        id: `refs/heads/${branch}`,
        repository: { slug: of.name, project: { key: of.owner } },
      });
      const sent = { title, description: body, fromRef: refOf(head), toRef: refOf(base) };
      const what = `repository ${of.owner}/${of.name}`;
      const made = await calls.post(site, pathOf(of), { what, body: sent, signal });
      const number = numberAt(site, made.body, "id");
      return { number, ...(labels.length > 0 ? { lacks: "Bitbucket has no labels for pull requests" } : {}) };
    },
  };
}
