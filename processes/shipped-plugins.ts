import { cdk8s } from "@capstan/plugin-cdk8s";
import { kpt, type WithImage } from "@capstan/plugin-kpt";
import { lovely } from "@capstan/plugin-lovely";
import { sops } from "@capstan/plugin-sops";
import { type ReadSecret, vault } from "@capstan/plugin-vault";

/** The plugins that come with Capstan beside Helm, Kustomize and plain files. */
export function shippedPlugins(
  env: Readonly<Record<string, string | undefined>>,
  { readSecret, withImage }: { readSecret?: ReadSecret; withImage?: WithImage } = {},
) {
  return [
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
