import { cdk8s, kpt, lovely, type ReadSecret, sops, vault, type WithImage } from "@capstan/plugins";

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
