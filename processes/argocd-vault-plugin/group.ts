import type { Endings, Flags, Group } from "@capstan/cli/record";

export const flags = {
  "config-path": {
    kind: "string",
    short: "c",
    help: "Settings as YAML, JSON or NAME=VALUE lines",
    value: "FILE",
  },
  "secret-name": {
    kind: "string",
    short: "s",
    help: "Secret with settings; namespace argocd unless given",
    value: "[NAMESPACE:]NAME",
  },
  "verbose-sensitive-output": {
    kind: "boolean",
    help: "Accepted and without effect: no secret is ever printed",
  },
  "disable-token-cache": {
    kind: "boolean",
    help: "Accepted and without effect: tokens are never written to a disk",
  },
} as const satisfies Flags;

/** 1 where a placeholder has no value, 2 for wrong usage. */
const endings: Endings = { prefix: "Error: ", usage: 2, failed: 1 };

export const vaultGroup: Group = {
  name: "vault-plugin",
  program: "argocd-vault-plugin",
  summary: "Fill placeholders in manifests from a secret store, as argocd-vault-plugin does",
  flags,
  endings,
};
