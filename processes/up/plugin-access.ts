import { readFile } from "node:fs/promises";
import type { Settings } from "@capstan/kube";
import type { RepoServerOptions } from "@capstan/render";
import type { UpOptions } from "./options.ts";

type PluginAccess = NonNullable<RepoServerOptions["pluginAccess"]>;

/** What Capstan shows to plugins that run as Services, and by what it knows them: files first, then the cluster's Secret. */
export async function openPluginAccess(
  options: Pick<UpOptions, "pluginTokenFile" | "pluginCertificateFiles" | "pluginAuthorityFile">,
  settings: { readonly current: Pick<Settings, "pluginTls"> },
): Promise<PluginAccess> {
  const { pluginTokenFile, pluginCertificateFiles, pluginAuthorityFile } = options;
  const token = pluginTokenFile && (await readFile(pluginTokenFile, "utf8")).trim();
  const authority = pluginAuthorityFile && {
    authority: await readFile(pluginAuthorityFile, "utf8"),
    from: "CAPSTAN_PLUGIN_CA_FILE",
  };
  const certificate = pluginCertificateFiles && {
    certificate: await readFile(pluginCertificateFiles.certificate, "utf8"),
    key: await readFile(pluginCertificateFiles.key, "utf8"),
  };
  const files = {
    ...(token === undefined ? {} : { token }),
    ...(authority ? { authority } : {}),
    ...(certificate ? { certificate } : {}),
  };
  return () => ({ ...settings.current.pluginTls, ...files });
}
