/** How one object is written: all that sync options and the operation decide of it, as one value. */
export interface ApplyMode {
  /**
   * Who merges what git says with what is there: the API server by the fields' owners, we by the last applied
   * configuration as `kubectl apply` does, or nobody, where the whole object is put.
   */
  readonly method: "server-side" | "client-side" | "replace";
  /** Deletes and creates anew what cannot be changed in place. */
  readonly force: boolean;
  /** false: fields that the API server does not know are let through. */
  readonly validate: boolean;
  /** Client-side field manager whose fields a server-side apply takes over first; undefined: none is asked. */
  readonly migrateFrom: string | undefined;
}
