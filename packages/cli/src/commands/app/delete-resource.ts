import { defineCommand } from "../../command.ts";
import { confirmIfEnabled } from "../../confirm.ts";
import { appNamespaceFlag, readAppName } from "./app-name.ts";
import { projectFlag, requireKind, resourceFlags, selectLiveResources } from "./live-resources.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Delete a resource of an application in the cluster, or with --all all that match.",
  examples: [
    "capstan app delete-resource guestbook --kind Pod --resource-name web-1",
    "capstan app delete-resource guestbook --orphaned --kind ConfigMap --all",
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    ...resourceFlags,
    ...projectFlag,
    ...appNamespaceFlag,
    force: { kind: "boolean", help: "Without grace" },
    orphan: { kind: "boolean", help: "Leave what depends on it" },
    orphaned: {
      kind: "boolean",
      help: "Among the objects of its namespace that no application has (app resources --orphaned)",
    },
    all: { kind: "boolean", help: "All resources that match" },
  },
  async run({ args: [name = ""], flags, io, global, api }) {
    requireKind(flags);
    const { force, orphan, project } = flags;
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const wanted = { wanted: flags, all: flags.all ?? false, orphaned: flags.orphaned ?? false };
    for (const one of await selectLiveResources(client, ref, wanted)) {
      const { group, kind, namespace, resourceName } = one;
      const what = `${group}/${kind} ${namespace}/${resourceName}`;
      if (!(await confirmIfEnabled(io, global, `Are you sure you want to delete ${what} ?`))) {
        io.out(`The command to delete ${what} was cancelled.\n`);
        continue;
      }
      await client.call("deleteResource", { ...ref, ...one, project, force, orphan });
      io.err(`Resource '${resourceName}' deleted\n`);
    }
    return 0;
  },
});
