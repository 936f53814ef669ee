import { formatTime } from "@capstan/formats";
import { annotationKeys } from "@capstan/model";
import { defineCommand } from "../../command.ts";
import { appNamespaceFlag, onApp, readAppName } from "./app-name.ts";

export default defineCommand({
  usage: "APPNAME",
  help: "Confirm what waits for a confirmation: that resources or the application are deleted.",
  examples: ["capstan app confirm-deletion guestbook"],
  argument: "application",
  arity: [1, 1],
  flags: appNamespaceFlag,
  async run({ args: [name = ""], flags, io, api }) {
    const client = await api();
    const ref = readAppName(name, flags["app-namespace"]);
    const patch = JSON.stringify({
      metadata: { annotations: { [annotationKeys.deletionApproved]: formatTime(io.clock.now()) } },
    });
    await onApp(client, ref, () => client.call("patchApplication", { ...ref, patch, patchType: "merge" }));
    io.out(`Application '${ref.name}' updated successfully\n`);
    return 0;
  },
});
