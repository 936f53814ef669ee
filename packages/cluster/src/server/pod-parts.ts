import { deleteObject } from "../objects/delete-object.ts";
import { badRequest, conflict, invalid, notFound } from "../objects/failures.ts";
import { updateObject } from "../objects/update-object.ts";
import { timestamp } from "../objects/world.ts";
import { ApiError, type ApiResponse, type FieldError, isRecord, type KubeObject } from "../types.ts";
import { answerJson } from "./answer.ts";
import type { Api, PodLogRequest } from "./api.ts";
import type { ResourceCall } from "./call.ts";
import { readDeleteOptions } from "./delete-objects.ts";
import { isTrue, readCount } from "./list-options.ts";
import { readDocument } from "./read-object.ts";
import { readWriteOptions } from "./write-options.ts";

export async function readPodLog(api: Api, call: ResourceCall): Promise<ApiResponse> {
  const { query, namespace, name, request } = call;
  const container = query.get("container");
  const sinceTime = query.get("sinceTime");
  const log: PodLogRequest = {
    namespace,
    name,
    follow: isTrue(query.get("follow")),
    timestamps: isTrue(query.get("timestamps")),
    previous: isTrue(query.get("previous")),
    signal: request.signal,
    ...(container && { container }),
    ...(sinceTime && { sinceTime }),
    ...readNumber(query, "tailLines"),
    ...readNumber(query, "sinceSeconds"),
    ...readNumber(query, "limitBytes"),
  };
  requireLogOptions(log);
  if (api.store.get("/pods", namespace, name) === undefined) throw notFound(call.served.info, name);
  return { status: 200, headers: { "content-type": "text/plain" }, body: api.podLog(log) };
}

type NumberOption = "tailLines" | "sinceSeconds" | "limitBytes";

/** An empty one is none of Go's numbers: these are pointers there. */
function readNumber(query: URLSearchParams, name: NumberOption): { [Name in NumberOption]?: number } {
  if (!query.has(name)) return {};
  if (query.get(name) === "") throw badRequest('strconv.ParseInt: parsing "": invalid syntax');
  return { [name]: readCount(query, name) };
}

/** Before the Pod is looked for (pkg/apis/core/validation ValidatePodLogOptions). */
function requireLogOptions({ name, ...log }: PodLogRequest): void {
  const problems: FieldError[] = [];
  const say = (field: string, value: number | undefined, least: number) => {
    if (value === undefined || value >= least) return;
    const wanted = least === 0 ? "must be greater than or equal to 0" : "must be greater than 0";
    problems.push({
      reason: "FieldValueInvalid",
      field,
      message: `Invalid value: ${value}: ${wanted}`,
    });
  };
  say("tailLines", log.tailLines, 0);
  say("limitBytes", log.limitBytes, 1);
  if (log.sinceSeconds !== undefined && log.sinceTime !== undefined)
    problems.push({
      reason: "FieldValueForbidden",
      field: "[]",
      message: "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified",
    });
  else say("sinceSeconds", log.sinceSeconds, 1);
  if (problems.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, problems);
}

export async function evictPod(api: Api, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name, query } = call;
  const options = readWriteOptions(call, "CreateOptions");
  const body = readDocument(call.request, "Eviction");
  const sentName = isRecord(body) && isRecord(body.metadata) ? body.metadata.name : undefined;
  if (sentName !== undefined && sentName !== name)
    throw badRequest("name in URL does not match name in Eviction object");
  const live = api.store.get(served.type, namespace, name);
  if (live === undefined) throw notFound(served.info, name);
  const blocking = api.store
    .list("policy/poddisruptionbudgets", namespace)
    .find((budget) => forbids(budget.object, live.object));
  if (blocking !== undefined)
    throw new ApiError(
      429,
      "TooManyRequests",
      "Cannot evict pod as it would violate the pod's disruption budget.",
      {
        causes: [
          {
            reason: "DisruptionBudget",
            field: "",
            message: `The disruption budget ${blocking.name} does not allow another disruption right now`,
          },
        ],
      },
    );
  const asked = isRecord(body) && isRecord(body.deleteOptions) ? body.deleteOptions : {};
  const request = { ...call.request, body: JSON.stringify(asked), headers: {} };
  const deletion = readDeleteOptions({ request, query });
  deleteObject(api, { served, live }, { ...deletion, dryRun: options.dryRun || deletion.dryRun });
  return answerDone(api);
}

function forbids(budget: KubeObject, pod: KubeObject): boolean {
  const selector = isRecord(budget.spec) ? budget.spec.selector : undefined;
  const allowed = isRecord(budget.status) ? budget.status.disruptionsAllowed : undefined;
  const wanted =
    isRecord(selector) && isRecord(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  const phase = isRecord(pod.status) ? pod.status.phase : undefined;
  if (wanted.length === 0 || phase === "Pending" || phase === "Succeeded" || phase === "Failed") return false;
  return allowed === 0 && wanted.every(([key, value]) => pod.metadata.labels?.[key] === value);
}

/** What a scheduler posts: the Pod gets its node. */
export async function bindPod(api: Api, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace } = call;
  const body = readDocument(call.request, "Binding");
  const target = isRecord(body) && isRecord(body.target) ? body.target : {};
  const name =
    call.name || (isRecord(body) && isRecord(body.metadata) ? String(body.metadata.name ?? "") : "");
  const node = target.name;
  if (typeof node !== "string" || node === "") throw badRequest("Binding: target.name: Required value");
  const pods = api.registry.byType("/pods") ?? served;
  const live = api.store.get("/pods", namespace, name);
  if (live === undefined) throw notFound(pods.info, name);
  const { spec, status } = live.object;
  if (isRecord(spec) && spec.nodeName)
    throw conflict(pods.info, name, `pod ${name} is already assigned to node "${spec.nodeName}"`);
  const condition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(api.clock),
  };
  const conditions = isRecord(status) && Array.isArray(status.conditions) ? status.conditions : [];
  const others = conditions.filter((item) => !isRecord(item) || item.type !== "PodScheduled");
  const object = {
    ...live.object,
    spec: { ...(isRecord(spec) ? spec : {}), nodeName: node },
    status: { ...(isRecord(status) ? status : {}), conditions: [...others, condition] },
  };
  updateObject(
    api,
    { served: pods, live, object },
    { ...readWriteOptions(call, "CreateOptions"), subresource: "binding" },
  );
  return answerDone(api);
}

async function answerDone(api: Api): Promise<ApiResponse> {
  const failure = await api.store.flushed();
  if (failure !== undefined) throw failure;
  return answerJson({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 }, 201);
}

/** A proxy wants something that listens. */
export function refuseProxy(_api: Api, { name, subresource }: ResourceCall): never {
  throw badRequest(
    `${subresource} ${name}: this cluster is simulated by capstan and nothing runs in it; port-forward gives a simulated answer`,
  );
}
