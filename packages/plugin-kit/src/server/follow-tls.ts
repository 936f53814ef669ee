import { type Followed, type FollowMeans, followFiles } from "../follow-files.ts";
import { readAuthority, readPair } from "../read-pem.ts";
import type { TlsFiles } from "./grpc-listener.ts";
import type { TlsPaths } from "./tls-paths.ts";

/** Certificate, key and authority of callers as their files have them now. */
export function followTls(paths: TlsPaths, means: FollowMeans): Promise<Followed<TlsFiles>> {
  const { clientAuthority: authority } = paths;
  const files = [paths.certificate, paths.key, ...(authority === undefined ? [] : [authority])];
  return followFiles(
    files,
    ([certificate = "", key = "", clientAuthority = ""]) => ({
      ...readPair({ certificate, key }, paths),
      ...(authority === undefined ? {} : { clientAuthority: readAuthority(clientAuthority, authority) }),
    }),
    means,
  );
}
