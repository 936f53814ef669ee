/** `capstan controller`: the loop over applications, and those that go with it. */
import {
  defaultOptions,
  startApplicationController,
  startImageUpdater,
  startProjectStatus,
} from "@capstan/controllers";
import { ImagePlans } from "@capstan/planning";
import { type PartMeans, runPart } from "../parts/run-part.ts";
import { type ControllerFlags, controllerOverlay, controllerPart } from "./options.ts";

type Env = Readonly<Record<string, string | undefined>>;

export function runController(flags: ControllerFlags, env: Env): Promise<void> {
  const overlay = controllerOverlay(flags);
  const start = async (means: PartMeans): Promise<AsyncDisposable> => {
    await using opened = new AsyncDisposableStack();
    const options = {
      concurrency: flags["status-processors"] ?? defaultOptions.concurrency,
      parallelActs: flags["kubectl-parallelism-limit"] ?? defaultOptions.parallelActs,
      waveDelayMs: means.waveDelayMs,
    };
    const { pipelines, services: pluginServices } = means.plugins;
    const of = { ...means, pipelines, pluginServices, options };
    opened.use(await startApplicationController(of));
    opened.use(startImageUpdater({ ...of, plans: new ImagePlans({ ...means, env }) }));
    opened.use(startProjectStatus(of));
    return opened.move();
  };
  return runPart({ ...controllerPart, overlay, start }, flags, env);
}
