import { hash } from "node:crypto";
import { credentialFields, labelKeys, type Manifest } from "@capstan/model";
import type { RestRepoCreds, RestRepository } from "@capstan/wire";
import type { RepositoryKind } from "./repository-kind.ts";

/**
 * Name of a Secret that the API makes. Argo CD's are fnv32a of URL and project written together (util/db/secrets.go),
 * which two projects can share and anybody can aim at; those that it made are found by what they hold, and keep theirs.
 */
export function secretName(prefix: string, ...of: readonly (string | undefined)[]): string {
  return `${prefix}-${hash("sha256", JSON.stringify(of.map((part) => part ?? null)), "hex").slice(0, 32)}`;
}

/** What a Secret may hold of what a request brings; all else in a request is left out. */
const allowedFields = [
  "type",
  ...credentialFields,
  "proxy",
  "noProxy",
  "forceHttpBasicAuth",
  "enableOCI",
  "insecureOCIForceHttp",
  "useAzureWorkloadIdentity",
] as const;
const repositoryFields = [
  ...allowedFields,
  "name",
  "project",
  "insecure",
  "insecureIgnoreHostKey",
  "enableLfs",
  "depth",
] as const;

interface Place {
  namespace: string;
  kind: RepositoryKind;
}

export function repositorySecret(repository: RestRepository, { namespace, kind }: Place): Manifest {
  const { repo, project } = repository;
  const name = secretName(kind.prefix, repo, project);
  return makeSecret(
    { name, namespace, type: kind.secretType, url: repo },
    given(repository, repositoryFields),
  );
}

export function credentialsSecret(creds: RestRepoCreds, { namespace, kind }: Place): Manifest {
  const { url } = creds;
  const name = secretName(kind.templatePrefix, url);
  return makeSecret({ name, namespace, type: kind.templateType, url }, given(creds, allowedFields));
}

function given(from: object, fields: readonly string[]): [string, unknown][] {
  return Object.entries(from).filter(([field]) => fields.includes(field));
}

function makeSecret(
  { name, namespace, type, url }: { name: string; namespace: string; type: string; url: string },
  fields: readonly [string, unknown][],
): Manifest {
  const data: Record<string, string> = { url: Buffer.from(url).toString("base64") };
  for (const [field, value] of fields) {
    if (!["string", "number", "boolean"].includes(typeof value)) continue;
    if (value === "" || value === false || value === 0) continue;
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
