import type { ExplainedRender } from "./rest/applications.ts";

/** What `capstan plugin dev` tells its page: one after each render, the last one first to who comes later. */
export interface PluginDevState {
  readonly plugin: string;
  /** Folders whose files are watched. */
  readonly watched: readonly string[];
  readonly application: string;
  /** The application's directory in its source. */
  readonly path: string;
  /** What made it render: names of files, or "start". */
  readonly because: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** From the change to here. */
  readonly ms: number;
  /** What is wrong; `render` is then the last that went well. */
  readonly problem?: string;
  readonly render?: ExplainedRender;
  /** Manifests of the render before, as JSON texts. */
  readonly before: readonly string[];
  /** What the plugin wrote to standard error. */
  readonly stderr: string;
  /** The Service by which a cluster's Capstan uses the plugin. */
  readonly attached?: string;
}
