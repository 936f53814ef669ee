import type { HostSettings, RepositoryName } from "../git-host.ts";
import { gitlabSite } from "../gitlab.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

const states = { opened: "open", locked: "open", merged: "merged" } as const;

/** https://docs.gitlab.com/api/merge_requests/ */
export function gitlabMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  const site = gitlabSite(settings);
  const projectOf = ({ owner, name }: RepositoryName) => (owner === "" ? name : `${owner}/${name}`);
  const pathOf = (of: RepositoryName) => `/projects/${encodeURIComponent(projectOf(of))}/merge_requests`;
  return {
    async find(of, { head, base }, look) {
      const what = `project ${projectOf(of)}`;
      const query = { source_branch: head, target_branch: base, state: "all", per_page: 100 };
      const { body } = await calls.get(site, pathOf(of), { what, query, look });
      const own = recordsOf(site, body).filter(
        (one) => valueAt(one, "source_project_id") === valueAt(one, "target_project_id"),
      );
      return own.map((one) => {
        const number = numberAt(site, one, "iid");
        const state = textAt(site, one, "state");
        return {
          number,
          state: state === "opened" || state === "locked" || state === "merged" ? states[state] : "closed",
          headSha: textAt(site, one, "sha"),
          async change(text, signal) {
            const sent = { title: text.title, description: text.body };
            await calls.post(site, `${pathOf(of)}/${number}`, { what, method: "PUT", body: sent, signal });
          },
        };
      });
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const sent = {
        source_branch: head,
        target_branch: base,
        title,
        description: body,
        // What has been merged is not built upon again.
        remove_source_branch: true,
        ...(labels.length > 0 ? { labels: labels.join(",") } : {}),
      };
      const what = `project ${projectOf(of)}`;
      const made = await calls.post(site, pathOf(of), { what, body: sent, signal });
      return { number: numberAt(site, made.body, "iid") };
    },
  };
}
