import { isRecord } from "@capstan/formats";
import type { KubeClient, SettingsSource } from "@capstan/kube";
import { CapstanError } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { untilSettings } from "../live-waits.ts";
import { type AccountToken, readTokens, secretPrefix } from "../session/accounts.ts";
import { writeAnew } from "../write-anew.ts";

export interface TokenNeeds extends Pick<ApiContext, "clock" | "controlNamespace"> {
  kube: Pick<KubeClient, "get" | "replace">;
  settings: Pick<SettingsSource, "current" | "onChange">;
}

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
  const what = "Secret argocd-secret";
  const written = await writeAnew(what, async () => {
    const secret = await kube.get(ref, signal);
    if (secret === undefined) throw new CapstanError({ code: "NOT_FOUND", what });
    const data = isRecord(secret.data) ? secret.data : {};
    const text = JSON.stringify(change(readTokens(decoded(data[key]))));
    const next = { ...secret, data: { ...data, [key]: Buffer.from(text).toString("base64") } };
    await kube.replace(next, { signal });
    return text;
  });
  await untilSettings(settings, ({ secret }) => secret[key] === written, { clock, signal });
}

function decoded(base64: unknown): string | undefined {
  return typeof base64 === "string" ? Buffer.from(base64, "base64").toString("utf8") : undefined;
}
