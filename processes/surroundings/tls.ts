import { hostname } from "node:os";
import { type Followed, type FollowMeans, followFiles, readAuthority, unchanging } from "@capstan/plugin-kit";
import { followTls, type TlsFiles } from "@capstan/plugin-kit/server";

interface Files {
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly clientAuthority?: string | undefined;
}

/** Certificate and key of addresses other than sockets: the files given, else self-made, as Argo CD's repo-server does. */
export async function openTls(
  { clientAuthority, certificate, key }: Files,
  means: FollowMeans,
): Promise<Followed<TlsFiles>> {
  const authority = clientAuthority === undefined ? {} : { clientAuthority };
  if (certificate !== undefined && key !== undefined)
    return followTls({ certificate, key, ...authority }, means);
  const { createSelfMadeCertificate } = await import("@capstan/cluster/certificates");
  const names = ["localhost", "127.0.0.1", "::1", hostname()];
  const made = createSelfMadeCertificate({ commonName: hostname(), names }, means.clock.now());
  const own = { certificate: made.certificate, key: made.key };
  if (clientAuthority === undefined) return unchanging(own);
  const read = ([text = ""]: readonly string[]) => ({
    ...own,
    clientAuthority: readAuthority(text, clientAuthority),
  });
  return followFiles([clientAuthority], read, means);
}
