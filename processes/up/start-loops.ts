import {
  defaultOptions,
  startApplicationController,
  startApplicationSetController,
  startImageUpdater,
  startNotificationController,
  startProjectStatus,
} from "@capstan/controllers";
import type { ImagePlans } from "@capstan/planning";
import type { Means } from "../surroundings/open-means.ts";
import type { PluginSources } from "../surroundings/open-plugin-sources.ts";
import { serviceSurroundings } from "../surroundings/service-surroundings.ts";
import type { OperationStore } from "./operation-store.ts";
import type { StandingFile } from "./standing-file.ts";

interface Input extends Omit<Means, typeof Symbol.asyncDispose> {
  readonly pipelines: PluginSources["pipelines"];
  readonly pluginServices: PluginSources["services"];
  readonly records: OperationStore;
  readonly standings: StandingFile;
  readonly plans: ImagePlans;
  readonly waveDelayMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** All loops in this process. */
export async function startLoops(input: Input): Promise<AsyncDisposable> {
  const { env, plans, waveDelayMs } = input;
  const of = { ...input, options: { ...defaultOptions, waveDelayMs } };
  await using opened = new AsyncDisposableStack();
  opened.use(await startApplicationController(of));
  opened.use(startApplicationSetController(of));
  opened.use(startNotificationController({ ...of, surroundings: serviceSurroundings(env) }));
  opened.use(startImageUpdater({ ...of, plans }));
  opened.use(startProjectStatus(of));
  return opened.move();
}
