import { bitbucketSite } from "../bitbucket-cloud.ts";
import type { HostSettings, RepositoryName } from "../git-host.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

const states = { OPEN: "open", MERGED: "merged" } as const;

/** https://developer.atlassian.com/cloud/bitbucket/rest/api-group-pullrequests/ */
export function bitbucketMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  const site = bitbucketSite(settings);
  const pathOf = ({ owner, name }: RepositoryName) =>
    `/repositories/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/pullrequests`;
  return {
    async find(of, { head, base }, look) {
      const what = `repository ${of.owner}/${of.name}`;
      // A name that is repeated is more than one of them.
      const query = new URLSearchParams({
        q: `source.branch.name = ${quoted(head)} AND destination.branch.name = ${quoted(base)}`,
        sort: "-created_on",
        pagelen: "50",
      });
      for (const state of ["OPEN", "MERGED", "DECLINED", "SUPERSEDED"]) query.append("state", state);
      const { body } = await calls.get(site, `${pathOf(of)}?${query}`, { what, look });
      const own = recordsOf(site, valueAt(body, "values")).filter(
        (one) =>
          valueAt(one, "source", "repository", "full_name") ===
          valueAt(one, "destination", "repository", "full_name"),
      );
      return own.map((one) => {
        const number = numberAt(site, one, "id");
        const state = textAt(site, one, "state");
        return {
          number,
          state: state === "OPEN" || state === "MERGED" ? states[state] : "closed",
          headSha: String(valueAt(one, "source", "commit", "hash") ?? ""),
          async change(text, signal) {
            const sent = { title: text.title, description: text.body };
            await calls.post(site, `${pathOf(of)}/${number}`, { what, method: "PUT", body: sent, signal });
          },
        };
      });
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const sent = {
        title,
        description: body,
        source: { branch: { name: head } },
        destination: { branch: { name: base } },
        close_source_branch: true,
      };
      const what = `repository ${of.owner}/${of.name}`;
      const made = await calls.post(site, pathOf(of), { what, body: sent, signal });
      const number = numberAt(site, made.body, "id");
      return { number, ...(labels.length > 0 ? { lacks: "Bitbucket has no labels for pull requests" } : {}) };
    },
  };
}

/** https://developer.atlassian.com/cloud/bitbucket/rest/intro/#querying */
function quoted(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
