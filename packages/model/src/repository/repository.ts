/** Keys of its Secret, and fields, that hold a credential. */
export const credentialFields = [
  "username",
  "password",
  "bearerToken",
  "sshPrivateKey",
  "tlsClientCertData",
  "tlsClientCertKey",
  "githubAppID",
  "githubAppInstallationID",
  "githubAppEnterpriseBaseUrl",
  "githubAppPrivateKey",
  "gcpServiceAccountKey",
] as const;

/** A repository with its credentials, as read from a Secret labelled secret-type=repository. */
export interface Repository {
  url: string;
  type?: "git" | "helm" | "oci";
  /** Of type oci: it was given as one of Helm charts with `enableOCI`, and is shown as that. */
  enableOci?: boolean;
  name?: string;
  project?: string;
  username?: string;
  password?: string;
  bearerToken?: string;
  sshPrivateKey?: string;
  insecure?: boolean;
  tlsClientCertData?: string;
  tlsClientCertKey?: string;
  /** With githubAppPrivateKey: it is read as an installation of a GitHub App. */
  githubAppID?: string;
  githubAppInstallationID?: string;
  /** Of the API of GitHub Enterprise; default that of github.com. */
  githubAppEnterpriseBaseUrl?: string;
  githubAppPrivateKey?: string;
  /** Key file of a service account of Google Cloud: JSON text. */
  gcpServiceAccountKey?: string;
  /** Of Azure DevOps: by the identity of the process that fetches. */
  useAzureWorkloadIdentity?: boolean;
  enableLfs?: boolean;
  proxy?: string;
  noProxy?: string;
  forceHttpBasicAuth?: boolean;
  /** Of an OCI registry: plain HTTP. */
  insecureOciForceHttp?: boolean;
  depth?: number;
  /** PEM of the authorities by which its host is known, in place of the machine's own. */
  tlsAuthorities?: string;
  /** Lines by which ssh knows its host, beside those of the data folder. */
  knownHosts?: string;
  /** The credentials are a template's: meant for the addresses that it names and for no other. */
  inheritedCreds?: boolean;
}
