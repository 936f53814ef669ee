import type { ComparedViews } from "@capstan/engine";
import type { SettingsReportRow } from "@capstan/model/settings";

/** What `capstan admin migrate check` prints. */
export interface MigrationReport {
  readonly summary: {
    readonly applications: number;
    readonly equal: number;
    readonly differ: number;
    readonly unknown: number;
    readonly settingsNotHonoured: number;
  };
  /** Those that are not equal, or all. */
  readonly applications: readonly ComparedViews[];
  /** Plugins that are needed and not here, and by which applications. */
  readonly pluginsLacking: readonly { readonly plugin: string; readonly applications: readonly string[] }[];
  /** As `capstan admin settings report` has them. */
  readonly settings: readonly SettingsReportRow[];
}
