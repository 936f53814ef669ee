/** Files with PEM. */
export interface TlsPaths {
  readonly certificate: string;
  readonly key: string;
  /** Callers must show a certificate of this authority. */
  readonly clientAuthority?: string;
}
