import { type Clock, Listeners, orAborted } from "@capstan/flow";
import type { Manifest } from "@capstan/model";
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeLog } from "../kube-log.ts";
import { followObjects } from "../live/follow-objects.ts";
import { hasSettings } from "./find-not-honoured.ts";
import { readSettings, type SettingsOverlay } from "./read-settings.ts";
import type { Settings } from "./settings.ts";

/** The settings in force, kept up to date. */
export interface SettingsSource extends AsyncDisposable {
  readonly current: Settings;
  /** Resolves once ConfigMaps and Secrets were read for the first time. */
  ready(signal: AbortSignal): Promise<void>;
  /** Returns what ends it. */
  onChange(listener: SettingsListener): () => void;
}

export type SettingsListener = (current: Settings, previous: Settings) => void;

interface Input {
  client: KubeClient;
  /** The control namespace. */
  namespace: string;
  clock: Clock;
  log: KubeLog;
  overlay?: SettingsOverlay;
}

export function watchSettings(input: Input): SettingsSource {
  return new WatchedSettings(input);
}

const reported = "capstan admin settings report tells what follows and what to do";

class WatchedSettings implements SettingsSource {
  current = readSettings([], []);
  readonly #input: Input;
  readonly #stop = new AbortController();
  readonly #listeners: Listeners<Parameters<SettingsListener>>;
  readonly #kinds: readonly SettingObjects[];
  readonly #first: Promise<unknown>;
  readonly #done: Promise<unknown>;
  #isRead = false;
  #said = new Set<string>();

  constructor(input: Input) {
    this.#input = input;
    this.#listeners = new Listeners((error) =>
      input.log.warn({ error }, "what follows from changed settings failed"),
    );
    this.#kinds = [new SettingObjects("ConfigMap"), new SettingObjects("Secret")];
    this.#first = Promise.all(this.#kinds.map((kind) => kind.listed.promise));
    this.#done = Promise.all(this.#kinds.map((kind) => this.#follow(kind)));
  }

  async ready(signal: AbortSignal): Promise<void> {
    await orAborted(this.#first, AbortSignal.any([signal, this.#stop.signal]));
  }

  onChange(listener: SettingsListener): () => void {
    return this.#listeners.add(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  #follow(objects: SettingObjects): Promise<void> {
    const { client, namespace, clock, log } = this.#input;
    const follower = {
      replaceAll: (all: readonly Manifest[]) => {
        objects.replaceAll(all);
        this.#read();
      },
      changed: (object: Manifest) => {
        if (objects.set(object)) this.#read();
      },
      deleted: (object: Manifest) => {
        if (objects.held.delete(object.metadata.name ?? "")) this.#read();
      },
      problem: () => undefined,
    };
    const query = { apiVersion: "v1", kind: objects.kind, namespace };
    return followObjects({ client, query, follower, clock, log, signal: this.#stop.signal });
  }

  #read(): void {
    const [maps, secrets] = this.#kinds;
    if (!maps?.isListed || !secrets?.isListed) return;
    const previous = this.current;
    const last = this.#isRead ? previous : undefined;
    this.#isRead = true;
    const { overlay } = this.#input;
    this.current = readSettings(maps.held.values(), secrets.held.values(), { previous: last, overlay });
    for (const kind of this.#kinds) kind.listed.resolve();
    this.#say(this.current);
    this.#listeners.tell(this.current, previous);
  }

  /** Each problem once, until it has been mended. */
  #say({ problems, unreadable, notHonoured }: Settings): void {
    const texts = problems.map(({ where, field, problem }) => {
      const guarded = unreadable.find((one) => one.where === where && one.field === field);
      const what = guarded?.isKept
        ? "the value of before stays in force"
        : "no application is synced until it is mended";
      return { where, field, text: `${where}: ${field} ${problem}${guarded ? `; ${what}` : ""}` };
    });
    for (const { where, found } of notHonoured) {
      const field = found.map(({ key }) => key).join(", ");
      texts.push({ where, field, text: `${where}: not honoured: ${field}; ${reported}` });
    }
    for (const { where, field, text } of texts)
      if (!this.#said.has(text)) this.#input.log.warn({ where, field }, text);
    this.#said = new Set(texts.map(({ text }) => text));
  }
}

/** The objects of one kind that are settings. */
class SettingObjects {
  readonly kind: string;
  readonly held = new Map<string, Manifest>();
  readonly listed = Promise.withResolvers<void>();
  isListed = false;

  constructor(kind: string) {
    this.kind = kind;
  }

  replaceAll(all: readonly Manifest[]): void {
    this.held.clear();
    for (const object of all) this.set(object);
    this.isListed = true;
  }

  /** Whether the object is, or was until now, a setting. */
  set(object: Manifest): boolean {
    const name = object.metadata.name ?? "";
    if (!hasSettings(object)) return this.held.delete(name);
    this.held.set(name, object);
    return true;
  }
}
