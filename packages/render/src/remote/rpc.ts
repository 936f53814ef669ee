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
}

/** Connects on the first call. Loads gRPC only now: who has no such plugin starts without it. */
export async function openRpc({ address, maxAnswerBytes }: RpcTarget): Promise<Rpc> {
  const [{ Client, credentials }, { grpcClient }, { cmp, pluginV1 }] = await Promise.all([
    import("@grpc/grpc-js"),
    import("@capstan/plugin-kit/grpc"),
    import("@capstan/wire/plugin-protocols"),
  ]);
  const client = new Client(address, credentials.createInsecure(), {
    "grpc.max_receive_message_length": maxAnswerBytes,
    "grpc.max_send_message_length": -1,
    "grpc.use_local_subchannel_pool": 1,
    // A server that was away is found again soon.
    "grpc.initial_reconnect_backoff_ms": 100,
    "grpc.max_reconnect_backoff_ms": 1_000,
    "grpc.default_authority": "localhost",
  });
  return {
    stock: grpcClient(cmp.ConfigManagementPluginService, client),
    own: grpcClient(pluginV1.PluginService, client),
    [Symbol.dispose]: () => client.close(),
  };
}
