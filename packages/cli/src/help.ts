import { type Command, globalFlags } from "./command.ts";
import { type CommandEntry, commands } from "./commands.ts";
import { flagTable } from "./flag-table.ts";
import { formatTable } from "./output/table.ts";

/** Help of `capstan` or of a group such as `capstan app`. */
export function groupHelp(group: string, extra: readonly Pick<CommandEntry, "name" | "summary">[]): string {
  const prefix = group === "" ? "" : `${group} `;
  const rows = new Map<string, string>();
  for (const { name, summary } of [...commands, ...extra]) {
    if (!name.startsWith(prefix)) continue;
    const [first = "", second] = name.slice(prefix.length).split(" ");
    rows.set(first, second === undefined ? summary : (groupSummaries[first] ?? ""));
  }
  const call = group === "" ? "capstan" : `capstan ${group}`;
  const table = formatTable([...rows].map(([name, summary]) => [`  ${name}`, summary]));
  const intro =
    group === "" ? "GitOps continuous delivery for Kubernetes in which every renderer is a plugin.\n\n" : "";
  return `${intro}Usage: ${call} COMMAND\n\nCommands:\n${table}\nMore on one of them: ${call} COMMAND --help\n`;
}

const groupSummaries: Readonly<Record<string, string>> = {
  app: "Applications",
  repo: "Repositories",
  proj: "Projects",
  plugin: "Plugins: those that are there, and writing one",
  cluster: "Clusters",
  account: "Accounts and rights",
};

export function commandHelp(name: string, { usage, help, examples = [], flags }: Command): string {
  const call = `capstan ${name}${usage ? ` ${usage}` : ""} [flags]`;
  const shown =
    examples.length > 0 ? `\nExamples:\n${examples.map((example) => `  ${example}\n`).join("")}` : "";
  const own = Object.keys(flags).length > 0 ? `\nFlags:\n${flagTable(flags)}` : "";
  return `${help}\n\nUsage: ${call}\n${shown}${own}\nGlobal flags:\n${flagTable(globalFlags)}`;
}
