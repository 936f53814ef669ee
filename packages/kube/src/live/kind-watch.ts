import type { Clock } from "@capstan/flow";
import { apiVersionOf, keyOf, keyText, type Manifest, type ResourceKey } from "@capstan/model";
import type { ApiResource } from "../client/api-resource.ts";
import type { KubeClient, ListQuery } from "../client/kube-client.ts";
import { KubeError } from "../client/kube-error.ts";
import type { KubeLog } from "../kube-log.ts";
import { followObjects } from "./follow-objects.ts";
import { RecentSet } from "./recent-set.ts";
import { isLeftAlone, type RbacRespect } from "./respect-rbac.ts";

interface Needs {
  client: KubeClient;
  row: ApiResource;
  /** Undefined: everywhere. */
  namespaces: readonly string[] | undefined;
  respect: RbacRespect;
  /** Gives what is held of it now. */
  changed(object: Manifest): Manifest;
  /** Whether it was there; another object of the same name stays. */
  gone(key: ResourceKey, uid: string | undefined): boolean;
  /** What is held of this kind now. */
  held(): readonly Manifest[];
  /** What could not be read can be read now. */
  readable(): void;
  clock: Clock;
  log: KubeLog;
}

const rememberedEnds = 500;

/** Follows one kind, in one or all namespaces. */
export class KindWatch {
  readonly row: ApiResource;
  /** Settles after the first list of every namespace, be it a success or not. */
  readonly listed: Promise<void>;
  problem: string | undefined;
  /** Of its latest lists, by place: what ended before is not known. */
  readonly listVersions = new Map<string, string>();
  /** Changes that the watches told of so far; lists are not counted. */
  events = 0;
  /** Places whose objects are not known: never listed so far, or refused now. */
  readonly #unread = new Map<string, string>();
  /** Those of them that are not watched, by the operator's will. */
  readonly #leftAlone = new Set<string>();
  readonly #stop = new AbortController();
  readonly #done: Promise<unknown>;
  readonly #needs: Needs;
  /** Uids of the latest deleted objects. */
  readonly #ended = new RecentSet(rememberedEnds);

  constructor(needs: Needs) {
    this.#needs = needs;
    this.row = needs.row;
    const places = needs.row.namespaced ? (needs.namespaces ?? [undefined]) : [undefined];
    const follows = places.map((namespace) => this.#follow(needs, namespace));
    this.listed = Promise.all(follows.map(({ listed }) => listed)).then(() => undefined);
    this.#done = Promise.all(follows.map(({ done }) => done));
  }

  /** Why what is held is not what there is; undefined when it is, also while a watch is interrupted for a moment. */
  get unreadable(): string | undefined {
    const [reason] = this.#unread.values();
    return reason;
  }

  /** Some of it may not be listed, and is not watched for that. */
  get isLeftAlone(): boolean {
    return this.#leftAlone.size > 0;
  }

  observe(object: Manifest): void {
    // The watch may have told of the object's end before the answer to our write came.
    if (this.#ended.has(object.metadata.uid ?? "")) return;
    this.#needs.changed(object);
  }

  forget(key: ResourceKey, uid: string): void {
    this.#ended.add(uid);
    this.#needs.gone(key, uid);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  #follow(needs: Needs, namespace: string | undefined): { listed: Promise<void>; done: Promise<void> } {
    const { client, row, respect, clock, log } = needs;
    const place = namespace ?? "";
    const first = Promise.withResolvers<void>();
    const query: ListQuery = { apiVersion: apiVersionOf(row.group, row.version), kind: row.kind };
    if (namespace !== undefined) query.namespace = namespace;
    let [isListed, isAsked] = [false, false];
    const follower = {
      held: (object: Manifest) => needs.changed(object),
      replaceAll: (objects: readonly Manifest[], resourceVersion: string) => {
        this.listVersions.set(place, resourceVersion);
        const wasUnread = this.#unread.delete(place);
        this.#leftAlone.delete(place);
        isListed = true;
        this.#replaceAll(needs, namespace, objects);
        if (wasUnread && this.#unread.size === 0) needs.readable();
        first.resolve();
      },
      changed: (object: Manifest) => {
        this.events += 1;
        needs.changed(object);
      },
      deleted: (object: Manifest) => {
        this.events += 1;
        this.#ended.add(object.metadata.uid ?? "");
        needs.gone(keyOf(object), object.metadata.uid);
      },
      problem: (text: string | undefined, error?: unknown) => {
        // A server tells when to come again for a kind that was defined a moment ago ("storage is (re)initializing").
        const isPassing = !isAsked && error instanceof KubeError && error.code === 429;
        isAsked = true;
        if (!isPassing) this.problem = text;
        const isRefused = error instanceof KubeError && error.code === 403;
        if (text !== undefined && (isRefused || !isListed)) this.#unread.set(place, text);
        first.resolve();
      },
      accepts: async (error: unknown, signal: AbortSignal) => {
        if (!(await isLeftAlone({ client, row, namespace, respect }, error, signal))) return false;
        this.problem = undefined;
        this.#leftAlone.add(place);
        this.#unread.set(place, error instanceof Error ? error.message : String(error));
        first.resolve();
        return true;
      },
    };
    const done = followObjects({ client, query, follower, clock, log, signal: this.#stop.signal });
    return { listed: first.promise, done: done.finally(first.resolve) };
  }

  #replaceAll(needs: Needs, namespace: string | undefined, objects: readonly Manifest[]): void {
    const present = new Set<string>();
    for (const object of objects) {
      present.add(keyText(keyOf(object)));
      needs.changed(object);
    }
    for (const object of needs.held()) {
      const key = keyOf(object);
      const elsewhere = namespace !== undefined && key.namespace !== namespace;
      if (!elsewhere && !present.has(keyText(key))) needs.gone(key, undefined);
    }
  }
}
