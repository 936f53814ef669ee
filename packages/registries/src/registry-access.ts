export interface RegistryAnswer {
  /** Where it came from in the end. */
  readonly from: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

export interface RegistryQuestion {
  /** HEAD: the body of the answer is not looked at, so that a GET does as well. */
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
  /** More than this in an answer is an error. */
  readonly maxBytes: number;
  /** It goes to who gives tokens for the registry at another address: what TLS shows and trusts there is not for it. */
  readonly isElsewhere: boolean;
}

/** How one repository of a registry is reached, and with what. */
export interface RegistryAccess {
  /** HOST/PATH, as registries' Secrets also write it, with `oci://` in front or without. */
  readonly address: string;
  /** HTTP without TLS; default: on this machine only, as for docker. */
  readonly plainHttp?: boolean | undefined;
  /** Sent only where a challenge asks for it, and only to the registry's own domain. */
  readonly login?: { readonly username: string; readonly password: string } | undefined;
  /** A token that is sent as it is, in place of one that is asked for. */
  readonly bearerToken?: string | undefined;
  /** Redirects are followed by it, and no header goes with them to another server. */
  ask(url: string, question: RegistryQuestion): Promise<RegistryAnswer>;
  /** The error for an answer of this status. */
  failure(status: number, url: string): Error;
}
