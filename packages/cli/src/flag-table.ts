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
