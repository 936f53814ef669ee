import { methodNotAllowed, noSuchResource, notFound } from "../objects/failures.ts";
import { hasSubresource, type Served } from "../registry/served.ts";
import { requireAccess } from "../security/require-access.ts";
import type { User } from "../security/user.ts";
import { ApiError, type ApiRequest, type ApiResponse } from "../types.ts";
import { WebhookAnswers } from "../webhooks/answers.ts";
import { untilKnown } from "../webhooks/pending.ts";
import { answerFailure, answerJson, answerNoPage } from "./answer.ts";
import type { Api } from "./api.ts";
import { type AuditOptions, auditEvent } from "./audit.ts";
import type { Call, ResourceCall } from "./call.ts";
import { serveComputed } from "./computed-objects.ts";
import { deleteCollection, deleteOne } from "./delete-objects.ts";
import { discover } from "./discovery.ts";
import { findResource } from "./find-resource.ts";
import { getObject } from "./get-object.ts";
import { impersonate } from "./impersonate.ts";
import { listObjects, TokenExpired } from "./list-objects.ts";
import { negotiate } from "./negotiate.ts";
import { noticesOf, withNotices } from "./notices.ts";
import { bindPod, evictPod, readPodLog, refuseProxy } from "./pod-parts.ts";
import { openSession } from "./pod-sessions.ts";
import { type ReadRequest, type RequestInfo, type ResourceParts, readRequest } from "./request-info.ts";
import { requestToken } from "./request-token.ts";
import { serveReview } from "./reviews.ts";
import { serveScale } from "./scale.ts";
import { StatusPages } from "./status-pages.ts";
import { watchObjects } from "./watch-objects.ts";
import { patchObject, postObject, putObject } from "./write-objects.ts";

type Handler = (api: Api, call: ResourceCall) => Promise<ApiResponse> | ApiResponse;

export type Handle = (request: ApiRequest, user: User) => Promise<ApiResponse>;

interface Handling {
  readonly onError: (error: unknown) => void;
  readonly audit?: AuditOptions;
}

/** Answers any request, with or without a socket below it. What fails becomes a Status here and nowhere else. */
export function createHandle(api: Api, { onError, audit }: Handling): Handle {
  const pages = new StatusPages(api.registry, api.tokens);
  return async (request, user) => {
    const receivedAt = api.clock.now();
    let known: { info?: RequestInfo; actingAs?: User } = {};
    const answer = async (): Promise<ApiResponse> => {
      const call = readCall(request, user);
      const asked = readRequest(call);
      const { info } = asked;
      known = { info };
      const asker = { user: impersonate(api.rbac, { user, info }, request.headers), info };
      known = { info, actingAs: asker.user };
      requireAccess(api.rbac, asker);
      return route({ api, pages, onError }, { ...call, user: asker.user }, asked);
    };
    const response = await answer().catch((error: unknown) => answerError(error, onError));
    audit?.write(auditEvent({ request, user, receivedAt, response, ...known }, audit, api.clock));
    return response;
  };
}

export function answerError(error: unknown, onError: (error: unknown) => void): ApiResponse {
  if (error instanceof TokenExpired) {
    const { message, reason, code } = error;
    const metadata = { continue: error.continue };
    return answerJson(
      { kind: "Status", apiVersion: "v1", metadata, status: "Failure", message, reason, code },
      code,
    );
  }
  if (error instanceof ApiError) return answerFailure(error);
  onError(error);
  const cause = error instanceof Error ? error.message : String(error);
  return answerFailure(
    new ApiError(500, "InternalError", `Internal error occurred: ${cause}`, {
      causes: [{ reason: "", field: "", message: cause }],
    }),
  );
}

function readCall(request: ApiRequest, user: User): Call {
  const mark = request.url.indexOf("?");
  const path = mark < 0 ? request.url : request.url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : request.url.slice(mark + 1));
  return { request, user, path, query };
}

/** Pages that answer a GET alone; kube-apiserver's others answer whatever the method. */
const gottenOnly =
  /^\/(?:version|api(?:\/[^/]+)?|apis\/[^/]+\/[^/]+|openid\/v1\/jwks|\.well-known\/openid-configuration)\/?$/;

interface Routing {
  api: Api;
  pages: StatusPages;
  onError: (error: unknown) => void;
}

async function route(
  { api, pages, onError }: Routing,
  call: Call,
  { info, parts: asked }: ReadRequest,
): Promise<ApiResponse> {
  const served = asked && findResource(api.registry, asked);
  if (asked === undefined || served === undefined) {
    const page = pages.answer(call) ?? discover(api.registry, call) ?? indexPage(api, call);
    const isServed = call.request.method === "GET" || !gottenOnly.test(call.path);
    if (page !== undefined && page.status === 200 && !isServed) throw methodNotAllowed();
    return page ?? answerNoPage();
  }
  if (served === "missing") throw noSuchResource();
  const representation = negotiate(call.request.headers.accept, served.crd !== undefined);
  const handler = findHandler(call.request.method, { served, verb: info.verb, asked });
  const { namespace, name, subresource } = asked;
  const notices = noticesOf(served);
  const resourceCall = {
    ...call,
    served,
    verb: info.verb,
    namespace,
    name,
    subresource,
    representation,
    notices,
    answers: new WebhookAnswers(),
    identity: {},
  };
  const told = notices.length;
  try {
    const answer = await untilKnown(() => handler(api, resourceCall), {
      signal: call.request.signal,
      again: () => notices.splice(told),
    });
    return withNotices(answer, notices);
  } catch (error) {
    return withNotices(answerError(error, onError), notices);
  }
}

function indexPage({ registry }: Api, { path }: Call): ApiResponse | undefined {
  if (path !== "/") return undefined;
  const groups = registry.groups().filter(({ group }) => group !== "");
  const versions = groups.flatMap(({ group, versions: served }) => [
    `/apis/${group}`,
    ...served.map(({ version }) => `/apis/${group}/${version}`),
  ]);
  const pages = ["/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"];
  return answerJson({ paths: ["/api", "/api/v1", "/apis", ...versions, ...pages] });
}

const parts: Record<string, Record<string, Handler>> = {
  log: { get: readPodLog },
  eviction: { create: evictPod },
  binding: { create: bindPod },
  token: { create: requestToken },
  scale: { get: serveScale, update: serveScale, patch: serveScale },
  exec: { get: openSession, create: openSession },
  attach: { get: openSession, create: openSession },
  portforward: { get: openSession, create: openSession },
  proxy: {
    get: refuseProxy,
    create: refuseProxy,
    update: refuseProxy,
    patch: refuseProxy,
    delete: refuseProxy,
  },
};

const wholes: Record<string, Handler> = {
  get: getObject,
  list: listObjects,
  watch: watchOne,
  create: postObject,
  update: putObject,
  patch: patchObject,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

interface Wanted {
  served: Served;
  verb: string;
  asked: ResourceParts;
}

function findHandler(method: string, { served, verb, asked: { subresource, name } }: Wanted): Handler {
  // A HEAD is authorised as a GET, and so is any method below /watch/, but only GET is served.
  if ((verb === "get" || verb === "list" || verb === "watch") && method !== "GET") throw methodNotAllowed();
  if (subresource !== "") {
    if (!hasSubresource(served, subresource))
      throw served.crd === undefined ? noSuchResource() : notFound(served.info, name);
    const known = served.info.subresources.find((part) => part.name === subresource);
    const handler = (parts[subresource] ?? wholes)[verb];
    if (
      handler === undefined ||
      (parts[subresource] === undefined && !known?.verbs.includes(verb) && verb !== "get")
    )
      throw methodNotAllowed();
    return handler;
  }
  // apiextensions-apiserver asks nothing of the path but its resource.
  if (verb === "create" && name !== "" && served.crd === undefined) throw methodNotAllowed();
  if ((verb === "update" || verb === "patch") && name === "") throw methodNotAllowed();
  if (!served.info.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === "create") return createAny;
  const { computed } = served.rules;
  if (computed !== undefined) return (api, call) => serveComputed(computed, api, call);
  return wholes[verb] ?? refuse;
}

function createAny(api: Api, call: ResourceCall): Promise<ApiResponse> | ApiResponse {
  if (call.served.type === "/bindings") return bindPod(api, call);
  return serveReview(api, call) ?? postObject(api, call);
}

/** /watch/…/<name> is the old form of a field selector. */
function watchOne(api: Api, call: ResourceCall): Promise<ApiResponse> {
  if (call.name === "") return watchObjects(api, call);
  const query = new URLSearchParams(call.query);
  query.set("fieldSelector", `metadata.name=${call.name}`);
  return watchObjects(api, { ...call, query, name: "" });
}

function refuse(): never {
  throw methodNotAllowed();
}
