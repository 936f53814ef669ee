import { CapstanError } from "@capstan/model";
import type { ListenerSettings } from "./grpc-listener.ts";

/**
 * Refuses an address at which nobody is asked who he is: a caller brings the files on which the plugin's commands run,
 * and so decides what they do.
 */
export function checkCallers(
  address: string,
  { tls, token, anyoneMayCall }: Pick<ListenerSettings, "tls" | "token" | "anyoneMayCall">,
): void {
  if (token !== undefined || tls?.current().clientAuthority !== undefined || anyoneMayCall === true) return;
  throw new CapstanError({
    code: "FAILED_PRECONDITION",
    what: `listening on ${address}`,
    problem:
      "whoever reaches it could run the plugin's programs on files of his own. Ask callers for a token (--token-file FILE) or a certificate (--client-ca FILE), or say --anyone-may-call where a network policy alone shall decide who may",
  });
}
