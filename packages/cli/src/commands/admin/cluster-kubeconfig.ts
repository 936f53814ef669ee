import { open } from "node:fs/promises";
import { withoutEndSlashes } from "@capstan/formats";
import { dumpYaml } from "@capstan/formats/yaml";
import type { ClusterConfig } from "@capstan/kube";
import { defineCommand, ExitError } from "../../command.ts";
import { compact } from "../../compact.ts";
import { fetchClusters } from "./known-clusters.ts";
import { clusterFlags, openCluster } from "./open-cluster.ts";

export default defineCommand({
  usage: "CLUSTER_URL OUTPUT_PATH",
  help: "Write a kubeconfig with the credentials by which Capstan manages a cluster.",
  examples: ["capstan admin cluster kubeconfig https://10.1.2.3:6443 ./prod.kubeconfig"],
  notes: "What is written holds secrets, and can be read by you alone.\n",
  argument: "none",
  arity: [2, 2],
  flags: clusterFlags,
  async run({ args: [url = "", path = ""], flags, io }) {
    await using cluster = await openCluster(flags, io);
    const known = await fetchClusters(cluster, io.signal);
    const found = known.find(({ server }) => server === withoutEndSlashes(url));
    if (!found) throw new ExitError(`cluster "${url}" does not exist in namespace ${cluster.namespace}`, 20);
    if (!found.settings)
      throw new ExitError(
        `${url} is the cluster that Capstan runs in, of which no credentials are kept: use the kubeconfig by which you have reached it`,
        20,
      );
    await using file = await open(path, "w", 0o600);
    // One that was there already keeps its mode, and nobody shall read along.
    await file.chmod(0o600);
    await file.writeFile(dumpYaml(kubeconfigOf(found.settings.config, cluster.namespace)));
    return 0;
  },
});

const base64 = (pem: string | undefined) =>
  pem === undefined ? undefined : Buffer.from(pem).toString("base64");

/** All is called as the cluster's address (gitops-engine pkg/utils/kube NewKubeConfig). */
function kubeconfigOf(config: ClusterConfig, namespace: string): unknown {
  const { server: name, insecure, serverName, proxyUrl, exec } = config;
  const cluster = compact({
    server: name,
    "insecure-skip-tls-verify": insecure,
    "tls-server-name": serverName,
    "proxy-url": proxyUrl,
    "certificate-authority-data": base64(config.caData),
  });
  const user = compact({
    "client-certificate-data": base64(config.certData),
    "client-key-data": base64(config.keyData),
    token: config.bearerToken,
    username: config.username,
    password: config.password,
    exec: exec && {
      ...compact({ apiVersion: exec.apiVersion, installHint: exec.installHint }),
      command: exec.command,
      args: [...exec.args],
      env: Object.entries(exec.env).map(([key, value]) => ({ name: key, value })),
      interactiveMode: "Never",
      provideClusterInfo: exec.provideClusterInfo ?? false,
    },
  });
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": name,
    contexts: [{ name, context: { cluster: name, user: name, namespace } }],
    clusters: [{ name, cluster }],
    users: [{ name, user }],
  };
}
