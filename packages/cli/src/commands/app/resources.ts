import { defineCommand } from "../../command.ts";
import { painter } from "../../output/paint.ts";
import { isObjectFormat, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { formatTree } from "../../output/tree.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";
import { appOutput } from "./show-resources.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "List everything that an application consists of, as it is in the cluster.",
  argument: "application",
  arity: [1, 1],
  flags: {
    output: appOutput,
    orphaned: { kind: "boolean", help: "Only objects that belong to no application" },
    ...appNamespaceFlag,
    project: { kind: "string", help: "Project of the application", value: "PROJECT" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const tree = await onApp(client, ref, () =>
      client.call("getResourceTree", { ...ref, project: flags.project }),
    );
    const orphaned = tree.orphanedNodes ?? [];
    const nodes = flags.orphaned ? [] : (tree.nodes ?? []);
    if (isObjectFormat(flags.output)) {
      await printObject(io, flags.output, [...nodes, ...orphaned]);
      return 0;
    }
    if (flags.output?.startsWith("tree")) {
      const facts = {
        paint: painter(io),
        stateOf: () => "",
        isDetailed: flags.output === "tree=detailed",
        nowMs: io.clock.now(),
      };
      io.out(formatTree([...nodes, ...orphaned], facts));
      return 0;
    }
    const row =
      (isOrphan: boolean) => (node: { group?: string; kind: string; namespace?: string; name: string }) => [
        node.group ?? "",
        node.kind,
        node.namespace ?? "",
        node.name,
        isOrphan ? "Yes" : "No",
      ];
    const rows = [...nodes.map(row(false)), ...orphaned.map(row(true))];
    io.out(formatTable([["GROUP", "KIND", "NAMESPACE", "NAME", "ORPHANED"], ...rows]));
    return 0;
  },
});
