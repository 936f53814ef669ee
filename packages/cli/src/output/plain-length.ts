// biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences begin with one
const colours = /\x1b\[\d+m/g;

/** Letters that a terminal shows of it. */
export function plainLength(cell: string): number {
  return [...cell.replace(colours, "")].length;
}
