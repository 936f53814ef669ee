/** Which folders of the machine applications may name as repositories; absolute real paths, plain data. */
export interface LocalFolders {
  /** Those that the operator lists, with all below. */
  readonly listed: readonly string[];
  /** Every other folder that who runs Capstan can read: where one person alone uses it. */
  readonly isOwnPermitted: boolean;
  /** Capstan's own data: never. */
  readonly closed: readonly string[];
  /** Within its data, what is there to be used. */
  readonly open: readonly string[];
}

/** For a person who renders on his own machine. */
export const allFolders: LocalFolders = { listed: ["/"], isOwnPermitted: true, closed: [], open: [] };
