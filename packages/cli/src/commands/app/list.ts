import { defineCommand } from "../../command.ts";
import { appTable, qualifiedName } from "../../output/app-rows.ts";
import { painter } from "../../output/paint.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { roomOf } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List applications.",
  examples: ["capstan app list", "capstan app list -l team=web -o name"],
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "name", "json", "yaml"], "wide"),
    selector: { kind: "string", short: "l", help: "Label selector", value: "SELECTOR" },
    project: { kind: "list", short: "p", help: "Only of these projects", value: "PROJECT" },
    repo: { kind: "string", short: "r", help: "Only from this repository", value: "URL" },
    path: { kind: "string", short: "P", help: "Only from this path", value: "PATH" },
    cluster: {
      kind: "string",
      short: "c",
      help: "Only to this cluster, by name or address",
      value: "CLUSTER",
    },
    "app-namespace": { kind: "string", short: "N", help: "Only from this namespace", value: "NAMESPACE" },
  },
  async run({ flags, io, api }) {
    const client = await api();
    const { items } = await client.call("listApplications", {
      selector: flags.selector,
      project: flags.project,
      repo: flags.repo,
      // Argo CD's server does not know it: what comes is looked through once more.
      cluster: flags.cluster ? [flags.cluster] : undefined,
      appNamespace: flags["app-namespace"],
    });
    const apps = items.filter(({ spec }) => {
      const { server, name } = spec.destination;
      if (flags.cluster && server !== flags.cluster && name !== flags.cluster) return false;
      return (
        !flags.path || [spec.source ?? [], spec.sources ?? []].flat(2).some(({ path }) => path === flags.path)
      );
    });
    const table = () => appTable(apps, painter(io), roomOf(io));
    await printList(io, flags.output, { items: apps, line: qualifiedName, table });
    return 0;
  },
});
