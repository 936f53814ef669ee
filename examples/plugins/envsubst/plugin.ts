import {
  definePlugin,
  expandEnv,
  isMain,
  type KubernetesObject,
  PluginError,
  servePlugin,
} from "@capstan/plugin-kit";

/**
 * A transformer: ${NAME} in any text of any manifest becomes the application's variable of that name
 * (`plugin.env`) or, without one, Argo CD's (ARGOCD_APP_NAME …). A name that nobody sets is an error.
 */
const plugin = definePlugin({
  name: "envsubst",
  inputs: [],
  transform: (manifests, { env, variables }) =>
    manifests.map((manifest) => substitute(manifest, { ...env, ...variables })),
});

function substitute(manifest: KubernetesObject, known: Readonly<Record<string, string>>): KubernetesObject {
  const where = `${manifest.kind} ${manifest.metadata?.name ?? ""}`;
  const { apiVersion, kind } = manifest;
  return { ...Object(walk(manifest, known, where)), apiVersion, kind };
}

function walk(value: unknown, known: Readonly<Record<string, string>>, where: string): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, known, where));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, known, where)]));
  if (typeof value !== "string") return value;
  for (const [, name = ""] of value.matchAll(/(?<!\$)\$\{([^}]*)\}/g))
    if (known[name] === undefined) throw new PluginError(`${where}: nobody sets $\{${name}}`);
  return value.includes("$" + "{") ? expandEnv(value, known) : value;
}

export default plugin;
if (isMain(import.meta)) await servePlugin(plugin);
