import { defineCommand } from "../../command.ts";
import { confirmOneOf } from "../../confirm.ts";
import { clusterId } from "./cluster-id.ts";

const consequence = "Any Apps deploying to this cluster will go to health status Unknown.";
const all = "[y/n/A] where 'A' is to remove all specified clusters";

export default defineCommand({
  usage: "SERVER/NAME...",
  help: "Forget clusters; what was deployed to them stays, and so does the account in them.",
  argument: "cluster",
  arity: [1, 1000],
  flags: { yes: { kind: "boolean", short: "y", help: "Do not ask" } },
  async run({ args, flags, io, api }) {
    const client = await api();
    // Always asked unless --yes says otherwise, as argocd does.
    let asks = flags.yes !== true;
    for (const name of args) {
      const question = `Are you sure you want to remove '${name}'? ${consequence}`;
      const answer = asks ? await confirmOneOf(io, question, { isOneOfMany: args.length > 1, all }) : "yes";
      if (answer === "all") asks = false;
      if (answer === "no") {
        io.out(`The command to remove '${name}' was cancelled.\n`);
        continue;
      }
      await client.call("deleteCluster", clusterId(name));
      io.out(`Cluster '${name}' removed\n`);
    }
    return 0;
  },
});
