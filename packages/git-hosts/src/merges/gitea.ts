import type { HostSettings, RepositoryName } from "../git-host.ts";
import { giteaSite } from "../gitea.ts";
import { allPages, nextLinked } from "../pages.ts";
import { numberAt, recordsOf, textAt, valueAt } from "../read-answer.ts";
import type { MergeHost } from "./merge-host.ts";

/** https://docs.gitea.com/api/, version 1; of a branch it lists nothing, so that all are looked through. */
export function giteaMerges(settings: HostSettings): MergeHost {
  const { calls } = settings;
  const site = giteaSite(settings);
  const pathOf = ({ owner, name }: RepositoryName, rest: string) =>
    `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}${rest}`;
  return {
    async find(of, { head, base }, look) {
      const what = `repository ${of.owner}/${of.name}`;
      const all = await allPages(site, async (page) => {
        const query = { state: "all", sort: "recentupdate", limit: 50, page: page ?? 1 };
        const answer = await calls.get(site, pathOf(of, "/pulls"), { what, query, look });
        return { items: recordsOf(site, answer.body), next: nextLinked(answer) };
      });
      const own = all.filter(
        (one) =>
          valueAt(one, "head", "ref") === head &&
          valueAt(one, "base", "ref") === base &&
          valueAt(one, "head", "repo_id") === valueAt(one, "base", "repo_id"),
      );
      const found = own.map((one) => {
        const number = numberAt(site, one, "number");
        const isOpen = valueAt(one, "state") === "open";
        const isMerged = valueAt(one, "merged") === true;
        const state = isOpen ? ("open" as const) : isMerged ? ("merged" as const) : ("closed" as const);
        return {
          number,
          state,
          headSha: textAt(site, one, "head", "sha"),
          async change(text: object, signal: AbortSignal) {
            const path = pathOf(of, `/pulls/${number}`);
            await calls.post(site, path, { what, method: "PATCH", body: text, signal });
          },
        };
      });
      return found.sort((left, right) => right.number - left.number);
    },
    async open(of, { head, base, title, body, labels }, signal) {
      const what = `repository ${of.owner}/${of.name}`;
      const known = labels.length === 0 ? [] : await labelsOf(of, signal);
      const ids = known.filter(({ name }) => labels.includes(name)).map(({ id }) => id);
      const sent = { title, head, base, body, ...(ids.length > 0 ? { labels: ids } : {}) };
      const made = await calls.post(site, pathOf(of, "/pulls"), { what, body: sent, signal });
      const missing = labels.filter((label) => !known.some(({ name }) => name === label));
      const lacks = `the repository has no label ${missing.join(", ")}`;
      return { number: numberAt(site, made.body, "number"), ...(missing.length > 0 ? { lacks } : {}) };
    },
  };

  async function labelsOf(of: RepositoryName, signal: AbortSignal) {
    const look = { signal, notBeforeMs: calls.clock.now() };
    const what = `repository ${of.owner}/${of.name}`;
    const all = await allPages(site, async (page) => {
      const query = { limit: 50, page: page ?? 1 };
      const answer = await calls.get(site, pathOf(of, "/labels"), { what, query, look });
      return { items: recordsOf(site, answer.body), next: nextLinked(answer) };
    });
    return all.map((one) => ({ id: numberAt(site, one, "id"), name: textAt(site, one, "name") }));
  }
}
