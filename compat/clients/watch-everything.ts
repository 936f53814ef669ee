import type { Target } from "./clusters.ts";
import { type Change, EverythingWatcher } from "./everything-watcher.ts";

/** What a client that watches every kind at once saw of a namespace, and what it could not have seen. */
export interface Watched {
  /** The changes of each object of the test, in the order of arrival. */
  seen: Readonly<Record<string, readonly string[]>>;
  problems: readonly string[];
}

const namespace = "watched";
const rounds = 12;
const settleLimitMs = 60_000;

/**
 * A client as k9s is one: lists and watches every kind that can be watched, loses all connections in every third
 * round of writing, comes back with the last resourceVersion, and must at the end know what a fresh list says.
 */
export async function watchEverything(target: Target): Promise<Watched> {
  const watcher = await EverythingWatcher.open(target);
  try {
    await watcher.send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (let round = 0; round < rounds; round += 1) {
      await write(watcher, round);
      if (round % 3 === 2) watcher.cutConnections();
    }
    await watcher.send("DELETE", `/api/v1/namespaces/${namespace}`);
    const isGone = () =>
      watcher.changes.some(({ key, type }) => key === `namespaces/${namespace}` && type === "DELETED");
    const signal = AbortSignal.timeout(settleLimitMs);
    // Each kind has a connection of its own: what the last writes did may still be on its way.
    let open = await watcher.disagreements();
    while ((!isGone() || open.length > 0) && !signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      open = await watcher.disagreements();
    }
    const unseen = isGone() ? [] : [`the end of namespace ${namespace} was not seen`];
    const problems = [...watcher.problems, ...open, ...unseen].map((one) => `${target.name}: ${one}`);
    return { seen: groupByObject(watcher.changes), problems };
  } finally {
    await watcher.close();
  }
}

async function write(watcher: EverythingWatcher, round: number): Promise<void> {
  const data = { round: `${round}` };
  const maps = `/api/v1/namespaces/${namespace}/configmaps`;
  const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`;
  await watcher.send("POST", maps, { metadata: { name: `map-${round}` }, data });
  await watcher.send("POST", roles, { metadata: { name: `role-${round}` }, rules: [] });
  if (round === 0) return;
  await watcher.send("PATCH", `${maps}/map-${round - 1}`, { data });
  await watcher.send("PATCH", `${roles}/role-0`, { metadata: { annotations: data } });
  if (round % 2 === 0) await watcher.send("DELETE", `${maps}/map-${round - 1}`);
}

function groupByObject(changes: readonly Change[]): Record<string, readonly string[]> {
  const ours = changes.filter(({ key }) => /\/watched\/(map|role)-\d+$/.test(key));
  const grouped = Map.groupBy(ours, ({ key }) => key);
  const sorted = [...grouped].sort(([left], [right]) => left.localeCompare(right));
  return Object.fromEntries(sorted.map(([key, all]) => [key, all.map(({ type }) => type)]));
}
