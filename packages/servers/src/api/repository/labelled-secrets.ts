import { isDeepStrictEqual } from "node:util";
import { isRecord, withoutEndSlashes } from "@capstan/formats";
import { isAlreadyExists } from "@capstan/kube";
import { CapstanError, labelKeys, type Manifest } from "@capstan/model";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "kube" | "controlNamespace">;

/** A Secret as the settings show it, with what must still be true of it when it is changed. */
export interface StoredSecret {
  readonly secretName: string;
  readonly type: "repository" | "repo-creds" | "repository-write" | "repo-write-creds" | "cluster";
  /** Its decoded fields that say whose it is: address and project. "" stands for one that is absent. */
  readonly holds: Readonly<Record<string, string>>;
}

interface Write {
  /** The one to change; undefined: there is none yet. */
  stored: StoredSecret | undefined;
  upsert: boolean;
  what: string;
  signal: AbortSignal;
}

/**
 * Creates a Secret, or changes the one that holds the same thing when asked to, under whatever name it has. Rights
 * have been asked for by now, on what is stored and on what it becomes.
 */
export async function writeSecret(
  needs: Needs,
  secret: Manifest,
  { stored, upsert, what, signal }: Write,
): Promise<void> {
  const { kube } = needs;
  const existing = stored && (await fetchStored(needs, stored, { what, signal }));
  if (!existing) {
    await kube.create(secret, { signal }).catch((error: unknown) => {
      throw isAlreadyExists(error) ? changedMeanwhile(what) : error;
    });
    return;
  }
  if (isDeepStrictEqual(existing.data, secret.data)) return;
  if (!upsert)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "url",
      problem: `${what} exists already with other settings; use upsert to change it`,
    });
  const { labels, annotations } = secret.metadata;
  const metadata = {
    ...existing.metadata,
    labels: { ...existing.metadata.labels, ...labels },
    annotations: { ...existing.metadata.annotations, ...annotations },
  };
  // The resource version makes the API server refuse the change of what has become something else since.
  await kube.replace({ ...secret, metadata }, { signal });
}

/** Replaces what it holds, with its labels and annotations; refused where somebody has changed it since. */
export async function changeSecret(
  { kube }: Pick<Needs, "kube">,
  { metadata }: Manifest,
  { changed, signal }: { changed: Manifest; signal: AbortSignal },
): Promise<void> {
  const { labels = {}, annotations = {} } = changed.metadata;
  await kube.replace({ ...changed, metadata: { ...metadata, labels, annotations } }, { signal });
}

export async function deleteSecret(
  needs: Needs,
  stored: StoredSecret,
  { what, signal }: { what: string; signal: AbortSignal },
): Promise<void> {
  const existing = await fetchStored(needs, stored, { what, signal });
  if (!existing) throw new CapstanError({ code: "NOT_FOUND", what });
  const { controlNamespace: namespace, kube } = needs;
  await kube.delete(
    { apiVersion: "v1", kind: "Secret", namespace, name: stored.secretName },
    { signal, ...uidOf(existing) },
  );
}

function uidOf({ metadata }: Manifest): { uid?: string } {
  return metadata.uid ? { uid: metadata.uid } : {};
}

/** From the cluster: the settings may be older than a change of whose it is. */
export async function fetchStored(
  { kube, controlNamespace: namespace }: Needs,
  { secretName: name, type, holds }: StoredSecret,
  { what, signal }: { what: string; signal: AbortSignal },
): Promise<Manifest | undefined> {
  const found = await kube.get({ apiVersion: "v1", kind: "Secret", namespace, name }, signal);
  if (!found) return undefined;
  const data = isRecord(found.data) ? found.data : {};
  const isSame = Object.entries(holds).every(([field, text]) => decoded(data[field]) === plain(text));
  if (found.metadata.labels?.[labelKeys.secretType] !== type || !isSame) throw changedMeanwhile(what);
  return found;
}

function decoded(value: unknown): string {
  return typeof value === "string" ? plain(Buffer.from(value, "base64").toString("utf8")) : "";
}

/** As settings read it: without blanks around it, and without the slashes at the end of an address. */
function plain(text: string): string {
  return withoutEndSlashes(text.trim());
}

function changedMeanwhile(what: string): CapstanError {
  return new CapstanError({ code: "CONFLICT", what });
}
