/** `capstan`: the command line, with the commands of the programs that are here. Composes, and waits. */
import { main } from "@capstan/cli";
import { commands, groups } from "./commands.ts";

/** `calledAs`: name of the link by which it was started. The result is the exit code. */
export function runCapstan(argv: readonly string[], calledAs: string): Promise<number> {
  return main(argv, {
    calledAs,
    commands,
    groups,
    shippedPlugins: async (env) => (await import("./shipped-plugins.ts")).shippedPlugins(env),
    makeCertificate: async (host, now) =>
      (await import("@capstan/cluster/certificates")).createSelfMadeCertificate(
        { commonName: host, names: [host] },
        now,
      ),
    forwardPort: async (to, from) => (await import("./local/forward-port.ts")).forwardPort(to, from),
  });
}
