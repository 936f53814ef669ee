import { type Flags, type FlagValues, UsageError } from "@capstan/cli/record";
import { type Part, partFlags } from "../parts/part-options.ts";
import { portFlag } from "../surroundings/api-options.ts";
import { shutdownFlags } from "../surroundings/shutdown-delay.ts";

export const repoServerPart: Part = { name: "repo-server", env: "ARGOCD_REPO_SERVER", metricsPort: 8084 };

export const repoServerFlags = {
  ...partFlags(repoServerPart),
  port: { ...portFlag, help: "Port at which it is asked; 0 = any free one", byDefault: "8081" },
  address: {
    kind: "string",
    value: "ADDRESS",
    help: "Address of that port",
    byDefault: "0.0.0.0",
    env: "ARGOCD_REPO_SERVER_LISTEN_ADDRESS",
  },
  "token-file": {
    kind: "string",
    value: "FILE",
    help: "Callers must know this token",
    env: "CAPSTAN_REPO_SERVER_TOKEN_FILE",
  },
  "client-ca": {
    kind: "string",
    value: "FILE",
    help: "Callers must show a certificate of this authority",
    env: "CAPSTAN_REPO_SERVER_CLIENT_CA_FILE",
  },
  "tls-cert": {
    kind: "string",
    value: "FILE",
    help: "Its certificate; without it one is made at the start, for which the token vouches",
  },
  "tls-key": { kind: "string", value: "FILE", help: "Its key" },
  ...shutdownFlags,
  "anyone-may-call": {
    kind: "boolean",
    help: "Of Argo CD's programs, which send neither, nothing is asked: whoever reaches the port may have anything rendered (a network policy must decide who does)",
  },
} as const satisfies Flags;

export type RepoServerFlags = FlagValues<typeof repoServerFlags>;

export function tlsFilesOf(flags: RepoServerFlags) {
  const { "tls-cert": certificate, "tls-key": key, "client-ca": clientAuthority } = flags;
  if ((certificate === undefined) !== (key === undefined))
    throw new UsageError("--tls-cert and --tls-key belong together");
  return { certificate, key, clientAuthority };
}
