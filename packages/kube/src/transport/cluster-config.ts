/** Where a cluster is and who we are to it: PEM texts, or files of them, which are read again as they change. */
export interface ClusterConfig {
  server: string;
  caData?: string;
  caFile?: string;
  insecure?: boolean;
  serverName?: string;
  certData?: string;
  certFile?: string;
  keyData?: string;
  keyFile?: string;
  bearerToken?: string;
  /** Counts before `bearerToken`, which is then what the file once held. */
  bearerTokenFile?: string;
  username?: string;
  password?: string;
  exec?: ExecConfig;
  proxyUrl?: string;
  disableCompression?: boolean;
}

/** client.authentication.k8s.io ExecConfig, of kubeconfig files and of Argo CD's execProviderConfig. */
export interface ExecConfig {
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  apiVersion: string;
  installHint?: string;
  provideClusterInfo?: boolean;
}
