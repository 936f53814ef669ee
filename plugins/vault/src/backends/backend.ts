import type { Clock } from "@capstan/flow";
import type { SecretStores } from "@capstan/model";
import type { TokenCache } from "@capstan/secret-services";
import type { LeaseCache } from "./leases.ts";

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

export interface BackendNeeds {
  clock: Clock;
  tokens: TokenCache;
  /** What was got under a lease earlier; absent: all is asked for again. */
  leases?: LeaseCache;
  /** hard: what is still leased is asked for again too. */
  refresh?: "normal" | "hard";
  /** Told of everything read that ends, in milliseconds since 1970. */
  onLease?(until: number): void;
  /** A file by its path from the application's directory; undefined: there is none. */
  readFile?(path: string, signal: AbortSignal): Promise<Buffer | undefined>;
  readSecret?: ReadSecret;
  /** What the project may read; absent: whoever asks reads what is his own. */
  secretStores?: SecretStores;
}

/** Data of a Secret of the cluster that runs Capstan; undefined: there is none. */
export type ReadSecret = (
  ref: { namespace: string; name: string },
  signal: AbortSignal,
) => Promise<Readonly<Record<string, string>> | undefined>;
