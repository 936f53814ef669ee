import { evaluateTrigger } from "@capstan/planning";
import { defineCommand, ExitError } from "../../command.ts";
import { formatTable } from "../../output/table.ts";
import { notificationFlags, openNotifications } from "./notification-settings.ts";

export default defineCommand({
  usage: "NAME RESOURCE_NAME",
  help: "Say of each condition of a trigger whether it holds for an application, from a file or the cluster.",
  examples: [
    "capstan admin notifications trigger run on-sync-status-unknown ./sample-app.yaml",
    "capstan admin notifications trigger run on-deployed guestbook --config-map ./argocd-notifications-cm.yaml --secret :empty",
  ],
  argument: "none",
  arity: [2, 2],
  flags: notificationFlags,
  async run({ args: [name = "", resource = ""], flags, io, api }) {
    await using notifications = await openNotifications(flags, io);
    const { setup } = notifications;
    const trigger = setup.triggers.get(name);
    if (!trigger)
      throw new ExitError(
        `trigger with name '${name}' does not exist (found ${[...setup.triggers.keys()].join(", ")})`,
        1,
      );
    const subject = await notifications.subject(resource, api);
    const { results, problems } = await evaluateTrigger(setup, name, { subject, signal: io.signal });
    for (const problem of problems) io.err(`warning: ${problem}\n`);
    const rows = trigger.conditions.map(({ condition }, index) => [
      condition.when,
      String(results[index]?.holds ?? false),
    ]);
    io.out(formatTable([["CONDITION", "RESULT"], ...rows]));
    return 0;
  },
});
