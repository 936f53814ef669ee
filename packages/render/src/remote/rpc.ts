import type { Calls } from "@capstan/plugin-kit/grpc";
import type { cmp, pluginV1 } from "@capstan/wire/plugin-protocols";

/** A connection to a plugin server, in both protocols. */
export interface Rpc extends Disposable {
  readonly stock: Calls<typeof cmp.ConfigManagementPluginService>;
  readonly own: Calls<typeof pluginV1.PluginService>;
}

export interface RpcTarget {
  /** unix:///run/x.sock or dns:///host:port. */
  readonly address: string;
  readonly maxAnswerBytes: number;
  readonly security: "plaintext" | "tls";
  /** Shown to a server that asks for one. */
  readonly certificate?: ClientCertificate;
}

/** PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Connects on the first call. Loads gRPC only now: who has no such plugin starts without it. */
export async function openRpc({ address, maxAnswerBytes, security, certificate }: RpcTarget): Promise<Rpc> {
  const [{ Client, credentials }, { grpcClient }, { cmp, pluginV1 }] = await Promise.all([
    import("@grpc/grpc-js"),
    import("@capstan/plugin-kit/grpc"),
    import("@capstan/wire/plugin-protocols"),
  ]);
  // Servers make their certificates themselves, as Argo CD's repo-server does: the link is private, the peer unproved.
  const access =
    security === "tls"
      ? credentials.createSsl(
          null,
          certificate ? Buffer.from(certificate.key) : null,
          certificate ? Buffer.from(certificate.certificate) : null,
          { rejectUnauthorized: false },
        )
      : credentials.createInsecure();
  const client = new Client(address, access, {
    "grpc.max_receive_message_length": maxAnswerBytes,
    "grpc.max_send_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
    // A plugin of the cluster is not behind the proxy of the Internet.
    "grpc.enable_http_proxy": 0,
    // A server that was away is found again soon.
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.default_authority": "localhost",
    // No certificate names a Pod's address, and TLS permits no address as a server's name.
    ...(security === "tls" ? { "grpc.ssl_target_name_override": "localhost" } : {}),
  });
  return {
    stock: grpcClient(cmp.ConfigManagementPluginService, client),
    own: grpcClient(pluginV1.PluginService, client),
    [Symbol.dispose]: () => client.close(),
  };
}
