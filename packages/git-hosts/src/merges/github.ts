import type { HostSettings, RepositoryName } from "../git-host.ts";
import { githubSite } from "../github.ts";
import { HostError } from "../host-error.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

const pathOf = ({ owner, name }: RepositoryName, rest: string) =>
  `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${rest}`;

/** https://docs.github.com/en/rest/pulls/pulls */
export function githubMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  return {
    async find(of, { head, base }, look) {
      const site = await githubSite(settings, of.owner, look.signal);
      const what = `repository ${of.owner}/${of.name}`;
      const query = { head: `${of.owner}:${head}`, base, state: "all", per_page: 100 };
      const { body } = await calls.get(site, pathOf(of, "/pulls"), { what, query, look });
      const own = recordsOf(site, body).filter(
        (one) => valueAt(one, "head", "repo", "id") === valueAt(one, "base", "repo", "id"),
      );
      return own.map((one) => {
        const number = numberAt(site, one, "number");
        const isMerged = typeof valueAt(one, "merged_at") === "string";
        return {
          number,
          state: valueAt(one, "state") === "open" ? "open" : isMerged ? "merged" : "closed",
          headSha: textAt(site, one, "head", "sha"),
          async change(text, signal) {
            const place = await githubSite(settings, of.owner, signal);
            await calls.post(place, pathOf(of, `/pulls/${number}`), {
              what,
              method: "PATCH",
              body: text,
              signal,
            });
          },
        };
      });
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const site = await githubSite(settings, of.owner, signal);
      const what = `repository ${of.owner}/${of.name}`;
      const sent = { title, head, base, body };
      const made = await calls.post(site, pathOf(of, "/pulls"), { what, body: sent, signal });
      const number = numberAt(site, made.body, "number");
      if (labels.length === 0) return { number };
      try {
        const path = pathOf(of, `/issues/${number}/labels`);
        await calls.post(site, path, { what, body: { labels }, signal });
        return { number };
      } catch (error) {
        // The request is there; argocd-image-updater goes on without labels too.
        if (!(error instanceof HostError)) throw error;
        return { number, lacks: `its labels were not set: ${error.message}` };
      }
    },
  };
}
