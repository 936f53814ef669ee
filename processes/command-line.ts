/**
 * `capstan` of the package capstan-cli: the command line alone, for CI jobs. Bundled by tools/pack/bundle-cli.ts, which
 * puts left-out.ts in the place of what needs this machine, plugins or the programs of Capstan.
 */
import { main } from "@capstan/cli";
import { commands, groups } from "./commands.ts";

/** `calledAs`: name of the link by which it was started. The result is the exit code. */
export function runCommandLine(argv: readonly string[], calledAs: string): Promise<number> {
  return main(argv, { calledAs, commands, groups });
}
