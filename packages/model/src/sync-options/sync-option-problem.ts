import { nearestName } from "@capstan/formats";
import { type SyncOptionRecord, syncOptionList } from "./sync-option-records.ts";

/**
 * Why a text has no effect in an Application's list, or in the annotation of an object: a predicate, such as
 * `is no option and has no effect; did you mean Prune?`. Argo CD ignores such texts in silence.
 */
export function syncOptionProblem(text: string, place: "application" | "object"): string | undefined {
  const [name = "", value = ""] = text.trim().split("=", 2);
  const record = recordOf(name);
  if (record === undefined) {
    const near = nearestName(
      name,
      syncOptionList.map(([known]) => known),
    );
    return `is no option and has no effect${near === undefined ? "" : `; did you mean ${near}?`}`;
  }
  if (!Object.hasOwn(record.values, value)) {
    const texts = Object.keys(record.values).map((known) => `${name}=${known}`);
    return `is no option and has no effect; write ${texts.join(" or ")}`;
  }
  if (record.saidBy === "both" || record.saidBy === place) return undefined;
  return place === "application"
    ? "has an effect only as an annotation of an object"
    : "has an effect only in the application's own list";
}

function recordOf(name: string): SyncOptionRecord | undefined {
  return syncOptionList.find(([known]) => known === name)?.[1];
}
