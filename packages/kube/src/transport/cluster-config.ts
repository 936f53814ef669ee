/** Where a cluster is and who we are to it. PEM texts, not file names. */
export interface ClusterConfig {
  server: string;
  caData?: string;
  insecure?: boolean;
  serverName?: string;
  certData?: string;
  keyData?: string;
  bearerToken?: string;
  /** A token that its writer rotates, as a Pod's service account token; read again every minute. */
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
