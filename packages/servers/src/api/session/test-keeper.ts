import { isRecord } from "@capstan/formats";
import { KubeError } from "@capstan/kube";
import type { Manifest } from "@capstan/model";

/** One Secret, as an API server keeps it. */
export function secretKeeper() {
  let kept: Manifest | undefined;
  const kube = {
    get: async () => structuredClone(kept),
    async create(object: Manifest) {
      kept = structuredClone(object);
      return object;
    },
    async patch(_ref: unknown, { body }: { body: unknown }) {
      if (kept === undefined) throw new KubeError({ code: 404, reason: "NotFound", message: "gone" });
      const data = { ...dataOf(kept), ...dataOf(body) };
      kept = {
        ...kept,
        data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
      };
      return kept;
    },
  };
  return { kube, keys: () => Object.keys(dataOf(kept)) };
}

function dataOf(object: unknown): Record<string, unknown> {
  return isRecord(object) && isRecord(object.data) ? object.data : {};
}
