import { readRecipient } from "@capstan/engine";
import { dumpYaml } from "@capstan/formats/yaml";
import { messageOf } from "@capstan/model";
import { printNotification } from "@capstan/planning";
import { defineCommand, ExitError } from "../../command.ts";
import { notificationFlags, openNotifications } from "./notification-settings.ts";

/** A message that its receiver has not taken by then has failed. */
const limitMs = 60_000;

export default defineCommand({
  usage: "NAME RESOURCE_NAME",
  help: "Print what a template says of an application, from a file or the cluster; or send it with --recipient.",
  examples: [
    "capstan admin notifications template notify app-sync-succeeded guestbook",
    "capstan admin notifications template notify app-sync-succeeded guestbook --recipient slack:my-channel",
  ],
  argument: "none",
  arity: [2, 2],
  flags: {
    ...notificationFlags,
    recipient: {
      kind: "strings",
      help: "Whom to send it to, repeatable; console prints it",
      value: "SERVICE:RECIPIENT",
      byDefault: "console:stdout",
    },
  },
  async run({ args: [name = "", resource = ""], flags, io, api }) {
    await using notifications = await openNotifications(flags, io);
    const { setup } = notifications;
    const subject = await notifications.subject(resource, api);
    for (const recipient of flags.recipient ?? ["console:stdout"]) {
      const to = readRecipient(recipient);
      try {
        const service = setup.services.get(to.service);
        const printed = await printNotification(
          setup,
          { templates: [name], to },
          { subject, signal: io.signal },
        );
        if (to.service === "console") io.out(dumpYaml(printed));
        else if (!service) throw new Error(`notification service '${to.service}' is not supported`);
        else {
          const signal = AbortSignal.any([io.signal, AbortSignal.timeout(limitMs)]);
          await service.send(printed, to.recipient, { signal });
        }
      } catch (error) {
        io.signal.throwIfAborted();
        throw new ExitError(`failed to notify '${recipient}': ${messageOf(error)}`, 1);
      }
    }
    return 0;
  },
});
