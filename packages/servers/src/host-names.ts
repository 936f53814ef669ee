import { hostname } from "node:os";
import type { SettingsSource } from "@capstan/kube";
import { authorityOf, type HostRules } from "./transport/host-rules.ts";

type General = SettingsSource["current"]["general"];

/** Names of this server: those given at its start, this machine's, and of the addresses in argocd-cm. */
export function hostNames(
  settings: Pick<SettingsSource, "current">,
  given: readonly string[],
): () => HostRules {
  let of: { general: General; rules: HostRules } | undefined;
  return () => {
    const { general } = settings.current;
    if (of?.general !== general) of = { general, rules: { listed: namesOf(general, given) } };
    return of.rules;
  };
}

function namesOf(general: General, given: readonly string[]): string[] {
  const urls = [general.url ?? "", ...general.additionalUrls];
  const fromSettings = urls.map(authorityOf).filter((name) => name !== undefined);
  return [...given, hostname(), ...fromSettings].map((name) => name.toLowerCase());
}
