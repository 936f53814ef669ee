import { secretTexts } from "@capstan/kube";
import { defineCommand, ExitError } from "../../command.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

const secretName = "argocd-initial-admin-secret";

export default defineCommand({
  usage: "",
  help: "Print the password with which the account admin logs in at first.",
  examples: ["capstan admin initial-password -n argocd"],
  argument: "none",
  arity: [0, 0],
  flags: clusterFlags,
  async run({ flags, io }) {
    await using cluster = await openCluster(flags, io);
    const { client, namespace } = cluster;
    const ref = { apiVersion: "v1", kind: "Secret", namespace, name: secretName };
    const found = await client.get(ref, io.signal);
    const { password } = found ? secretTexts(found) : {};
    if (password === undefined)
      throw new ExitError(
        `${namespace} has no Secret ${secretName} with a password: it is deleted once the password is changed`,
        20,
      );
    io.out(
      `${password}\n\n This password must be only used for first time login. We strongly recommend you update the password using \`capstan account update-password\`.\n`,
    );
    return 0;
  },
});
