import type { CapstanError, ParameterAnnouncement } from "@capstan/model";
import type { Plugin, RenderContext } from "@capstan/plugin-kit";

/** A plugin that is installed beside Capstan, as far as the render side must know more of it than of its own. */
export interface InstalledPlugin extends Plugin {
  /** Name without version, where the server tells both. */
  readonly plainName?: string;
  /** Changes with the plugin's definition, settings and program: part of every cache key. */
  readonly identity: string;
  /** Runs at the same time; absent: it runs in this process, in turn with all others that do. */
  readonly concurrency?: number;
  /**
   * What a rendering is kept under. inputs: what `inputs` gives. declared: the same, and the commit's id where the
   * output shows it. observed: what the last runs read.
   */
  readonly keyedBy: "inputs" | "declared" | "observed";
  /** Whether discovery is configured: a source without a plugin's name may be its own. */
  readonly hasDiscovery: boolean;
  /** What its server says that a person should know. */
  readonly notes?: readonly string[];
  /** Asks the plugin whether a source is its own; absent where its rules tell. */
  matches?(context: RenderContext, signal: AbortSignal): Promise<boolean>;
  /** Parameters that it offers for a source, those of its definition included. */
  announce?(context: RenderContext, signal: AbortSignal): Promise<readonly ParameterAnnouncement[]>;
}

/** What is installed at one moment. */
export interface InstalledPlugins {
  /** In the order in which they are asked whether a source is theirs. */
  readonly plugins: readonly InstalledPlugin[];
  /** Named ones that cannot be used now, with why. */
  readonly unreachable: ReadonlyMap<string, CapstanError>;
  /** Equal digests, equal plugins. */
  readonly digest: string;
}

export function isInstalled(plugin: Plugin): plugin is InstalledPlugin {
  return "identity" in plugin && "keyedBy" in plugin;
}
