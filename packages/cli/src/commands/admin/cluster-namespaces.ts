import { defineCommand } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { fetchClusters, namespacesOf } from "./known-clusters.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

/** More than that are counted. */
const shown = 4;

export default defineCommand({
  usage: "",
  help: "Say which namespaces of each cluster applications are in.",
  examples: ["capstan admin cluster namespaces -n argocd"],
  argument: "none",
  arity: [0, 1],
  flags: clusterFlags,
  async run({ flags, io }) {
    await using cluster = await openCluster(flags, io);
    const rows = (await fetchClusters(cluster, io.signal)).map(({ server, applications }) => {
      const all = namespacesOf(applications);
      const rest = all.length > shown ? ` (total ${all.length})` : "";
      return [server, all.slice(0, shown).join(",") + rest];
    });
    io.out(formatTable([["CLUSTER", "NAMESPACES"], ...rows]));
    return 0;
  },
});
