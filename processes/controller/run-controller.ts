/** `capstan controller`: the loop over applications, and those that go with it. */
import {
  defaultOptions,
  startApplicationController,
  startImageUpdater,
  startProjectStatus,
} from "@capstan/controllers";
import { leadInTurn, Membership } from "@capstan/kube";
import { ImagePlans } from "@capstan/planning";
import { leaseInput } from "../parts/lease-input.ts";
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
    const lease = leaseInput(means);
    const shard = opened.use(await Membership.join({ ...lease, group: "capstan-controller" }, means.signal));
    const of = { ...means, pipelines, pluginServices, options, shard };
    const plans = new ImagePlans({ ...means, env });
    // One of them does what is not of single applications.
    const lead = async (): Promise<AsyncDisposable> => {
      await using led = new AsyncDisposableStack();
      led.use(startImageUpdater({ ...means, plans }));
      led.use(startProjectStatus(means));
      return led.move();
    };
    opened.use(leadInTurn({ ...lease, name: "capstan-controller-leader", lead }));
    opened.use(await startApplicationController(of));
    return opened.move();
  };
  return runPart({ ...controllerPart, overlay, start }, flags, env);
}
