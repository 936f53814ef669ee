import { defineCommand } from "@capstan/cli/record";
import { notificationFlags } from "./options.ts";

export default defineCommand({
  usage: "",
  help: "Run the notification controller alone, on a cluster that has Capstan's or Argo CD's objects.",
  notes: "It sends what argocd-notifications-cm says. The CRDs must be there.\n",
  argument: "none",
  arity: [0, 0],
  standsAlone: true,
  ownSignals: true,
  endings: { prefix: "capstan notifications: ", usage: 2, failed: 1, stack: true },
  flags: notificationFlags,
  async run({ flags, io }) {
    await (await import("./run-notifications.ts")).runNotification(flags, io.env);
    return 0;
  },
});
