/** A line to whoever has started this program. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
