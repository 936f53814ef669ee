import { once } from "@capstan/flow";
import { inProcessPlugin, type Plugin } from "@capstan/plugin-kit";
import { applicationSettings } from "./application-settings.ts";
import type { VaultOptions } from "./transform-manifests.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** argocd-vault-plugin's placeholders as a transforming stage, its settings from the application, then from `env`. */
export function vault(env: Env, options: VaultOptions = {}): Plugin {
  const load = once(async () => (await import("./transform-manifests.ts")).manifestTransformer(env, options));
  return inProcessPlugin({
    name: "vault",
    sensitive: true,
    inputs: async (context) => ({
      // Which files hold secrets is known only when the manifests are.
      paths: applicationSettings(context, env).get("AVP_TYPE")?.trim() === "sops" ? [""] : [],
      refs: {},
      facts: context.source.plugin?.env ?? [],
    }),
    transform: async (...given) => (await load())(...given),
  });
}
