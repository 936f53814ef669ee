import type { Flags, FlagValues } from "@capstan/cli/record";

/** How a program reaches repo servers that run elsewhere; `env`: what Argo CD's variables of it begin with. */
export const repoFlags = (env: string) =>
  ({
    "repo-server": {
      kind: "list",
      value: "HOST:PORT",
      help: "Repo servers that render, each of whose names may stand for several (a headless Service); without one this program starts its own",
      env: `${env}_REPO_SERVER`,
    },
    "repo-server-protocol": {
      kind: "string",
      value: "NAME",
      help: "What they speak; argocd: they are Argo CD's own, in an installation that is taken over part by part",
      choices: ["capstan", "argocd"],
      byDefault: "capstan",
      env: "CAPSTAN_REPO_SERVER_PROTOCOL",
    },
    "repo-server-plaintext": {
      kind: "boolean",
      help: "Argo CD's own serves without TLS (its --disable-tls)",
      env: `${env}_REPO_SERVER_PLAINTEXT`,
    },
    "repo-server-timeout-seconds": {
      kind: "integer",
      value: "SECONDS",
      range: [1, 3_600],
      help: "Of a call to Argo CD's own",
      byDefault: "60",
      env: `${env}_REPO_SERVER_TIMEOUT_SECONDS`,
    },
    "repo-server-token-file": {
      kind: "string",
      value: "FILE",
      help: "Token that they ask for (their --token-file), and that they must know too",
      env: "CAPSTAN_REPO_SERVER_TOKEN_FILE",
    },
    "repo-server-ca": {
      kind: "string",
      value: "FILE",
      help: "Authority of their certificates; without one the token alone vouches for them",
      env: "CAPSTAN_REPO_SERVER_CA_FILE",
    },
    "repo-server-client-cert": {
      kind: "string",
      value: "FILE",
      help: "Certificate that they ask for (their --client-ca)",
      env: "CAPSTAN_REPO_SERVER_CLIENT_CERT_FILE",
    },
    "repo-server-client-key": {
      kind: "string",
      value: "FILE",
      help: "Its key",
      env: "CAPSTAN_REPO_SERVER_CLIENT_KEY_FILE",
    },
  }) as const satisfies Flags;

export type RepoFlagValues = FlagValues<ReturnType<typeof repoFlags>>;
