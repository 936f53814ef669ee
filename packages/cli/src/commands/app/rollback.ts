import { defineCommand, UsageError } from "../../command.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";
import { finishOperation } from "./finish-operation.ts";
import { appOutput } from "./show-resources.ts";

export default defineCommand({
  usage: "APPNAME [ID]",
  help: "Go back to a deployment of the history; without an id to the one before the newest.",
  examples: ["capstan app rollback guestbook", "capstan app rollback guestbook 3 --prune"],
  argument: "application",
  arity: [1, 2],
  flags: {
    prune: { kind: "boolean", help: "Delete what the deployment did not have" },
    "dry-run": { kind: "boolean", help: "Only say what would happen" },
    async: { kind: "boolean", help: "Do not wait for the end" },
    timeout: { kind: "duration", help: "Give up waiting after this time", value: "SECONDS" },
    output: appOutput,
    ...appNamespaceFlag,
  },
  async run({ args: [name = "", idText], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    if (idText !== undefined && !/^\d+$/.test(idText))
      throw new UsageError(`"${idText}" is not an id; see capstan app history ${name}`);
    const request = {
      ...ref,
      ...(idText === undefined ? {} : { id: Number(idText) }),
      ...(flags.prune ? { prune: true } : {}),
      ...(flags["dry-run"] ? { dryRun: true } : {}),
    };
    await onApp(client, ref, () => client.call("rollbackApplication", request));
    if (flags.async) return 0;
    return finishOperation(client, { ref, io, timeoutMs: flags.timeout, output: flags.output });
  },
});
