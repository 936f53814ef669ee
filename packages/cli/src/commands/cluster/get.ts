import type { RestCluster } from "@capstan/wire";
import { defineCommand } from "../../command.ts";
import { isObjectFormat, outputFlag, printObject } from "../../output/print-object.ts";
import { clusterId } from "./cluster-id.ts";

export default defineCommand({
  usage: "SERVER/NAME...",
  help: "Show clusters.",
  examples: ["capstan cluster get in-cluster", "capstan cluster get https://12.34.56.78 -o wide"],
  argument: "cluster",
  arity: [1, 1000],
  flags: {
    output: outputFlag(["wide", "server", "json", "yaml"], "yaml"),
  },
  async run({ args, flags: { output = "yaml" }, io, api }) {
    const client = await api();
    const found: RestCluster[] = [];
    for (const name of args) found.push(await client.call("getCluster", clusterId(name)));
    const [first, ...more] = found;
    if (isObjectFormat(output)) await printObject(io, output, more.length === 0 ? first : found);
    else if (output === "server") io.out(found.map(({ server }) => `${server}\n`).join(""));
    else io.out(found.map(details).join(""));
    return 0;
  },
});

/** cmd/argocd/commands/cluster.go printClusterDetails; what is secret is not among what the server tells. */
function details({ server, name, serverVersion, namespaces = [], config = {} }: RestCluster): string {
  const { tlsClientConfig = {} } = config;
  return [
    "Cluster information\n",
    `  Server URL:            ${server}`,
    `  Server Name:           ${name || "-"}`,
    `  Server Version:        ${serverVersion ?? ""}`,
    `  Namespaces:            ${namespaces.length > 0 ? namespaces.join(", ") : "all namespaces"}`,
    "\nTLS configuration\n",
    `  Client cert:           ${Boolean(tlsClientConfig.certData)}`,
    `  Cert validation:       ${!tlsClientConfig.insecure}`,
    "\nAuthentication\n",
    `  Basic authentication:  ${Boolean(config.username)}`,
    `  oAuth authentication:  ${Boolean(config.bearerToken)}`,
    `  AWS authentication:    ${config.awsAuthConfig !== undefined}`,
    `\nDisable compression: ${config.disableCompression ?? false}`,
    `\nUse proxy: ${Boolean(config.proxyUrl)}`,
    "\n",
  ].join("\n");
}
