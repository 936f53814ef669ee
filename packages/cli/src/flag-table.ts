import type { Flags } from "./command.ts";
import { formatTable } from "./output/table.ts";

/** The lines of a help. */
export function flagTable(flags: Flags): string {
  const rows = Object.entries(flags)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([name, { kind, short, value, help, choices, byDefault }]) => {
      const taken = kind === "boolean" ? "" : ` ${value ?? kind.toUpperCase()}`;
      const notes = [
        ...(choices ? [`one of ${choices.join("|")}`] : []),
        ...(byDefault ? [`default ${byDefault}`] : []),
      ];
      return [
        `  ${short ? `-${short},` : "   "} --${name}${taken}`,
        notes.length > 0 ? `${help} (${notes.join("; ")})` : help,
      ];
    });
  return formatTable(rows);
}
