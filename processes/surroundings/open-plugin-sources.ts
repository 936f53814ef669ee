import { watchPluginServices } from "@capstan/controllers/plugin-services";
import type { Clock } from "@capstan/flow";
import type { KubeClient } from "@capstan/kube";
import type { Log } from "@capstan/plugin-kit";
import { type PipelineSource, watchPipelines } from "./watch-pipelines.ts";

type Services = ReturnType<typeof watchPluginServices>;

/** What the cluster says of plugins: to whoever renders, and to the loop that looks again when they change. */
export interface PluginSources extends AsyncDisposable {
  readonly pipelines: PipelineSource;
  readonly services: Services;
}

/** Services are known when it resolves. */
export async function openPluginSources(
  input: { kube: KubeClient; namespace: string; clock: Clock; log: Log },
  signal: AbortSignal,
): Promise<PluginSources> {
  await using opened = new AsyncDisposableStack();
  const pipelines = opened.use(watchPipelines(input));
  const services = opened.use(watchPluginServices(input));
  await services.ready(signal);
  const closing = opened.move();
  return { pipelines, services, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
