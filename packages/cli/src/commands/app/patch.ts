import { defineCommand, UsageError } from "../../command.ts";
import { printObject } from "../../output/print-object.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Patch an application.",
  examples: [
    `capstan app patch guestbook --type merge --patch '{"spec":{"source":{"targetRevision":"v2"}}}'`,
  ],
  argument: "application",
  arity: [1, 1],
  flags: {
    patch: { kind: "string", help: "The patch as JSON", value: "JSON" },
    type: { kind: "string", help: "Kind of patch", choices: ["json", "merge"], byDefault: "json" },
    ...appNamespaceFlag,
  },
  async run({ args: [name = ""], flags, io, api }) {
    const { patch, type = "json" } = flags;
    if (!patch) throw new UsageError("--patch is missing");
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const app = await onApp(client, ref, () =>
      client.call("patchApplication", { ...ref, patch, patchType: type }),
    );
    await printObject(io, "yaml", app);
    return 0;
  },
});
