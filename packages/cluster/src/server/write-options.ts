import { invalidOption } from "../objects/failures.ts";
import type { WriteOptions } from "../objects/world.ts";
import type { ResourceCall } from "./call.ts";

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Query parameters of a write, checked as apimachinery's metav1/validation does. */
export function readWriteOptions(call: ResourceCall, kind: OptionsKind): WriteOptions {
  const { query, request, verb, subresource } = call;
  const dryRun = readDryRun(query, kind);
  const validation = query.get("fieldValidation");
  if (validation && !["Ignore", "Strict", "Warn"].includes(validation))
    throw invalidOption(kind, {
      reason: "FieldValueNotSupported",
      field: "fieldValidation",
      message: `Unsupported value: "${validation}": supported values: "", "Ignore", "Strict", "Warn"`,
    });
  const manager = query.get("fieldManager") ?? "";
  if (manager.length > 128)
    throw invalidOption(kind, {
      reason: "FieldValueTooLong",
      field: "fieldManager",
      message: "Too long: may not be more than 128 bytes",
    });
  const strange = [...manager].find((letter) => !printable.test(letter));
  if (strange !== undefined)
    throw invalidOption(kind, {
      reason: "FieldValueInvalid",
      field: "fieldManager",
      message: `Invalid value: ${JSON.stringify(manager)}: should only contain printable characters`,
    });
  return {
    dryRun,
    manager: manager || managerOf(request.headers["user-agent"]),
    subresource,
    verb,
    requester: call.user,
    answers: call.answers,
    identity: call.identity,
    options: sentFields(query),
    warn: (text) => call.notices.push(text),
  };
}

function sentFields(query: URLSearchParams): Record<string, unknown> {
  const fieldManager = query.get("fieldManager");
  const fieldValidation = query.get("fieldValidation");
  return { ...(fieldManager && { fieldManager }), ...(fieldValidation && { fieldValidation }) };
}

const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

export function readDryRun(query: URLSearchParams, kind: string): boolean {
  const asked = query.getAll("dryRun").filter((value) => value !== "");
  if (asked.every((value) => value === "All")) return asked.length > 0;
  throw invalidOption(kind, {
    reason: "FieldValueNotSupported",
    field: "dryRun",
    message: `Unsupported value: [${asked.map((value) => `"${value}"`).join(", ")}]: supported values: "All"`,
  });
}

/** Without a name the client's program names the manager: "kubectl/v1.34 (linux)" is kubectl. */
function managerOf(userAgent: string | undefined): string {
  return (userAgent ?? "").split("/")[0]?.slice(0, 128) || "unknown";
}
