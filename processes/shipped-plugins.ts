import { cdk8s } from "@capstan/plugin-cdk8s";
import { directory } from "@capstan/plugin-directory";
import { helm } from "@capstan/plugin-helm";
import type { WithImage } from "@capstan/plugin-kit";
import { kpt } from "@capstan/plugin-kpt";
import { kustomize } from "@capstan/plugin-kustomize";
import { lovely } from "@capstan/plugin-lovely";
import { sops } from "@capstan/plugin-sops";
import { type ReadSecret, vault } from "@capstan/plugin-vault";

/** The plugins that come with Capstan: a line for each. */
export function shippedPlugins(
  env: Readonly<Record<string, string | undefined>>,
  { readSecret, withImage }: { readSecret?: ReadSecret; withImage?: WithImage } = {},
) {
  return [
    helm,
    kustomize,
    directory,
    cdk8s(env),
    kpt(env, {
      readDefinitions: async () => (await import("@capstan/cluster/definitions")).builtinDefinitions().byName,
      ...(withImage ? { withImage } : {}),
    }),
    lovely(env),
    sops(env),
    vault(env, readSecret ? { readSecret } : {}),
  ];
}
