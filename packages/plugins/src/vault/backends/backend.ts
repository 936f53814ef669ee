export interface SecretAddress {
  path: string;
  version?: string;
  /** Of Vault's key-value engine: "1" or "2". */
  kvVersion?: string;
}

export type SecretData = Readonly<Record<string, unknown>>;

/** Where secrets come from; one object a render. Errors say what is wrong and hold no secret. */
export interface Backend {
  /** All values of a secret by key; undefined: there is no such secret. */
  read(address: SecretAddress, signal: AbortSignal): Promise<SecretData | undefined>;
  /** One value, where a path is not fetched as a whole. */
  readKey?(address: SecretAddress, key: string, signal: AbortSignal): Promise<unknown>;
}
