import type { Clock } from "@capstan/flow";
import { grpcClient } from "@capstan/plugin-kit/grpc";
import type { RepoServer } from "@capstan/wire";
import { reposerver } from "@capstan/wire/repo-protocols";
import { Client, credentials } from "@grpc/grpc-js";
import { ForeignRemote } from "./foreign-remote.ts";
import { ForeignRepo } from "./foreign-repo.ts";

interface Place {
  readonly host: string;
  readonly port: number;
  /** "unproved": over TLS, with whatever certificate, as Argo CD's programs call it by default. */
  readonly security: "plaintext" | "unproved" | { readonly authority: string };
  /** Of a call; milliseconds. */
  readonly timeoutMs: number;
  /** ARGOCD_GRPC_MAX_SIZE_MB. */
  readonly maxMessageBytes: number;
}

/** Connects on the first call; the connection is made anew by itself. A name may stand for several, which take turns. */
export function dialArgocdRepo(place: Place, clock: Clock): RepoServer & AsyncDisposable {
  const { host, port, timeoutMs, maxMessageBytes } = place;
  const address = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const client = new Client(`dns:///${address}`, credentialsOf(place), {
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
    "grpc.enable_http_proxy": 0,
    "grpc.max_reconnect_backoff_ms": 5_000,
    "grpc.service_config": JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
  });
  const service = grpcClient(reposerver.RepoServerService, client);
  const repo = new ForeignRepo(new ForeignRemote({ service, address, clock, timeoutMs }), clock);
  return Object.assign(repo, { [Symbol.asyncDispose]: async () => client.close() });
}

function credentialsOf({ security }: Place) {
  if (security === "plaintext") return credentials.createInsecure();
  if (security === "unproved") return credentials.createSsl(null, null, null, { rejectUnauthorized: false });
  return credentials.createSsl(Buffer.from(security.authority));
}
