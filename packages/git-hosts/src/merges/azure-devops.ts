import { azureSite } from "../azure-devops.ts";
import type { HostSettings, RepositoryName } from "../git-host.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

const states = { active: "open", completed: "merged" } as const;
const version = "api-version=7.1";
/** It takes no longer ones. */
const maxDescription = 4_000;

/** https://learn.microsoft.com/rest/api/azure/devops/git/pull-requests, version 7.1 */
export function azureMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  const site = azureSite(settings);
  const pathOf = ({ owner, name }: RepositoryName) =>
    `/${owner.split("/").map(encodeURIComponent).join("/")}/_apis/git/repositories/${encodeURIComponent(name)}/pullrequests`;
  return {
    async find(of, { head, base }, look) {
      const what = `repository ${of.owner}/${of.name}`;
      const query = {
        "searchCriteria.sourceRefName": `refs/heads/${head}`,
        "searchCriteria.targetRefName": `refs/heads/${base}`,
        "searchCriteria.status": "all",
        $top: 100,
        "api-version": "7.1",
      };
      const { body } = await calls.get(site, pathOf(of), { what, query, look });
      const own = recordsOf(site, valueAt(body, "value")).filter((one) => !valueAt(one, "forkSource"));
      return own.map((one) => {
        const number = numberAt(site, one, "pullRequestId");
        const state = textAt(site, one, "status");
        return {
          number,
          state: state === "active" || state === "completed" ? states[state] : "closed",
          headSha: String(valueAt(one, "lastMergeSourceCommit", "commitId") ?? ""),
          async change(text, signal) {
            const sent = { title: text.title, description: text.body.slice(0, maxDescription) };
            const path = `${pathOf(of)}/${number}?${version}`;
            await calls.post(site, path, { what, method: "PATCH", body: sent, signal });
          },
        };
      });
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const sent = {
        sourceRefName: `refs/heads/${head}`,
        targetRefName: `refs/heads/${base}`,
        title,
        description: body.slice(0, maxDescription),
        ...(labels.length > 0 ? { labels: labels.map((name) => ({ name })) } : {}),
      };
      const what = `repository ${of.owner}/${of.name}`;
      const made = await calls.post(site, `${pathOf(of)}?${version}`, { what, body: sent, signal });
      return { number: numberAt(site, made.body, "pullRequestId") };
    },
  };
}
