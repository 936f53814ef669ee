import { lookup } from "node:dns/promises";
import type { RepoEndpoint } from "./dial-repo.ts";

/** Behind a name may stand so many; more are left out. */
const maxEndpoints = 100;

/** What the names of repo servers stand for now: a headless Service's name for each of its Pods. */
export async function findEndpoints(
  places: readonly { readonly host: string; readonly port: number }[],
): Promise<ReadonlyMap<string, RepoEndpoint>> {
  const found = await Promise.allSettled(places.map(({ host }) => lookup(host, { all: true })));
  const endpoints = places.flatMap(({ host, port }, index) => {
    const one = found[index];
    if (one?.status !== "fulfilled") return [];
    return one.value.map(({ address }): [string, RepoEndpoint] => [
      `${address.includes(":") ? `[${address}]` : address}:${port}`,
      { host, address, port },
    ]);
  });
  const failed = found.find((one) => one.status === "rejected");
  if (endpoints.length === 0 && failed) throw failed.reason;
  return new Map(endpoints.slice(0, maxEndpoints));
}
