import { isDeepStrictEqual } from "node:util";
import { normalizeGitUrl, type Settings } from "@capstan/kube";
import { CapstanError, type Manifest } from "@capstan/model";
import type { ApiContext } from "../context.ts";

type Needs = Pick<ApiContext, "kube" | "controlNamespace"> & { settings: { readonly current: Settings } };

interface Write {
  upsert: boolean;
  what: string;
  /** Throws when the caller may not change what is there. */
  mayReplace(): void;
  signal: AbortSignal;
}

/** Creates a Secret, or replaces one of the same name when asked to. */
export async function writeSecret(
  { kube }: Pick<Needs, "kube">,
  secret: Manifest,
  { upsert, what, mayReplace, signal }: Write,
): Promise<void> {
  const { name = "", namespace } = secret.metadata;
  const existing = await kube.get({ apiVersion: "v1", kind: "Secret", name, namespace }, signal);
  if (existing === undefined) {
    await kube.create(secret, { signal });
    return;
  }
  if (isDeepStrictEqual(existing.data, secret.data)) return;
  if (!upsert)
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: "url",
      problem: `${what} exists already with other settings; use upsert to change it`,
    });
  mayReplace();
  const { resourceVersion } = existing.metadata;
  const metadata = { ...secret.metadata, ...(resourceVersion ? { resourceVersion } : {}) };
  await kube.replace({ ...secret, metadata }, { signal });
}

interface SecretQuery {
  type: "repository" | "repo-creds";
  url: string;
  project?: string | undefined;
}

/** Name of the Secret that holds a repository or a credential template, whoever made it. */
export function findSecret(
  { settings }: Pick<Needs, "settings">,
  { type, url, project }: SecretQuery,
): string {
  const { repositories, credentialTemplates } = settings.current;
  const held = type === "repository" ? repositories : credentialTemplates;
  const wanted = normalizeGitUrl(url);
  const found = held.find((one) => normalizeGitUrl(one.url) === wanted && one.project === project);
  if (!found) throw new CapstanError({ code: "NOT_FOUND", what: `${type} "${url}"` });
  return found.secret.secretName;
}
