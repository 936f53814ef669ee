import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { TlsFiles } from "@capstan/plugin-kit/server";
import type { PluginServerFlags } from "./options.ts";

/** Certificate and key of addresses other than sockets: the files given, else self-made, as Argo CD's repo-server does. */
export async function openTls({ tls }: PluginServerFlags, now: number): Promise<TlsFiles | undefined> {
  if (tls === "none") return undefined;
  const { clientAuthority, certificate, key } = tls;
  const authority =
    clientAuthority === undefined ? {} : { clientAuthority: await readFile(clientAuthority, "utf8") };
  if (certificate !== undefined && key !== undefined)
    return {
      certificate: await readFile(certificate, "utf8"),
      key: await readFile(key, "utf8"),
      ...authority,
    };
  const { createSelfMadeCertificate } = await import("@capstan/cluster");
  const names = ["localhost", "127.0.0.1", "::1", hostname()];
  const own = createSelfMadeCertificate({ commonName: hostname(), names }, now);
  return { certificate: own.certificate, key: own.key, ...authority };
}
