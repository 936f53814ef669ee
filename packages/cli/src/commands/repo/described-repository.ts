import type { RestRepository } from "@capstan/wire";
import type { Flags, FlagValues } from "../../command.ts";
import { compact } from "../../compact.ts";
import type { Io } from "../../io.ts";
import { credentialFlags, readCredentials, requireName } from "./credential-flags.ts";

/** By which a repository with its credentials is described. */
export const repositoryFlags = {
  ...credentialFlags,
  name: { kind: "string", help: "Name; needed for Helm repositories", value: "NAME" },
  project: { kind: "string", help: "Only for this project", value: "PROJECT" },
  "insecure-ignore-host-key": { kind: "boolean", help: "Do not check the SSH host key" },
  "insecure-skip-server-verification": { kind: "boolean", help: "Do not check certificate or host key" },
  "enable-lfs": { kind: "boolean", help: "Fetch files kept by git-lfs" },
  "insecure-oci-force-http": { kind: "boolean", help: "Plain HTTP to an OCI registry" },
  proxy: { kind: "string", help: "Proxy", value: "URL" },
  "no-proxy": { kind: "string", help: "Hosts to reach without the proxy", value: "HOSTS" },
  depth: { kind: "integer", help: "Commits to fetch", value: "N" },
} as const satisfies Flags;

export async function describeRepository(
  url: string,
  flags: FlagValues<typeof repositoryFlags>,
  io: Io,
): Promise<RestRepository> {
  requireName(flags);
  return {
    repo: url,
    ...(await readCredentials(url, flags, io)),
    ...compact({
      name: flags.name,
      project: flags.project,
      insecure: flags["insecure-skip-server-verification"],
      insecureIgnoreHostKey: flags["insecure-ignore-host-key"],
      enableLfs: flags["enable-lfs"],
      insecureOCIForceHttp: flags["insecure-oci-force-http"],
      proxy: flags.proxy,
      noProxy: flags["no-proxy"],
      depth: flags.depth,
    }),
  };
}
