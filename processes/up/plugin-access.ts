import type { Settings } from "@capstan/kube";
import {
  type Followed,
  type FollowMeans,
  followFiles,
  readAuthority,
  readPair,
  readToken,
} from "@capstan/plugin-kit";
import type { PluginServiceAccess } from "@capstan/wire";
import type { UpOptions } from "./options.ts";

type PluginAccess = () => PluginServiceAccess;
type Files = Pick<UpOptions, "pluginTokenFile" | "pluginCertificateFiles" | "pluginAuthorityFile">;

/** What Capstan shows to plugins that run as Services, and by what it knows them: files first, then the cluster's Secret. */
export async function openPluginAccess(
  options: Files,
  settings: { readonly current: Pick<Settings, "pluginTls"> },
  means: FollowMeans,
): Promise<PluginAccess> {
  const followed = await followAll(options, means);
  return () => Object.assign({ ...settings.current.pluginTls }, ...followed.map((one) => one.current()));
}

/** Each by itself: one that is wrong leaves the others true. */
async function followAll(options: Files, means: FollowMeans): Promise<Followed<ReturnType<PluginAccess>>[]> {
  const { pluginTokenFile: token, pluginCertificateFiles: pair, pluginAuthorityFile: authority } = options;
  const followed: Followed<ReturnType<PluginAccess>>[] = [];
  if (token !== undefined)
    followed.push(await followFiles([token], ([text = ""]) => ({ token: readToken(text, token) }), means));
  if (authority !== undefined) {
    const from = "CAPSTAN_PLUGIN_CA_FILE";
    const read = ([text = ""]: readonly string[]) => ({
      authority: { authority: readAuthority(text, authority), from },
    });
    followed.push(await followFiles([authority], read, means));
  }
  if (pair !== undefined) {
    const read = ([certificate = "", key = ""]: readonly string[]) => ({
      certificate: readPair({ certificate, key }, pair),
    });
    followed.push(await followFiles([pair.certificate, pair.key], read, means));
  }
  return followed;
}
