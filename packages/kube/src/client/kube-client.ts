import { type Clock, Limiter } from "@capstan/flow";
import { stringifyJson } from "@capstan/formats";
import type { Manifest } from "@capstan/model";
import type { WebSocket } from "../transport/open-socket.ts";
import type { KubeResponse, Transport } from "../transport/transport.ts";
import type { ApiResource } from "./api-resource.ts";
import { deleteObject } from "./delete-object.ts";
import { createDiscovery, type Discovery } from "./discovery.ts";
import { isNotFound } from "./kube-error.ts";
import { listPages } from "./list-pages.ts";
import { collectionPath, creationPath, objectPath, withQuery } from "./object-paths.ts";
import { showWatch } from "./open-watches.ts";
import { createPatchTypes, type PatchTypes } from "./patch-types.ts";
import {
  createRawRequests,
  type RawRequest,
  type RawRequests,
  type RawSocketRequest,
  withHeaders,
} from "./raw-requests.ts";
import { readManifest } from "./read-manifest.ts";
import { type ObjectReader, plainReader, sharingReader } from "./recent-objects.ts";
import { type OpenedWatch, type WatchEvent, WatchStream } from "./watch-events.ts";

export interface ObjectType {
  apiVersion: string;
  kind: string;
}

export interface ObjectRef extends ObjectType {
  namespace?: string | undefined;
  name: string;
}

export interface ListQuery extends ObjectType {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

export interface WatchQuery extends ListQuery {
  resourceVersion: string;
  /** The server ends the watch after this time. */
  timeoutSeconds?: number;
}

export interface ObjectList {
  items: readonly Manifest[];
  resourceVersion: string;
}

export interface WriteOptions {
  signal: AbortSignal;
  dryRun?: boolean;
  fieldManager?: string;
  fieldValidation?: "Strict" | "Warn" | "Ignore";
  subresource?: "status" | "scale";
}

export interface ApplyOptions extends WriteOptions {
  fieldManager: string;
  /** Takes fields over from other managers instead of failing with 409. */
  force?: boolean;
}

export type Patch =
  | { type: "merge"; body: unknown }
  | { type: "json"; body: readonly unknown[] }
  | { type: "strategic"; body: unknown };

export interface DeleteOptions {
  signal: AbortSignal;
  propagation?: "Foreground" | "Background" | "Orphan";
  uid?: string;
  resourceVersion?: string;
  gracePeriodSeconds?: number;
  dryRun?: boolean;
}

/** One cluster's API. Objects are plain JSON: fields that we do not know survive. */
export interface KubeClient {
  readonly discovery: Discovery;
  readonly patchTypes: PatchTypes;
  /** undefined when there is no such object. */
  get(ref: ObjectRef, signal: AbortSignal): Promise<Manifest | undefined>;
  /** All pages. `held`: given each object once its page is read, says what of it stands in the list. */
  list(query: ListQuery, signal: AbortSignal, held?: (object: Manifest) => Manifest): Promise<ObjectList>;
  /** One watch request; ends when the server ends it. `followObjects` is the one that goes on. */
  watch(query: WatchQuery, signal: AbortSignal): AsyncIterable<WatchEvent>;
  create(object: Manifest, options: WriteOptions): Promise<Manifest>;
  replace(object: Manifest, options: WriteOptions): Promise<Manifest>;
  patch(ref: ObjectRef, patch: Patch, options: WriteOptions): Promise<Manifest>;
  /** Server-side apply. */
  apply(object: Manifest, options: ApplyOptions): Promise<Manifest>;
  /** The object as it was left (finalizers), or undefined when it is gone. */
  delete(ref: ObjectRef, options: DeleteOptions): Promise<Manifest | undefined>;
  /** Anything else, such as a followed log. */
  request(request: RawRequest): Promise<KubeResponse>;
  /** A connection for messages both ways, as for a process in a Pod. */
  socket(request: RawSocketRequest): Promise<WebSocket>;
  /** The same for one application. */
  onBehalfOf(whom: Beneficiary): KubeClient;
}

export interface Beneficiary {
  /** `project/namespace/application`: what the cluster is told, where it is told so. */
  readonly whom: string;
  /** User in whose place they are made (kube-apiserver's header Impersonate-User); absent: Capstan's own. */
  readonly user?: string;
}

export interface KubeClientOptions {
  transport: Transport;
  userAgent: string;
  clock: Clock;
  /** Requests at a time; watches and followed logs do not count once they run. */
  concurrency?: number;
  /** Adds the header X-Capstan-For (`project/namespace/application`): for a cluster whose audit reads it. */
  tellsForWhom?: boolean;
  /** Watches and writes share what they bring alike (200,000 characters are kept): for a cluster that is watched. */
  sharesWatched?: boolean;
}

const maxWaiting = 20_000;
const mediaTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
};

const isBusy = (): Error => new Error(`${maxWaiting} requests are waiting already`);

export function createKubeClient(options: KubeClientOptions): KubeClient {
  const { transport, userAgent, clock, concurrency = 50 } = options;
  const limiter = new Limiter({ atOnce: concurrency, maxWaiting, full: isBusy });
  const raw = createRawRequests({ transport, userAgent, limiter });
  const knowledge = {
    clock,
    discovery: createDiscovery({ raw, clock }),
    patchTypes: createPatchTypes({ raw, clock }),
    reader: options.sharesWatched ? sharingReader() : plainReader,
  };
  const clientOf = (requests: RawRequests): KubeClient =>
    clientFor(requests, knowledge, ({ whom, user }) =>
      clientOf(
        withHeaders(raw, {
          "x-capstan-for": options.tellsForWhom ? encodeURI(whom) : undefined,
          "impersonate-user": user,
        }),
      ),
    );
  return clientOf(raw);
}

/** What clients of one cluster have in common, for whomever they ask. */
interface Knowledge extends Pick<KubeClient, "discovery" | "patchTypes"> {
  readonly clock: Clock;
  readonly reader: ObjectReader;
}

function clientFor(
  raw: RawRequests,
  { discovery, patchTypes, reader, clock }: Knowledge,
  onBehalfOf: KubeClient["onBehalfOf"],
): KubeClient {
  const rowOf = (type: ObjectType, signal: AbortSignal) => discovery.resourceFor(type, signal);

  async function write(method: string, path: string, { content, body, options }: Write): Promise<Manifest> {
    const url = withQuery(path, writeQuery(options));
    const headers = { "content-type": content ?? "application/json" };
    const signal = options.signal;
    const request = { method, url, headers, body: stringifyJson(body), signal };
    return readManifest(await raw.json(request, reader.answer));
  }

  return {
    discovery,
    patchTypes,
    async get(ref, signal) {
      const url = objectPath(await rowOf(ref, signal), ref);
      try {
        return readManifest(await raw.json({ method: "GET", url, signal }));
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    async list(query, signal, held) {
      return listPages(raw.sizedJson, { row: await rowOf(query, signal), query, signal, held });
    },
    watch: (query, signal) =>
      new WatchStream(() => openWatch(raw.send, { rowOf, query, signal, clock }), reader.event),
    async create(object, options) {
      const row = await rowOf(object, options.signal);
      return write("POST", creationPath(row, object.metadata), { body: object, options });
    },
    async replace(object, options) {
      const path = targetPath(await rowOf(object, options.signal), refOf(object), options);
      return write("PUT", path, { body: object, options });
    },
    async patch(ref, { type, body }, options) {
      const path = targetPath(await rowOf(ref, options.signal), ref, options);
      return write("PATCH", path, { content: mediaTypes[type], body, options });
    },
    async apply(object, options) {
      const path = targetPath(await rowOf(object, options.signal), refOf(object), options);
      return write("PATCH", path, { content: "application/apply-patch+yaml", body: object, options });
    },
    async delete(ref, options) {
      const url = objectPath(await rowOf(ref, options.signal), ref);
      return deleteObject(raw.json, url, options);
    },
    request: (request) => raw.send(request),
    socket: (request) => raw.socket(request),
    onBehalfOf,
  };
}

interface Write {
  content?: string;
  body: unknown;
  options: WriteOptions & { force?: boolean };
}

function writeQuery(options: Write["options"]): Record<string, string | boolean | undefined> {
  return {
    dryRun: options.dryRun ? "All" : undefined,
    fieldManager: options.fieldManager,
    fieldValidation: options.fieldValidation,
    force: options.force,
  };
}

function refOf(object: Manifest): ObjectRef {
  const { name, namespace } = object.metadata;
  return { apiVersion: object.apiVersion, kind: object.kind, name: name ?? "", namespace };
}

function targetPath(row: ApiResource, ref: ObjectRef, { subresource }: WriteOptions): string {
  const path = objectPath(row, ref);
  return subresource ? `${path}/${subresource}` : path;
}

interface WatchNeeds {
  rowOf(type: ObjectType, signal: AbortSignal): Promise<ApiResource>;
  query: WatchQuery;
  signal: AbortSignal;
  clock: Clock;
}

async function openWatch(
  send: (request: RawRequest) => Promise<KubeResponse>,
  { rowOf, query, signal, clock }: WatchNeeds,
): Promise<OpenedWatch> {
  const { labelSelector, fieldSelector, resourceVersion, timeoutSeconds } = query;
  const row = await rowOf(query, signal);
  const url = withQuery(collectionPath(row, query.namespace), {
    watch: true,
    allowWatchBookmarks: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    timeoutSeconds,
  });
  const { body } = await send({ method: "GET", url, signal });
  const shown = showWatch(url.split("?", 1)[0] ?? "", clock);
  return {
    pieces: typeof body === "string" ? oneText(body) : body,
    [Symbol.dispose]: () => shown[Symbol.dispose](),
  };
}

async function* oneText(text: string): AsyncIterable<string> {
  yield text;
}
