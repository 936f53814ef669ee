import { CapstanError } from "@capstan/model";
import type { EnvVariable } from "./plugin-env.ts";

/** What the protocol's variables are called: none of these names means anything to a loader, a shell or a tool. */
const ofProtocol = /^(ARGOCD_ENV_|ARGOCD_APP_|PARAM_|KUBE_VERSION$|KUBE_API_VERSIONS$|CAPSTAN_REFRESH$)/;
/** Credentials of git, as Argo CD (util/git Creds.Environ) and Capstan give them to a plugin that asks for them. */
const ofGit = new RegExp(
  [
    "^(?:GIT_ASKPASS|GIT_SSH_COMMAND|GIT_TERMINAL_PROMPT|GIT_SSL_(?:CERT|KEY|CAINFO|NO_VERIFY)",
    "GIT_CONFIG_(?:COUNT|KEY_\\d+|VALUE_\\d+)|CAPSTAN_GIT_\\w+|ARGOCD_BINARY_NAME|ARGOCD_ASK_PASS_SOCK",
    "ARGOCD_GIT_\\w+|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY)$",
  ].join("|"),
);

/**
 * The variables of a request by name; entries without a name are dropped, those without a value kept (Argo CD:
 * plugin.go environ). Throws where one is none of the protocol's: `LD_PRELOAD`, `BASH_ENV`, `NODE_OPTIONS` and their
 * like would run code that came with the request's files before or instead of the plugin's.
 */
export function readRequestVariables(
  entries: readonly EnvVariable[],
  { givesGit }: { givesGit: boolean },
): Record<string, string> {
  const named = entries.filter(({ name }) => name !== "");
  for (const { name } of named) {
    if (ofProtocol.test(name) && !/[=\0]/.test(name)) continue;
    if (givesGit && ofGit.test(name)) continue;
    throw new CapstanError({
      code: "INVALID_ARGUMENT",
      field: `variable ${JSON.stringify(name).slice(1, -1)}`,
      problem:
        "may not be set by a request: it could change which program runs. Variables of applications begin with ARGOCD_ENV_, ARGOCD_APP_, PARAM_ or KUBE_; spec.environment of the plugin names those that it takes from its server",
    });
  }
  return Object.fromEntries(named.map(({ name, value }) => [name, value]));
}
