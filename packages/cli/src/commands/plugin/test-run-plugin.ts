import type { Clock } from "@capstan/flow";
import type { ShippedPlugins } from "../../command.ts";
import { type Run, runMain } from "../../test-main.ts";

interface Given {
  readonly home: string;
  readonly clock: Clock;
  readonly plugins: ShippedPlugins;
}

/** For tests: `capstan plugin …` as a person with this home calls it. */
export function runPlugin(argv: readonly string[], { home, clock, plugins }: Given): Promise<Run> {
  return runMain(["plugin", ...argv], {
    home,
    env: { PATH: process.env.PATH },
    clock,
    program: { shippedPlugins: async () => plugins },
  });
}
