import {
  type ImagePlan,
  imageKey,
  planImageUpdates,
  readImage,
  registryAddress,
  registryOf,
  rulesFor,
} from "@capstan/engine";
import { runLimited } from "@capstan/flow";
import { parseDuration } from "@capstan/formats";
import type { LiveState } from "@capstan/kube";
import type { Application } from "@capstan/model";
import { ImageVersions } from "./image-versions.ts";
import { liveUpdaters } from "./live-updaters.ts";
import { RegistryClients, type RegistryNeeds } from "./registry-clients.ts";

const usualIntervalMs = 2 * 60_000;
const leastIntervalMs = 10_000;
const imagesAtOnce = 4;

export interface PlanNeeds extends RegistryNeeds {
  /** ImageUpdaters, beside others. */
  readonly live: Pick<LiveState, "ofKind">;
}

/** What would become of applications' images: for the loop that does it, the API and the command line alike. */
export class ImagePlans {
  readonly #needs: PlanNeeds;
  readonly #clients: RegistryClients;
  readonly #versions: ImageVersions;

  constructor(needs: PlanNeeds) {
    this.#needs = needs;
    this.#clients = new RegistryClients(needs);
    const keepMs = () => this.intervalMs;
    this.#versions = new ImageVersions({ clients: this.#clients, clock: needs.clock, keepMs });
  }

  /** Between two looks at one application: `interval` of argocd-image-updater-config, 2 minutes. */
  get intervalMs(): number {
    const told = parseDuration(this.#needs.settings.current.imageUpdater.interval ?? "");
    return told === undefined || told <= 0 ? usualIntervalMs : Math.max(told, leastIntervalMs);
  }

  /** By the ImageUpdater that is for the application, or by its annotations; nothing where neither names images. */
  rules(app: Application) {
    const namespace = app.metadata.namespace ?? this.#needs.namespace;
    return rulesFor(app, liveUpdaters(this.#needs.live, namespace));
  }

  /** Nothing where nobody names its images. */
  async plan(app: Application, signal: AbortSignal): Promise<ImagePlan | undefined> {
    const rules = this.rules(app);
    if (!rules) return undefined;
    const namespace = app.metadata.namespace ?? this.#needs.namespace;
    const findings = await runLimited(rules.images, imagesAtOnce, (rule) =>
      this.#versions.find(rule, namespace, signal),
    );
    const problems = [...rules.problems, ...this.#clients.registries.problems];
    return planImageUpdates(app, { ...rules, problems }, findings);
  }

  /** Something was pushed under this name: who follows it is to be looked at, and asks anew. */
  pushed(name: string): { follows(app: Application): boolean } {
    const image = readImage(name);
    if (!image) return { follows: () => false };
    this.#versions.forget(registryAddress(registryOf(this.#clients.registries, image), image));
    const key = imageKey(image);
    const follows = (app: Application) =>
      this.rules(app)?.images.some((rule) => imageKey(rule.image) === key) === true;
    return { follows };
  }
}
