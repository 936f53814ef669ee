import { matchesGlob } from "@capstan/formats";
import { defineCommand } from "../../command.ts";
import { fetchClusters, namespacesOf } from "./known-clusters.ts";
import { keepNamespaces, modeFlags } from "./namespaced-mode.ts";
import { openCluster } from "./open-cluster.ts";

export default defineCommand({
  usage: "PATTERN",
  help: "Manage clusters whose address matches only in the namespaces that applications are in. Changes nothing without --dry-run=false.",
  examples: [
    "capstan admin cluster namespaces enable-namespaced-mode 'https://*.example' --max-namespace-count 3 --dry-run=false",
  ],
  argument: "none",
  arity: [1, 1],
  flags: {
    ...modeFlags,
    "cluster-resources": { kind: "boolean", help: "What is in no namespace too" },
    "max-namespace-count": {
      kind: "integer",
      help: "Leave clusters alone that have more",
      value: "N",
      byDefault: "0",
    },
  },
  async run({ args: [pattern = ""], flags, io }) {
    await using cluster = await openCluster(flags, io);
    for (const known of await fetchClusters(cluster, io.signal)) {
      const namespaces = namespacesOf(known.applications);
      const isMeant = namespaces.length > 0 && namespaces.length <= (flags["max-namespace-count"] ?? 0);
      if (!isMeant || !matchesGlob(pattern, known.server)) continue;
      io.out(`Setting cluster ${known.server} namespaces to [${namespaces.join(" ")}]...`);
      const clusterResources = flags["cluster-resources"] ?? false;
      const next = { namespaces: namespaces.join(","), clusterResources: clusterResources ? "true" : null };
      await keepNamespaces(cluster, { known, next, flags, io });
    }
    return 0;
  },
});
