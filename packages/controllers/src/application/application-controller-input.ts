import type { KubeClient } from "@capstan/kube";
import type { Pipeline } from "@capstan/model";
import type { Registry } from "prom-client";
import type { ApplicationNeeds, ApplicationOptions } from "./application-needs.ts";

type Shared =
  | "clusters"
  | "repo"
  | "settings"
  | "scripts"
  | "records"
  | "standings"
  | "clock"
  | "log"
  | "shard";

export interface ApplicationControllerInput extends Pick<ApplicationNeeds, Shared> {
  kube: KubeClient;
  metrics: Registry;
  /** The control namespace. */
  namespace: string;
  options?: Partial<ApplicationOptions>;
  /** Tells of each of the operator's Pipelines that has come, changed or gone. */
  pipelines?: { onChange(listener: (pipeline: Pipeline) => void): () => void };
  /** Tells when a plugin that runs as a Service has come, changed or gone. */
  pluginServices?: { onChange(listener: () => void): () => void };
  /** Ends the controller too. */
  signal: AbortSignal;
}
