import { matchesGlob } from "@capstan/formats";
import { defineCommand } from "../../command.ts";
import { fetchClusters } from "./known-clusters.ts";
import { keepNamespaces, modeFlags } from "./namespaced-mode.ts";
import { openCluster } from "./open-cluster.ts";

export default defineCommand({
  usage: "PATTERN",
  help: "Manage clusters whose address matches in all namespaces again. Changes nothing without --dry-run=false.",
  examples: ["capstan admin cluster namespaces disable-namespaced-mode '*' --dry-run=false"],
  argument: "none",
  arity: [1, 1],
  flags: modeFlags,
  async run({ args: [pattern = ""], flags, io }) {
    await using cluster = await openCluster(flags, io);
    for (const known of await fetchClusters(cluster, io.signal)) {
      if (known.settings?.namespaces === undefined || !matchesGlob(pattern, known.server)) continue;
      io.out(`Disabling namespaced mode for cluster ${known.server}...`);
      await keepNamespaces(cluster, { known, next: { namespaces: null }, flags, io });
    }
    return 0;
  },
});
