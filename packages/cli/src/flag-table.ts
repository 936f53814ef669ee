import type { Flags } from "./command.ts";
import { formatTable } from "./output/table.ts";

/** The lines of a help. */
export function flagTable(flags: Flags): string {
  const rows = Object.entries(flags)
    .filter(([, { hidden }]) => !hidden)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { kind, short, value, help, choices, byDefault, env }]) => {
      const taken = kind === "boolean" ? "" : ` ${value ?? kind.toUpperCase()}`;
      const defaults = [byDefault, env].filter((one) => one !== undefined);
      const notes = [
        ...(choices ? [`one of ${choices.join("|")}`] : []),
        ...(defaults.length > 0 ? [`default ${defaults.join(", or ")}`] : []),
      ];
      return [
        `  ${short ? `-${short},` : "   "} --${name}${taken}`,
        notes.length > 0 ? `${help} (${notes.join("; ")})` : help,
      ];
    });
  return formatTable(rows);
}

/** Tables of the values that flags are told to suggest. */
export function suggestionTables(flags: Flags): string {
  const tables = Object.entries(flags).map(([flag, { suggestions = [] }]) => {
    const rows = suggestions.map(({ name, values, help }) => [`  ${name}=${values.join("|")}`, help]);
    return rows.length > 0 ? `\nValues of --${flag}:\n${formatTable(rows)}` : "";
  });
  return tables.join("");
}
