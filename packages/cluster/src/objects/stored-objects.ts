import type { Served } from "../registry/served.ts";
import { Entry } from "../store/entry.ts";
import type { KubeObject, Objects, ResourceInfo, WatchEvent } from "../types.ts";
import { WebhookAnswers } from "../webhooks/answers.ts";
import { untilKnown } from "../webhooks/pending.ts";
import { createObject } from "./create-object.ts";
import { deleteObject } from "./delete-object.ts";
import { noSuchResource, notFound } from "./failures.ts";
import { updateObject } from "./update-object.ts";
import type { World, WriteOptions } from "./world.ts";

/** The store as controllers inside this process see it: the same rules as for any client, without a request. */
export class StoredObjects implements Objects {
  readonly #world: World;
  readonly #manager: string;
  readonly #signal: AbortSignal;

  constructor(world: World, manager: string, signal: AbortSignal) {
    this.#world = world;
    this.#manager = manager;
    this.#signal = signal;
  }

  get<T extends KubeObject>(type: string, namespace: string, name: string): T | undefined {
    const entry = this.#world.store.get(type, namespace, name);
    return entry === undefined ? undefined : asKind<T>(entry.object);
  }

  list<T extends KubeObject>(type: string, namespace?: string): readonly T[] {
    return Entry.objects(this.#world.store.list(type, namespace)).map((object) => asKind<T>(object));
  }

  namesOf(type: string): readonly { namespace: string; name: string }[] {
    return this.#world.store.list(type).sort((left, right) => left.revision - right.revision);
  }

  ownedBy(uid: string): readonly KubeObject[] {
    return Entry.objects(this.#world.store.ownedBy(uid));
  }

  async create<T extends KubeObject>(type: string, object: T): Promise<T> {
    const { namespace = "" } = object.metadata;
    const options = this.#options("");
    const written = await this.#admitted(() =>
      createObject(this.#world, { served: this.#served(type), namespace, object }, options),
    );
    await this.#stored();
    return asKind<T>(written.object);
  }

  async update<T extends KubeObject>(
    type: string,
    object: T,
    subresource?: "status" | "binding",
  ): Promise<T> {
    const served = this.#served(type);
    const { namespace = "", name = "" } = object.metadata;
    const options = this.#options(subresource ?? "");
    const written = await this.#admitted(() => {
      const live = this.#world.store.get(type, namespace, name);
      if (live === undefined) throw notFound(served.info, name);
      return updateObject(this.#world, { served, live, object }, options);
    });
    await this.#stored();
    return asKind<T>(written.object);
  }

  async delete(...[type, namespace, name, options = {}]: Parameters<Objects["delete"]>): Promise<void> {
    const served = this.#served(type);
    const answers = new WebhookAnswers();
    await this.#admitted(() => {
      const live = this.#world.store.get(type, namespace, name);
      if (live === undefined) throw notFound(served.info, name);
      return deleteObject(
        this.#world,
        { served, live },
        {
          dryRun: false,
          answers,
          ...(served.rules.deletion?.dependents === "orphaned" && { propagation: "Background" }),
          ...options,
        },
      );
    });
    await this.#stored();
  }

  subscribe(type: string, listener: (event: WatchEvent) => void): () => void {
    return this.#world.store.subscribe(type, ({ kind, entry }) =>
      listener({ type: kind, object: entry.object }),
    );
  }

  resources(): readonly ResourceInfo[] {
    return this.#world.registry.all().map(({ info }) => info);
  }

  #served(type: string): Served {
    const served = this.#world.registry.byType(type);
    if (served === undefined) throw noSuchResource();
    return served;
  }

  #options(subresource: string): WriteOptions {
    const answers = new WebhookAnswers();
    return { dryRun: false, manager: this.#manager, subresource, answers, identity: {} };
  }

  /** Webhooks see what controllers write, too. */
  #admitted<Value>(write: () => Value): Promise<Value> {
    return untilKnown(write, { signal: this.#signal });
  }

  async #stored(): Promise<void> {
    const failure = await this.#world.store.flushed();
    if (failure !== undefined) throw failure;
  }
}

/** The caller names the kind by the type that it asks for, as a typed client does. */
function asKind<T extends KubeObject>(object: KubeObject): T {
  return object as T;
}
