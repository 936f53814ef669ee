import { labelKeys, type Manifest } from "@capstan/model";
import type { RestRepoCreds, RestRepository } from "@capstan/wire";

/** FNV-1a over 32 bits, with which Argo CD names the Secrets that its API makes (util/db/secrets.go). */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash ^= byte;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
}

export function repositorySecretName(url: string, project: string | undefined): string {
  return `repo-${fnv32a(url + (project ?? ""))}`;
}

export function credentialsSecretName(url: string): string {
  return `creds-${fnv32a(url)}`;
}

export function repositorySecret(repository: RestRepository, namespace: string): Manifest {
  const { repo, connectionState: _, inheritedCreds: _inherited, ...rest } = repository;
  const name = repositorySecretName(repo, repository.project);
  return makeSecret({ name, namespace, type: "repository" }, { url: repo, ...rest });
}

export function credentialsSecret(creds: RestRepoCreds, namespace: string): Manifest {
  return makeSecret({ name: credentialsSecretName(creds.url), namespace, type: "repo-creds" }, { ...creds });
}

function makeSecret(
  { name, namespace, type }: { name: string; namespace: string; type: string },
  fields: Readonly<Record<string, unknown>>,
): Manifest {
  const data: Record<string, string> = {};
  for (const [field, value] of Object.entries(fields)) {
    if (value === undefined || value === "" || value === false || value === 0) continue;
    data[field] = Buffer.from(String(value)).toString("base64");
  }
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name,
      namespace,
      labels: { [labelKeys.secretType]: type },
      annotations: { "managed-by": "argocd.argoproj.io" },
    },
    type: "Opaque",
    data,
  };
}
