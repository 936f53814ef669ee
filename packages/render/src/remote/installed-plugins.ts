import type { CapstanError } from "@capstan/model";
import type { Plugin } from "@capstan/plugin-kit";

/** What is installed at one moment. */
export interface InstalledPlugins {
  /** In the order in which they are asked whether a source is theirs. */
  readonly plugins: readonly Plugin[];
  /** Named ones that cannot be used now, with why. */
  readonly unreachable: ReadonlyMap<string, CapstanError>;
  /** By the name of a plugin: what its servers do now, where that is worth a word. */
  readonly busy: ReadonlyMap<string, string>;
  /** Equal digests, equal plugins. */
  readonly digest: string;
  /** The same once the plugin of this name has answered, or has not within the time of a call. */
  waitFor(name: string, signal: AbortSignal): Promise<InstalledPlugins>;
}
