import { isRecord } from "@capstan/formats";
import type { EventRecorder, LiveState } from "@capstan/kube";
import { argoApiVersion, isCapstanError, isManifest, type Manifest } from "@capstan/model";
import { everyRoute, type RouteName } from "@capstan/wire";
import type { AnyHandler, Handlers } from "../../call.ts";
import type { ApiLog } from "../context.ts";
import { type AuditedEvent, auditedEvents, factsOf, unchanging } from "./audited-calls.ts";

interface Needs {
  readonly live: Pick<LiveState, "get">;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: Pick<ApiLog, "info">;
  readonly controlNamespace: string;
}

type Request = Readonly<Record<string, unknown>>;

/**
 * Each call that changes something is recorded, whichever way it came: a line of the log says who asked what from where
 * and how it ended, and where Argo CD's server writes an Event about an Application, ApplicationSet or project, so does
 * this (util/argo AuditLogger).
 */
export function auditHandlers(handlers: Handlers, needs: Needs): Handlers {
  const audited = everyRoute.flatMap(([name, { method }]) =>
    method === "GET" || unchanging.has(name)
      ? []
      : // The wrapped handler takes and gives what it wraps.
        [[name, auditHandler(name, handlers[name] as AnyHandler, needs)] as const],
  );
  return { ...handlers, ...Object.fromEntries(audited) } as Handlers;
}

function auditHandler(name: RouteName, handler: AnyHandler, needs: Needs): AnyHandler {
  return async (request, call) => {
    const event = auditedEvents[name];
    const before = event && storedOf(event, request, needs);
    const { name: user, issuer } = call.user;
    const facts = { audit: name, user, issuer, address: call.address, request: factsOf(request) };
    const tell = (result: string) => needs.log.info({ ...facts, result }, "audit");
    let answer: unknown;
    try {
      answer = await handler(request, call);
    } catch (error) {
      tell(isCapstanError(error) ? error.failure.code : "FAILED");
      throw error;
    }
    tell("OK");
    const about = isOf(event, answer) ? answer : before;
    if (event && about && request.dryRun !== true)
      needs.events.record(about, {
        type: "Normal",
        reason: event.reason,
        message: `${user || "Unknown user"} ${event.says(request)}`,
        annotations: annotationsOf(about, user),
      });
    return answer;
  };
}

function storedOf(
  { kind, nameField = "name" }: AuditedEvent,
  request: Request,
  { live, controlNamespace }: Needs,
): Manifest | undefined {
  const [name, given] = [request[nameField], request.appNamespace ?? request.appsetNamespace];
  if (typeof name !== "string") return undefined;
  const isElsewhere = kind !== "AppProject" && typeof given === "string" && given !== "";
  const namespace = isElsewhere ? given : controlNamespace;
  return live.get({ group: "argoproj.io", kind, namespace, name });
}

/** Answers may lack what says of which kind they are. */
function isOf(event: AuditedEvent | undefined, answer: unknown): answer is Manifest {
  return isManifest(answer) && answer.kind === event?.kind && answer.apiVersion === argoApiVersion;
}

function annotationsOf({ spec }: Manifest, user: string): Record<string, string> {
  const destination = isRecord(spec) && isRecord(spec.destination) ? spec.destination : undefined;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  return {
    ...(destination
      ? { "dest-server": text(destination.server), "dest-namespace": text(destination.namespace) }
      : {}),
    ...(user ? { user } : {}),
  };
}
