import { equalJson } from "@capstan/formats";
import type { KubeLog, NotificationTexts } from "@capstan/kube";
import { messageOf } from "@capstan/model";
import { type NotificationSetup, readNotifications, type ServiceSurroundings } from "@capstan/planning";
import type { AppliedSetup } from "./notify-application.ts";

export const [configMapName, secretName] = ["argocd-notifications-cm", "argocd-notifications-secret"];

export interface NotificationSetupsInput {
  readonly log: Pick<KubeLog, "warn">;
  readonly controlNamespace: string;
  /** What services need, of the operator's configuration and of one that a tenant wrote. */
  readonly surroundings: (guarded: boolean) => ServiceSurroundings;
  readonly changed: (namespace: string) => void;
  /** Asked once there is something to send. `guarded`: for what tenants wrote, who fill no memory of the operator's. */
  readonly openMemory: (guarded: boolean) => Promise<ServiceSurroundings["memory"]>;
}

/** The configurations that there are, by namespace: each as it was last readable, key by key. */
export class NotificationSetups {
  readonly #input: NotificationSetupsInput;
  readonly #setups = new Map<string, NotificationSetup>();
  readonly #texts = new Map<string, NotificationTexts>();
  readonly #said = new Map<string, readonly string[]>();
  #reading: Promise<void> = Promise.resolve();
  /** Threads of Slack go on in services that are made anew. */
  readonly #memories = new Map<boolean, ServiceSurroundings["memory"]>();
  /** Whether tenants may have configurations of their own: templates see no secrets then. */
  isShared = false;

  constructor(input: NotificationSetupsInput) {
    this.#input = input;
  }

  /** Resolves when everything that was given was read. */
  async ready(): Promise<void> {
    await this.#reading;
  }

  /** Those that count for Applications of a namespace, its own first. */
  of(namespace: string): AppliedSetup[] {
    const { controlNamespace } = this.#input;
    const operators = this.#setups.get(controlNamespace);
    const own = this.isShared && namespace !== controlNamespace ? this.#setups.get(namespace) : undefined;
    return [
      ...(own ? [{ setup: own, namespace }] : []),
      ...(operators ? [{ setup: operators, namespace: undefined }] : []),
    ];
  }

  /** What a namespace's ConfigMap and Secret say now. */
  set(namespace: string, texts: NotificationTexts): void {
    if (equalJson(this.#texts.get(namespace), texts)) return;
    this.#texts.set(namespace, texts);
    this.#read(namespace);
  }

  /** Reads all anew: what services need has changed, or who may write templates. */
  renew(): void {
    for (const namespace of this.#texts.keys()) {
      this.#setups.delete(namespace);
      this.#read(namespace);
    }
  }

  forget(namespace: string): void {
    for (const held of [this.#setups, this.#texts, this.#said]) held.delete(namespace);
    this.#input.changed(namespace);
  }

  #read(namespace: string): void {
    this.#reading = this.#reading
      .then(() => this.#readNow(namespace))
      .catch((error: unknown) => {
        this.#input.log.warn({ namespace, problem: messageOf(error) }, "notifications were not read");
      });
  }

  async #readNow(namespace: string): Promise<void> {
    const texts = this.#texts.get(namespace);
    if (!texts) return;
    const { controlNamespace, surroundings, changed, openMemory } = this.#input;
    const guarded = namespace !== controlNamespace;
    if (Object.keys(texts.map).length > 0 && !this.#memories.has(guarded))
      this.#memories.set(guarded, await openMemory(guarded));
    const setup = await readNotifications(texts, {
      previous: this.#setups.get(namespace),
      services: { ...surroundings(guarded), memory: this.#memories.get(guarded) },
      tellsSecrets: !this.isShared,
    });
    if (this.#texts.get(namespace) !== texts) return;
    this.#setups.set(namespace, setup);
    this.#say(namespace, setup.problems);
    changed(namespace);
  }

  /** Each problem once, until it has been mended. */
  #say(namespace: string, problems: readonly string[]): void {
    const before = new Set(this.#said.get(namespace));
    this.#said.set(namespace, problems);
    for (const problem of problems)
      if (!before.has(problem)) this.#input.log.warn({ namespace, configMap: configMapName }, problem);
  }
}
