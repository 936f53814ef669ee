import { CapstanError } from "@capstan/model";
import type { PlacedPlugin } from "@capstan/plugin-kit/server";
import type { PluginServerFlags } from "./options.ts";

/**
 * Refuses addresses at which nobody is asked who he is: a caller brings the files on which the plugin's commands run,
 * and so decides what they do.
 */
export function checkCallers(
  { tls, tokenFile, anyoneMayCall }: Pick<PluginServerFlags, "tls" | "tokenFile" | "anyoneMayCall">,
  plugins: readonly Pick<PlacedPlugin, "address">[],
): void {
  const asksCallers = tokenFile !== undefined || (tls !== "none" && tls.clientAuthority !== undefined);
  if (asksCallers || anyoneMayCall) return;
  const open = plugins.find(({ address }) => !/^(unix:|\/)/.test(address));
  if (open === undefined) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `listening on ${open.address}`,
    problem:
      "whoever reaches it could run the plugins' programs on files of his own. Ask callers for a token (--token-file FILE) or a certificate (--client-ca FILE), or say --anyone-may-call where a network policy alone shall decide who may",
  });
}
