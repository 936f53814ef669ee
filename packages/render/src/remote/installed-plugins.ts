import type { CapstanError } from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";

/** What is installed at one moment. */
export interface InstalledPlugins {
  /** In the order in which they are asked whether a source is theirs. */
  readonly plugins: readonly Plugin[];
  /** Named ones that cannot be used now, with why. */
  readonly unreachable: ReadonlyMap<string, CapstanError>;
  /** Equal digests, equal plugins. */
  readonly digest: string;
}
