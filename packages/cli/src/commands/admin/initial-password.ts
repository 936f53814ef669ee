import { isRecord } from "@capstan/formats";
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
    const password = isRecord(found?.data) ? found.data.password : undefined;
    if (typeof password !== "string")
      throw new ExitError(
        `${namespace} has no Secret ${secretName} with a password: it is deleted once the password is changed`,
        20,
      );
    io.out(
      `${Buffer.from(password, "base64").toString("utf8")}\n\n This password must be only used for first time login. We strongly recommend you update the password using \`capstan account update-password\`.\n`,
    );
    return 0;
  },
});
