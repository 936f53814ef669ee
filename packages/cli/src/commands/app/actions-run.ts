import { defineCommand, ExitError } from "../../command.ts";
import { listPairs } from "../../read-pairs.ts";
import { appNamespaceFlag, readAppName } from "./app-name.ts";
import { requireKind, resourceFlags, selectLiveResources } from "./live-resources.ts";

export default defineCommand({
  usage: "APPNAME ACTION",
  help: "Run an action of one resource, or with --all of all that match.",
  examples: [
    "capstan app actions run guestbook restart --kind Deployment --resource-name web",
    "capstan app actions run guestbook scale --kind Deployment --resource-name web --param replicas=3",
  ],
  argument: "application",
  arity: [2, 2],
  flags: {
    ...resourceFlags,
    ...appNamespaceFlag,
    all: { kind: "boolean", help: "Of all resources that match" },
    param: { kind: "strings", help: "Parameter of the action, name=value", value: "PARAMETER" },
  },
  async run({ args: [name = "", action = ""], flags, io, api }) {
    requireKind(flags);
    const parameters = listPairs("param", flags.param);
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const resources = await selectLiveResources(client, ref, {
      wanted: flags,
      all: flags.all ?? false,
      withApp: true,
    });
    if (resources.some(({ group }) => group !== resources[0]?.group))
      throw new ExitError(
        "Ambiguous resource group. Use flag --group to specify resource group explicitly.",
        1,
      );
    for (const one of resources) {
      await client.call("runResourceAction", {
        ...ref,
        ...one,
        action,
        ...(parameters.length > 0 ? { resourceActionParameters: parameters } : {}),
      });
      if (io.errIsTerminal) io.err(`${action} run on ${one.kind} ${one.resourceName}\n`);
    }
    return 0;
  },
});
