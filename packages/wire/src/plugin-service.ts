/** A plugin that runs as a Service of the cluster, told to the repo server by whoever watches the cluster. */
export interface PluginService {
  /** Of the Service. */
  readonly name: string;
  /** By annotation: how applications name it, where its server does not tell. */
  readonly pluginName?: string;
  readonly pluginVersion?: string;
  /** By annotation: the server speaks no TLS, as a stock one behind a plain TCP port. */
  readonly plaintext?: boolean;
  /** By annotation: certificates (PEM) of the authority that vouches for its servers. */
  readonly authority?: string;
  /** The name that its servers' certificates must hold; absent: that of the endpoint. */
  readonly serverName?: string;
  /** Ready ones only. */
  readonly endpoints: readonly PluginEndpoint[];
}

export interface PluginEndpoint {
  readonly host: string;
  readonly port: number;
  /** Changes when another process answers there: the Pod's name. */
  readonly process: string;
  /** Changes with what runs there: the ReplicaSet's name. */
  readonly workload: string;
  /** Its probe fails: it is tried where no other is ready. */
  readonly isUnready?: boolean;
}
