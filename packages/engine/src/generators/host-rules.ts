import { isRecord } from "@capstan/formats";
import { type ApplicationSet, allGenerators } from "@capstan/model";
import { GenerationError } from "./generation-error.ts";

/** What an operator says of hosts of repositories, in argocd-cmd-params-cm. */
export interface HostRules {
  readonly isEnabled: boolean;
  /** Addresses of APIs that sets may name, as they name them; empty: nothing is said. */
  readonly listed: readonly string[];
  /** Secrets need the label secret-type=scm-creds. */
  readonly isStrict: boolean;
}

export const listedHostsKey = "applicationsetcontroller.allowed.scm.providers";

export function readHostRules(params: Readonly<Record<string, string>>): HostRules {
  return {
    isEnabled: params["applicationsetcontroller.enable.scm.providers"] !== "false",
    listed: (params[listedHostsKey] ?? "")
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== ""),
    isStrict: params["applicationsetcontroller.enable.tokenref.strict.mode"] === "true",
  };
}

/**
 * Throws where a set may not ask this address; `isGuarded`: nobody has vouched for it. An operator's list is kept to
 * by all sets (applicationset/generators ScmProviderAllowed), and without one no set elsewhere than in the control
 * namespace names an address (Argo CD does not start then).
 */
export function permitHost(
  { isEnabled, listed }: HostRules,
  { api, isOwn }: { api: string | undefined; isOwn: boolean },
): { isGuarded: boolean } {
  if (!isEnabled)
    throw new GenerationError(
      `applicationsetcontroller.enable.scm.providers of argocd-cmd-params-cm is false`,
    );
  if (api === undefined || api === "") return { isGuarded: false };
  if (listed.includes(api)) return { isGuarded: false };
  if (isOwn && listed.length === 0) return { isGuarded: true };
  throw new GenerationError(
    `the address ${withoutSecrets(api)} is none of ${listedHostsKey} of argocd-cmd-params-cm${isOwn ? "" : ", which sets outside of Capstan's own namespace need"}`,
  );
}

/** An address without what may be a password in it. */
function withoutSecrets(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : "that is no URL";
}

/** Providers of a set's generators with what they are asked with: `field` names the generator's part. */
export function providersOf(
  set: ApplicationSet,
): { field: string; provider: Readonly<Record<string, unknown>> }[] {
  return allGenerators(set).flatMap(({ scmProvider, pullRequest }) =>
    Object.entries({ scmProvider, pullRequest }).flatMap(([kind, generator]) =>
      Object.entries(generator ?? {}).flatMap(([name, provider]) =>
        isRecord(provider) && !["values", "template"].includes(name)
          ? [{ field: `${kind}.${name}`, provider }]
          : [],
      ),
    ),
  );
}
