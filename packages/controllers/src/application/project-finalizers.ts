import type { Clock } from "@capstan/flow";
import type { KubeClient, KubeLog } from "@capstan/kube";
import { type Application, type AppProject, finalizers } from "@capstan/model";
import { type ObjectStore, storeKey } from "../loop/object-store.ts";
import { RepeatedWrites } from "../loop/repeated-writes.ts";

interface Input {
  apps: Pick<ObjectStore<Application>, "all">;
  projects: Pick<ObjectStore<AppProject>, "get" | "all">;
  client: Pick<KubeClient, "patch">;
  clock: Clock;
  log: Pick<KubeLog, "warn">;
  signal: AbortSignal;
}

/** A project that is being deleted goes once no application refers to it (controller/appcontroller.go). */
export class ProjectFinalizers {
  readonly #input: Input;
  readonly #writes: RepeatedWrites;

  constructor(input: Input) {
    this.#input = input;
    this.#writes = new RepeatedWrites({
      ...input,
      failed: "the finalizer of a project was not removed; it is tried again",
    });
  }

  /** An application has gone. */
  releaseAll(): void {
    for (const project of this.#input.projects.all()) this.release(project);
  }

  release(project: AppProject): void {
    if (!isHeld(project)) return;
    const key = storeKey(project);
    this.#writes.ask(key, async () => {
      const current = this.#input.projects.get(key);
      if (current && isHeld(current)) await release(this.#input, current);
    });
  }
}

function isHeld({ metadata }: AppProject): boolean {
  const { deletionTimestamp, finalizers: held = [] } = metadata;
  return deletionTimestamp !== undefined && held.some((finalizer) => finalizer === finalizers.resources);
}

async function release({ apps, client, signal }: Input, project: AppProject): Promise<void> {
  const { finalizers: held = [], name, namespace, resourceVersion } = project.metadata;
  for (const app of apps.all()) if ((app.spec.project || "default") === name) return;
  const rest = held.filter((finalizer) => finalizer !== finalizers.resources);
  const body = { metadata: { finalizers: rest, ...(resourceVersion ? { resourceVersion } : {}) } };
  const ref = { apiVersion: project.apiVersion, kind: project.kind, namespace, name };
  await client.patch(ref, { type: "merge", body }, { signal });
}
