import { defineCommand } from "../../command.ts";
import { askLine } from "../../confirm.ts";
import type { Io } from "../../io.ts";
import { clusterId } from "./cluster-id.ts";

export default defineCommand({
  usage: "SERVER/NAME...",
  help: "Forget clusters; what was deployed to them stays, and so does the account in them.",
  argument: "cluster",
  arity: [1, 1000],
  flags: { yes: { kind: "boolean", short: "y", help: "Do not ask" } },
  async run({ args, flags, io, api }) {
    const client = await api();
    let asks = flags.yes !== true;
    for (const name of args) {
      const answer = asks ? await askToRemove(io, name, args.length > 1) : "y";
      if (answer === "a") asks = false;
      if (answer === "n") {
        io.out(`The command to remove '${name}' was cancelled.\n`);
        continue;
      }
      await client.call("deleteCluster", clusterId(name));
      io.out(`Cluster '${name}' removed\n`);
    }
    return 0;
  },
});

/** Always asked unless --yes says otherwise, as argocd does. */
async function askToRemove(io: Io, name: string, isOneOfMany: boolean): Promise<"y" | "n" | "a"> {
  const consequence = "Any Apps deploying to this cluster will go to health status Unknown.";
  for (;;) {
    const choice = isOneOfMany ? "[y/n/A] where 'A' is to remove all specified clusters" : "[y/n]";
    const text = await askLine(io, `Are you sure you want to remove '${name}'? ${consequence} ${choice} `);
    const answer = text.trim().toLowerCase();
    if (answer === "y" || answer === "yes") return "y";
    if (answer === "n" || answer === "no") return "n";
    if (isOneOfMany && (answer === "a" || answer === "all")) return "a";
  }
}
