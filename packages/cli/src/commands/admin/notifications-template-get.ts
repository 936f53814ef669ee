import { stringifyJson } from "@capstan/formats";
import { defineCommand } from "../../command.ts";
import { outputFlag } from "../../output/print-object.ts";
import { formatTable } from "../../output/table.ts";
import { chosen, notificationFlags, openNotifications, printChosen } from "./notification-settings.ts";

export default defineCommand({
  usage: "[NAME]",
  help: "Print the templates of notifications that are set up.",
  examples: [
    "capstan admin notifications template get",
    "capstan admin notifications template get app-sync-succeeded -o yaml",
  ],
  argument: "none",
  arity: [0, 1],
  flags: { ...notificationFlags, output: outputFlag(["json", "yaml", "wide", "name"], "wide") },
  async run({ args: [name = ""], flags, io }) {
    await using notifications = await openNotifications(flags, io);
    const values = chosen(notifications.setup.templates, name).map(
      ([one, { given }]) => [one, given] as const,
    );
    const table = () =>
      formatTable([["NAME", "PREVIEW"], ...values.map(([one, given]) => [one, previewOf(given)])]);
    await printChosen(io, flags.output, { values, table });
    return 0;
  },
});

const mostShown = 100;

/** Of the first line (notifications-engine pkg/services Notification.Preview). */
function previewOf(given: object): string {
  const message: unknown = "message" in given ? given.message : "";
  const text = typeof message === "string" && message !== "" ? message : stringifyJson(given);
  const [line = ""] = text.split("\n");
  return line.length > mostShown ? `${line.slice(0, mostShown - 1)}...` : line;
}
