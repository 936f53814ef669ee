import type { KubeClient } from "@capstan/kube";

/** Every hook that came into being: `<namespace>/<name> <uid>` by the operation, attempt and phase that made it. */
export interface HookWatch extends AsyncDisposable {
  readonly made: ReadonlyMap<string, ReadonlySet<string>>;
}

export function watchHooks(kube: KubeClient): HookWatch {
  const made = new Map<string, Set<string>>();
  const end = new AbortController();
  const follow = async (): Promise<void> => {
    let resourceVersion = "0";
    while (!end.signal.aborted) {
      const query = { apiVersion: "batch/v1", kind: "Job", resourceVersion };
      for await (const { object } of kube.watch(query, end.signal)) {
        const { namespace = "", name = "", uid = "", annotations } = object.metadata;
        resourceVersion = object.metadata.resourceVersion ?? resourceVersion;
        const mark = annotations?.["capstan.dev/hook-of"];
        if (mark === undefined) continue;
        const key = `${namespace}/${name} of ${mark}`;
        made.set(key, (made.get(key) ?? new Set()).add(uid));
      }
    }
  };
  const following = follow().catch((error: unknown) => {
    if (!end.signal.aborted) throw error;
  });
  return {
    made,
    async [Symbol.asyncDispose]() {
      end.abort();
      await following;
    },
  };
}
