import { type Command, type Group, globalFlags } from "./command.ts";
import { flagTable, suggestionTables } from "./flag-table.ts";
import { formatTable } from "./output/table.ts";
import { callOf, type Registry } from "./program.ts";

/** Help of `capstan`: a group is one line. */
export function programHelp(registry: Registry): string {
  const rows = new Map<string, string>();
  for (const { name, summary, hidden } of registry.commands) {
    const [first = ""] = name.split(" ");
    const group = registry.groups.find((one) => one.name === first);
    if (!hidden) rows.set(first, group?.summary ?? summary);
  }
  return `GitOps continuous delivery for Kubernetes in which every renderer is a plugin.\n\n${commandTable("", rows, registry)}`;
}

/** Help of a group such as `capstan app`. */
export function groupHelp(
  { name: group, summary, notes, program, flags }: Group,
  registry: Registry,
): string {
  const rows = new Map<string, string>();
  for (const { name, summary: own, hidden } of registry.commands) {
    if (hidden || !name.startsWith(`${group} `)) continue;
    // The outermost one, which stands last.
    const inner = registry.groups.findLast(
      (one) => one.name.startsWith(`${group} `) && name.startsWith(`${one.name} `),
    );
    rows.set((inner?.name ?? name).slice(group.length + 1), inner?.summary ?? own);
  }
  const intro = program === undefined ? "" : `${summary}.\n\n`;
  const own = flags ? `\nFlags:\n${flagTable(flags)}` : "";
  return `${intro}${commandTable(group, rows, registry)}${own}${notes ? `\n${notes}` : ""}`;
}

function commandTable(group: string, rows: Iterable<readonly [string, string]>, registry: Registry): string {
  const table = formatTable([...rows].map(([name, summary]) => [`  ${name}`, summary]));
  const call = callOf(group, registry);
  return `Usage: ${call} COMMAND\n\nCommands:\n${table}\nMore on one of them: ${call} COMMAND --help\n`;
}

/** `call`: the command's name with that of its program. */
export function commandHelp(call: string, command: Command): string {
  const { usage, help, examples = [], notes, flags, standsAlone } = command;
  const shown =
    examples.length > 0 ? `\nExamples:\n${examples.map((example) => `  ${example}\n`).join("")}` : "";
  const all = standsAlone ? { ...flags, help: globalFlags.help } : flags;
  const own = Object.keys(all).length > 0 ? `\nFlags:\n${flagTable(all)}` : "";
  const global = standsAlone ? "" : `\nGlobal flags:\n${flagTable(globalFlags)}`;
  const hasFlags = !standsAlone || Object.keys(flags).length > 0;
  const words = [call, usage, ...(hasFlags && !usage.includes("[flags]") ? ["[flags]"] : [])];
  const usageLine = `Usage: ${words.filter((word) => word !== "").join(" ")}`;
  return `${help}\n\n${usageLine}\n${shown}${own}${suggestionTables(flags)}${global}${notes ? `\n${notes}` : ""}`;
}
