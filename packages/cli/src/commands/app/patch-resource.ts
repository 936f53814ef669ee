import { defineCommand, UsageError } from "../../command.ts";
import { appNamespaceFlag, readAppName } from "./app-name.ts";
import { projectFlag, requireKind, resourceFlags, selectLiveResources } from "./live-resources.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Patch a resource of an application in the cluster, or with --all all that match.",
  examples: [
    `capstan app patch-resource guestbook --kind ConfigMap --resource-name web --patch '{"data":{"key":"value"}}'`,
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    ...resourceFlags,
    ...projectFlag,
    ...appNamespaceFlag,
    patch: { kind: "string", help: "The patch as JSON", value: "JSON" },
    "patch-type": {
      kind: "string",
      help: "Kind of patch",
      choices: [
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/strategic-merge-patch+json",
      ],
      byDefault: "application/merge-patch+json",
    },
    all: { kind: "boolean", help: "All resources that match" },
  },
  async run({ args: [name = ""], flags, io, api }) {
    requireKind(flags);
    const { patch, project, "patch-type": patchType = "application/merge-patch+json" } = flags;
    if (!patch) throw new UsageError("--patch is missing");
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const wanted = { wanted: flags, all: flags.all ?? false };
    for (const one of await selectLiveResources(client, ref, wanted)) {
      await client.call("patchResource", { ...ref, ...one, project, patch, patchType });
      io.err(`Resource '${one.resourceName}' patched\n`);
    }
    return 0;
  },
});
