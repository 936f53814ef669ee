import {
  type ImagePlan,
  type ImageRule,
  imageKey,
  planImageUpdates,
  readImage,
  registryAddress,
  registryOf,
  rulesFor,
} from "@capstan/engine";
import { Lanes, runLimited } from "@capstan/flow";
import { parseDuration } from "@capstan/formats";
import type { LiveState } from "@capstan/kube";
import { type Application, projectOf } from "@capstan/model";
import { serverLanes } from "../server-lanes.ts";
import { ImageVersions } from "./image-versions.ts";
import { liveUpdaters } from "./live-updaters.ts";
import { RegistryClients, type RegistryNeeds } from "./registry-clients.ts";

const usualIntervalMs = 2 * 60_000;
const leastIntervalMs = 10_000;
/** Of argocd-cmd-params-cm. */
export const imageSwitch = "capstan.imageupdater.enabled";
const imagesAtOnce = 4;
/** Images that are looked for at a time. */
const most = { atServer: 16, ofProject: 32 };

export interface PlanNeeds extends RegistryNeeds {
  /** ImageUpdaters, beside others. */
  readonly live: Pick<LiveState, "ofKind">;
}

/** What would become of applications' images: for the loop that does it, the API and the command line alike. */
export class ImagePlans {
  readonly #needs: PlanNeeds;
  readonly #clients: RegistryClients;
  readonly #versions: ImageVersions;
  readonly #lanes = new Lanes();

  constructor(needs: PlanNeeds) {
    this.#needs = needs;
    this.#clients = new RegistryClients(needs);
    const keepMs = () => this.intervalMs;
    this.#versions = new ImageVersions({ clients: this.#clients, clock: needs.clock, keepMs });
  }

  /** "false": argocd-image-updater itself runs, or nobody wants images followed. */
  get isOn(): boolean {
    return this.#needs.settings.current.params[imageSwitch] !== "false";
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
    const { registries } = this.#clients;
    const project = `${namespace}/${projectOf(app)}`;
    const findings = await runLimited(rules.images, imagesAtOnce, (rule) => {
      const lanes = serverLanes({ server: registryOf(registries, rule.image).host, project }, most);
      return this.#lanes.run(lanes, () => this.#versions.find(rule, namespace, signal), signal);
    });
    const problems = [...rules.problems, ...registries.problems];
    return planImageUpdates(app, { ...rules, problems }, findings);
  }

  /** What registries have said of the application's images counts no more. */
  forget(app: Application): void {
    for (const { image } of this.rules(app)?.images ?? []) this.#forget(image);
  }

  #forget(image: ImageRule["image"]): void {
    this.#versions.forget(registryAddress(registryOf(this.#clients.registries, image), image));
  }

  /** Something was pushed under this name: who follows it is to be looked at, and asks anew. */
  pushed(name: string): { follows(app: Application): boolean } {
    const image = readImage(name);
    if (!image) return { follows: () => false };
    this.#forget(image);
    const key = imageKey(image);
    const follows = (app: Application) =>
      this.rules(app)?.images.some((rule) => imageKey(rule.image) === key) === true;
    return { follows };
  }
}
