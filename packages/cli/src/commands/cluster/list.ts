import type { RestCluster } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import { type Paint, painter } from "../../output/paint.ts";
import { outputFlag, printList } from "../../output/print-object.ts";
import { formatList, roomOf } from "../../output/table.ts";

export default defineCommand({
  usage: "",
  help: "List clusters.",
  argument: "none",
  arity: [0, 0],
  flags: {
    output: outputFlag(["wide", "server", "json", "yaml"], "wide"),
  },
  async run({ flags, io, api }) {
    const { items } = await (await api()).call("listClusters", {});
    const table = () => tableOf(items, painter(io), roomOf(io));
    await printList(io, flags.output, { items, line: ({ server }) => server, table });
    return 0;
  },
});

function tableOf(clusters: readonly RestCluster[], paint: Paint, room: number | undefined): string {
  const rows = clusters.map(({ server, name, serverVersion, connectionState, project, namespaces }) => {
    const status = connectionState?.status ?? "Unknown";
    return [
      namespaces?.length ? `${server} (${namespaces.length} namespaces)` : server,
      name,
      serverVersion ?? "",
      status === "Successful" ? paint("green", status) : status,
      connectionState?.message ?? "",
      project ?? "",
    ];
  });
  return formatList([["SERVER", "NAME", "VERSION", "STATUS", "MESSAGE", "PROJECT"], ...rows], room);
}
