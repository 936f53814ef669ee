import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { checkServerIdentity } from "node:tls";
import { messageOf } from "@capstan/model";
import type { Calls } from "@capstan/plugin-kit/grpc";
import type { cmp, pluginV1 } from "@capstan/wire/plugin-protocols";
import type { ChannelCredentials } from "@grpc/grpc-js";

/** A connection to a plugin server, in both protocols. */
export interface Rpc extends Disposable {
  readonly stock: Calls<typeof cmp.ConfigManagementPluginService>;
  readonly own: Calls<typeof pluginV1.PluginService>;
}

export interface RpcSecurity {
  readonly security: "plaintext" | "tls";
  /** Absent: the link is private and the server unproved, since servers make their certificates themselves by default. */
  readonly trust?: ServerTrust;
  /** Shown to a server that asks for one. */
  readonly certificate?: ClientCertificate;
}

export interface RpcTarget extends RpcSecurity {
  /** unix:///run/x.sock or dns:///host:port. */
  readonly address: string;
  readonly maxAnswerBytes: number;
}

/** Of which authority a server's certificate must be, and what it must name. */
export interface ServerTrust {
  /** PEM text. */
  readonly authority: string;
  /** Where that is written, for errors. */
  readonly from: string;
  /** A DNS name or an address. */
  readonly name: string;
}

/** PEM texts. */
export interface ClientCertificate {
  readonly certificate: string;
  readonly key: string;
}

/** Loads gRPC, for who knows that a plugin is served elsewhere before it can be asked. */
export async function loadRpc() {
  const [{ Client, credentials }, { grpcClient }, { cmp, pluginV1 }] = await Promise.all([
    import("@grpc/grpc-js"),
    import("@capstan/plugin-kit/grpc"),
    import("@capstan/wire/plugin-protocols"),
  ]);
  return { Client, credentials, grpcClient, cmp, pluginV1 };
}

/** Connects on the first call. Loads gRPC only now: who has no such plugin starts without it. */
export async function openRpc(target: RpcTarget): Promise<Rpc> {
  const { address, maxAnswerBytes, security, trust } = target;
  const { Client, credentials, grpcClient, cmp, pluginV1 } = await loadRpc();
  const access = security === "tls" ? secure(target, credentials.createSsl) : credentials.createInsecure();
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
    // TLS permits no address as a server's name.
    ...(security === "tls"
      ? { "grpc.ssl_target_name_override": trust && !isIP(trust.name) ? trust.name : "localhost" }
      : {}),
  });
  return {
    stock: grpcClient(cmp.ConfigManagementPluginService, client),
    own: grpcClient(pluginV1.PluginService, client),
    [Symbol.dispose]: () => client.close(),
  };
}

function secure(
  { certificate, trust }: RpcTarget,
  createSsl: typeof ChannelCredentials.createSsl,
): ChannelCredentials {
  const [key, chain] = certificate
    ? [Buffer.from(certificate.key), Buffer.from(certificate.certificate)]
    : [null, null];
  if (!trust) return createSsl(null, key, chain, { rejectUnauthorized: false });
  requireCertificate(trust);
  return createSsl(Buffer.from(trust.authority), key, chain, {
    checkServerIdentity: (_host, peer) => checkServerIdentity(trust.name, peer),
  });
}

/** TLS takes a text without certificates for an authority that vouches for nobody, and says so of the server's. */
function requireCertificate({ authority, from }: ServerTrust): void {
  try {
    new X509Certificate(authority);
  } catch (error) {
    throw new Error(`${from} holds no certificate in PEM: ${messageOf(error)}`, { cause: error });
  }
}
