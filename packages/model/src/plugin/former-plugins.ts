import { isRecord } from "@capstan/formats";
import { argoApiVersion } from "../application/application.ts";
import { CapstanError } from "../failures/capstan-error.ts";
import { parseYaml } from "../manifest/yaml.ts";
import { errorsOf } from "../validation.ts";
import type { ConfigManagementPlugin } from "./config-management-plugin.ts";
import { readConfigManagementPlugin, validateConfigManagementPlugin } from "./validate-plugin.ts";

/** The key of argocd-cm in which Argo CD before 2.8 looked for plugins. */
export const formerPluginsKey = "configManagementPlugins";

const plainName = /^[A-Za-z0-9]([-.\w]*[A-Za-z0-9])?$/;

/**
 * The plugins of argocd-cm's `configManagementPlugins`, each as the plugin.yaml that stands for it: the name becomes
 * the object's, every other field moves below `spec`. Throws INVALID_SPEC, which names entry and field.
 */
export function readFormerPlugins(text: string): ConfigManagementPlugin[] {
  const what = `${formerPluginsKey} of ConfigMap argocd-cm`;
  const list = parseYaml(text, { file: what }) ?? [];
  if (!Array.isArray(list))
    throw invalid(what, { field: formerPluginsKey, message: "must be a list of plugins" });
  const plugins = list.map((entry: unknown, index) => readEntry(entry, `${what}, entry ${index + 1}`));
  const names = plugins.map(({ metadata }) => metadata.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(what, { field: "name", message: `"${twice}" is there twice` });
  return plugins;
}

function readEntry(entry: unknown, what: string): ConfigManagementPlugin {
  if (!isRecord(entry)) throw invalid(what, { field: "", message: "must be an object" });
  const { name, ...spec } = entry;
  if (typeof name !== "string" || !plainName.test(name))
    throw invalid(what, { field: "name", message: "must be letters, digits, dots and dashes" });
  const plugin = { apiVersion: argoApiVersion, kind: "ConfigManagementPlugin", metadata: { name }, spec };
  const [problem] = errorsOf(validateConfigManagementPlugin(plugin));
  if (problem)
    throw invalid(`${what} (${name})`, { ...problem, field: problem.field.replace(/^spec\./, "") });
  return readConfigManagementPlugin(plugin);
}

function invalid(what: string, { field, message }: { field: string; message: string }): CapstanError {
  return new CapstanError({ code: "INVALID_SPEC", what, problems: [{ field, message, severity: "error" }] });
}
