import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { appNamespaceFlag, readAppName } from "./app-name.ts";
import { resourceFlags, selectLiveResources } from "./live-resources.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "List the actions that an application's resources offer.",
  examples: ["capstan app actions list guestbook", "capstan app actions list guestbook --kind Deployment"],
  argument: "application",
  arity: [1, 1],
  flags: {
    ...resourceFlags,
    ...appNamespaceFlag,
    out: outputFlag(["json", "yaml"]),
  },
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const resources = await selectLiveResources(client, ref, { wanted: flags, all: true, withApp: true });
    const rows: { Group: string; Kind: string; Name: string; Action: string; Disabled: boolean }[] = [];
    for (const one of resources) {
      const { actions = [] } = await client.call("listResourceActions", { ...ref, ...one });
      for (const action of actions)
        rows.push({
          Group: one.group,
          Kind: one.kind,
          Name: one.resourceName,
          Action: action.name,
          Disabled: action.disabled ?? false,
        });
    }
    if (isObjectFormat(flags.out)) await printObject(io, flags.out, rows);
    else
      io.out(
        formatTable([
          ["GROUP", "KIND", "NAME", "ACTION", "DISABLED"],
          ...rows.map((row) => Object.values(row).map(String)),
        ]),
      );
    return 0;
  },
});
