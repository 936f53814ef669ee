import { isRecord } from "@capstan/formats";
import { isConflict, type KubeClient, type SettingsSource } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { untilSettings } from "../live-waits.ts";
import { type AccountToken, readTokens, secretPrefix } from "../session/accounts.ts";

export interface TokenNeeds extends Pick<ApiContext, "clock" | "controlNamespace"> {
  kube: Pick<KubeClient, "get" | "replace">;
  settings: Pick<SettingsSource, "current" | "onChange">;
}

const attempts = 10;

/**
 * Changes the list of an account's tokens in argocd-secret, which Argo CD's server reads as well
 * (util/settings/accounts.go saveAccount). `change` is called again when somebody else wrote meanwhile.
 */
export async function changeTokens(
  { kube, settings, clock, controlNamespace: namespace }: TokenNeeds,
  { account, change }: { account: string; change(tokens: readonly AccountToken[]): AccountToken[] },
  signal: AbortSignal,
): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Secret", name: "argocd-secret", namespace };
  const key = `${secretPrefix(account)}.tokens`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const secret = await kube.get(ref, signal);
    if (secret === undefined) throw new CapstanError({ code: "NOT_FOUND", what: "Secret argocd-secret" });
    const data = isRecord(secret.data) ? secret.data : {};
    const text = JSON.stringify(change(readTokens(decoded(data[key]))));
    const next = { ...secret, data: { ...data, [key]: Buffer.from(text).toString("base64") } };
    const written = await kube.replace(next, { signal }).catch((error: unknown) => {
      if (isConflict(error)) return undefined;
      throw error;
    });
    if (written === undefined) continue;
    await untilSettings(settings, ({ secret: read }) => read[key] === text, { clock, signal });
    return;
  }
  throw new CapstanError({ code: "CONFLICT", what: "Secret argocd-secret" });
}

function decoded(base64: unknown): string | undefined {
  return typeof base64 === "string" ? Buffer.from(base64, "base64").toString("utf8") : undefined;
}
