import type { Flags } from "../../command.ts";

/** By which a cluster is described (cmd/util/cluster.go AddClusterFlags). */
export const clusterFlags = {
  kubeconfig: { kind: "string", help: "File with the context", value: "FILE", byDefault: "KUBECONFIG" },
  name: { kind: "string", help: "Name of the cluster", value: "NAME", byDefault: "the context" },
  namespace: { kind: "strings", help: "Only this namespace is managed", value: "NAMESPACE" },
  "cluster-resources": { kind: "boolean", help: "With --namespace: what is in no namespace too" },
  "in-cluster": { kind: "boolean", help: "It is the cluster that Capstan runs in" },
  "cluster-endpoint": {
    kind: "string",
    help: "Which address is taken",
    choices: ["kubeconfig", "kube-public", "internal"],
    byDefault: "kubeconfig",
  },
  "service-account": {
    kind: "string",
    help: "An account that is there already",
    value: "NAME",
    byDefault: "argocd-manager, which is made",
  },
  "system-namespace": {
    kind: "string",
    help: "Namespace of the account",
    value: "NAMESPACE",
    byDefault: "kube-system",
  },
  "aws-cluster-name": { kind: "string", help: "Name of an EKS cluster; no account is made", value: "NAME" },
  "aws-role-arn": { kind: "string", help: "Role of AWS", value: "ARN" },
  "aws-profile": { kind: "string", help: "Profile of AWS", value: "NAME" },
  "exec-command": {
    kind: "string",
    help: "Program that gives credentials; no account is made",
    value: "PROGRAM",
  },
  "exec-command-api-version": { kind: "string", help: "Version of what it prints", value: "VERSION" },
  "exec-command-args": { kind: "strings", help: "Its arguments", value: "ARGUMENT" },
  "exec-command-env": { kind: "list", help: "Its variables, name=value", value: "VARIABLE" },
  "exec-command-install-hint": { kind: "string", help: "What is said where it is not there", value: "TEXT" },
  "proxy-url": { kind: "string", help: "Proxy", value: "URL" },
  "disable-compression": { kind: "boolean", help: "Ask for answers as they are" },
  project: { kind: "string", help: "Only for this project", value: "PROJECT" },
  shard: { kind: "integer", help: "Shard of the controller", value: "N" },
  label: { kind: "strings", help: "Label, name=value", value: "LABEL" },
  annotation: { kind: "strings", help: "Annotation, name=value", value: "ANNOTATION" },
} as const satisfies Flags;

export const addFlags = {
  ...clusterFlags,
  upsert: { kind: "boolean", help: "Change a cluster that is there already" },
  yes: { kind: "boolean", short: "y", help: "Do not ask" },
} as const satisfies Flags;
