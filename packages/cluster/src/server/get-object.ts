import { notFound } from "../objects/failures.ts";
import type { World } from "../objects/world.ts";
import type { ApiResponse } from "../types.ts";
import type { ResourceCall } from "./call.ts";
import { parseRevision, tooLarge } from "./list-options.ts";
import { answerObject } from "./represent.ts";

export function getObject({ store, clock }: World, call: ResourceCall): Promise<ApiResponse> {
  const { served, namespace, name, query } = call;
  const wanted = query.get("resourceVersion");
  if (wanted) {
    const revision = parseRevision(wanted);
    if (revision > store.revision) throw tooLarge(revision, store.revision);
  }
  return store.read(() => {
    const entry = store.get(served.type, namespace, name);
    if (entry === undefined) throw notFound(served.info, name);
    return answerObject(clock, call, { entry });
  });
}
