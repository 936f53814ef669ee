import { createKubeClient, httpTransport } from "@capstan/kube";
import { defineCommand } from "../../command.ts";
import type { Io } from "../../io.ts";
import { formatTable } from "../../output/table.ts";
import { fetchClusters, type KnownCluster, namespacesOf } from "./known-clusters.ts";
import { clusterFlags, type OpenCluster, openCluster } from "./open-cluster.ts";

/** Of Redis and shards: taken for the sake of scripts, and without a meaning here. */
const ofShards = { kind: "string", help: "Without a meaning here", hidden: true } as const;
const switchOfRedis = { ...ofShards, kind: "boolean" } as const;
const shardFlags = {
  "app-state-cache-expiration": ofShards,
  "default-cache-expiration": ofShards,
  "port-forward-redis": switchOfRedis,
  redis: ofShards,
  "redis-ca-certificate": ofShards,
  "redis-client-certificate": ofShards,
  "redis-client-key": ofShards,
  "redis-compress": ofShards,
  "redis-insecure-skip-tls-verify": switchOfRedis,
  "redis-use-tls": switchOfRedis,
  redisdb: ofShards,
  replicas: ofShards,
  sentinel: { ...ofShards, kind: "strings" },
  sentinelmaster: ofShards,
  "sharding-method": ofShards,
} as const;

/** A cluster that does not answer by then has no connection. */
const limitMs = 10_000;

export default defineCommand({
  usage: "",
  help: "Say of each cluster whether it can be reached from here, and what applications have in it.",
  examples: ["capstan admin cluster stats -n argocd"],
  notes:
    "Unknown: its credentials come from a program, which this command does not run. Resources are those that applications name in their status.\n",
  argument: "none",
  arity: [0, 1],
  flags: {
    ...clusterFlags,
    ...shardFlags,
    shard: { kind: "integer", help: "Only clusters with this shard", value: "N", byDefault: "all" },
  },
  async run({ flags, io }) {
    await using cluster = await openCluster(flags, io);
    const wanted = (await fetchClusters(cluster, io.signal)).filter(
      ({ settings }) => (flags.shard ?? -1) < 0 || (settings?.shard ?? 0) === flags.shard,
    );
    const rows = await Promise.all(
      wanted.map(async (known) => {
        const { server, settings, applications } = known;
        const resources = applications.flatMap(({ status }) => status?.resources ?? []);
        const numbers = [namespacesOf(applications).length, applications.length, resources.length];
        return [server, settings?.shard ?? 0, await connectionOf(known, cluster, io), ...numbers].map(String);
      }),
    );
    const head = ["SERVER", "SHARD", "CONNECTION", "NAMESPACES COUNT", "APPS COUNT", "RESOURCES COUNT"];
    io.out(formatTable([head, ...rows]));
    return 0;
  },
});

async function connectionOf(
  { settings }: KnownCluster,
  { client }: OpenCluster,
  io: Io,
): Promise<"Successful" | "Failed" | "Unknown"> {
  // Whoever may write Secrets there shall not choose what runs on the machine of whoever looks.
  if (settings?.config.exec) return "Unknown";
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(limitMs)]);
  try {
    if (!settings) await client.discovery.refresh(signal);
    else {
      await using transport = httpTransport(settings.config, { clock: io.clock });
      await createKubeClient({ transport, userAgent: "capstan", clock: io.clock }).discovery.refresh(signal);
    }
    return "Successful";
  } catch {
    io.signal.throwIfAborted();
    return "Failed";
  }
}
