import { randomUUID } from "node:crypto";
import type { Review } from "../objects/world.ts";
import type { Served } from "../registry/served.ts";
import { isObject, type JsonObject, listAt, objectAt, textAt, valueAt } from "../schema/json.ts";
import type { KubeObject } from "../types.ts";
import type { Verdict } from "../webhooks/answers.ts";

export interface Reviewed {
  readonly review: Review;
  /** The version in which the webhook sees the object. */
  readonly as: Served;
  readonly object: KubeObject | null;
  readonly previous: KubeObject | null;
}

const itself = { username: "system:apiserver", groups: ["system:masters"] };

/** The request of an AdmissionReview, without its uid (apiserver plugin/webhook/request/admissionreview.go). */
export function admissionRequest({ review, as, object, previous }: Reviewed): JsonObject {
  const { served, subresource, namespace, name, operation, dryRun, requester, options } = review;
  const kindOf = ({ info: { group, version, kind } }: Served) => ({ group, version, kind });
  const resourceOf = ({ info: { group, version, resource } }: Served) => ({ group, version, resource });
  const optionsKind = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" }[
    operation
  ];
  return {
    kind: kindOf(as),
    resource: resourceOf(as),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(served),
    requestResource: resourceOf(served),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: requester ?? itself,
    object,
    oldObject: previous,
    dryRun,
    options: {
      kind: optionsKind,
      apiVersion: "meta.k8s.io/v1",
      ...(dryRun && { dryRun: ["All"] }),
      ...options,
    },
  };
}

export function reviewBody(version: string, request: JsonObject): { uid: string; body: JsonObject } {
  const uid = randomUUID();
  const body = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: { uid, ...request },
  };
  return { uid, body };
}

/** Throws with apiserver's words where the answer is none (admissionreview.go VerifyAdmissionResponse). */
export function readVerdict(answer: unknown, { uid, version }: { uid: string; version: string }): Verdict {
  const response = objectAt(answer, "response");
  if (response === undefined) throw new Error("webhook response was absent");
  if (version === "v1") {
    if (textAt(response, "uid") !== uid)
      throw new Error(`expected response.uid="${uid}", got "${textAt(response, "uid")}"`);
    const [apiVersion, kind] = [textAt(answer, "apiVersion"), textAt(answer, "kind")];
    if (apiVersion !== "admission.k8s.io/v1" || kind !== "AdmissionReview")
      throw new Error(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
      );
  }
  return {
    allowed: valueAt(response, "allowed") === true,
    status: objectAt(response, "status"),
    patch: readPatch(response, version),
    warnings: listAt(response, "warnings").map(String),
  };
}

function readPatch(response: JsonObject, version: string): readonly JsonObject[] | undefined {
  const encoded = textAt(response, "patch");
  const type = textAt(response, "patchType");
  if (encoded === "") {
    if (version === "v1" && type !== "")
      throw new Error("webhook returned response.patchType but not response.patch");
    return undefined;
  }
  if (version === "v1" && type === "")
    throw new Error("webhook returned response.patch but not response.patchType");
  if (type !== "" && type !== "JSONPatch")
    throw new Error(`webhook returned invalid response.patchType of "${type}"`);
  const operations: unknown = JSON.parse(Buffer.from(encoded, "base64").toString());
  if (!Array.isArray(operations)) throw new Error("the patch is no list of operations");
  return operations.filter(isObject);
}
