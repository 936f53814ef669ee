import { isRecord } from "@capstan/formats";
import type { ExecConfig } from "./cluster-config.ts";

/** Of the API servers of AKS, as Microsoft registered them for all customers. */
const azureServerId = "6dae42f8-4368-4678-94ff-3960e28e3630";
const apiVersion = "client.authentication.k8s.io/v1beta1";

/**
 * `awsAuthConfig` of a cluster's Secret, by AWS' own program: `aws eks get-token` gives the same signed address of STS
 * as Argo CD's argocd-k8s-auth. undefined where it names no cluster.
 */
export function awsProgram(config: Readonly<Record<string, unknown>>): ExecConfig | undefined {
  const text = (name: string) => (typeof config[name] === "string" ? config[name] : "");
  const [clusterName, roleArn, profile] = [text("clusterName"), text("roleARN"), text("profile")];
  if (clusterName === "") return undefined;
  return {
    command: "aws",
    // Each in one word: none is taken for an option.
    args: [
      ...["eks", "get-token", `--cluster-name=${clusterName}`, "--output=json"],
      ...(roleArn === "" ? [] : [`--role-arn=${roleArn}`]),
      ...(profile === "" ? [] : [`--profile=${profile}`]),
    ],
    env: {},
    apiVersion,
    installHint: "Install the AWS CLI, version 2, and put aws on PATH.",
  };
}

/** What Argo CD's image brings as argocd-k8s-auth, by the clouds' own programs; others as they are. */
export function officialProgram(exec: ExecConfig): ExecConfig {
  if (!/(^|\/)argocd-k8s-auth$/.test(exec.command)) return exec;
  const [cloud, ...flags] = exec.args;
  const { env } = exec;
  switch (cloud) {
    case "aws": {
      const program = awsProgram(readFlags(flags));
      return program ? { ...program, env } : exec;
    }
    case "gcp": {
      const installHint = "Install gke-gcloud-auth-plugin and put it on PATH.";
      return { command: "gke-gcloud-auth-plugin", args: [], env, apiVersion, installHint };
    }
    case "azure": {
      const serverId = env.AAD_SERVER_APPLICATION_ID ?? azureServerId;
      const login = env.AAD_LOGIN_METHOD ?? "workloadidentity";
      const args = ["get-token", `--server-id=${serverId}`, `--login=${login}`];
      const environment = env.AAD_ENVIRONMENT_NAME;
      return {
        command: "kubelogin",
        args: [...args, ...(environment === undefined ? [] : [`--environment=${environment}`])],
        env,
        apiVersion,
        installHint: "Install Azure's kubelogin and put it on PATH.",
      };
    }
    default:
      return exec;
  }
}

const fields: Readonly<Record<string, string>> = {
  "cluster-name": "clusterName",
  "role-arn": "roleARN",
  profile: "profile",
};

/** `--name value` and `--name=value`. */
function readFlags(words: readonly string[]): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (let at = 0; at < words.length; at += 1) {
    const [, name = "", value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(words[at] ?? "") ?? [];
    const field = fields[name];
    if (field === undefined) continue;
    if (value === undefined) at += 1;
    read[field] = value ?? words[at] ?? "";
  }
  return read;
}

/** Whether a cluster's configuration names a program, by itself or through a cloud. */
export function namesProgram(config: unknown): boolean {
  return isRecord(config) && (isRecord(config.execProviderConfig) || isRecord(config.awsAuthConfig));
}
