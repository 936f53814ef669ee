import { conditionsOf } from "@capstan/planning";
import { defineCommand } from "../../command.ts";
import { outputFlag } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { chosen, notificationFlags, openNotifications, printChosen } from "./notification-settings.ts";

export default defineCommand({
  usage: "[NAME]",
  help: "Print the triggers of notifications that are set up.",
  examples: [
    "capstan admin notifications trigger get",
    "capstan admin notifications trigger get on-sync-failed -o yaml",
  ],
  argument: "none",
  arity: [0, 1],
  flags: { ...notificationFlags, output: outputFlag(["json", "yaml", "wide", "name"], "wide") },
  async run({ args: [name = ""], flags, io }) {
    await using notifications = await openNotifications(flags, io);
    const found = chosen(notifications.setup.triggers, name).map(
      ([one, trigger]) => [one, conditionsOf(trigger)] as const,
    );
    const table = () => {
      const rows = found.flatMap(([one, conditions]) =>
        conditions.map(({ send, when }, index) => [index > 0 ? "" : one, send.join(", "), when]),
      );
      return formatTable([["NAME", "TEMPLATE", "CONDITION"], ...rows]);
    };
    const values = found.map(([one, conditions]) => [one, conditions.map(said)] as const);
    await printChosen(io, flags.output, { values, table });
    return 0;
  },
});

/** Without what is not said (json: omitempty). */
function said({ oncePer, when, description, send }: ReturnType<typeof conditionsOf>[number]): object {
  return {
    ...(oncePer ? { oncePer } : {}),
    ...(when ? { when } : {}),
    ...(description ? { description } : {}),
    ...(send.length > 0 ? { send } : {}),
  };
}
