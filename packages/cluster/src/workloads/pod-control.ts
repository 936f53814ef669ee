import { ApiError, type KubeObject } from "../types.ts";
import type { Context } from "./controller.ts";
import type { Pod, PodTemplate } from "./kinds.ts";
import { randomSuffix } from "./names.ts";
import { controllerReference } from "./owners.ts";
import { resourceTypes } from "./resource-types.ts";

/** k8s.io/apiserver/pkg/storage/names: what is left for the base of a generated name. */
const longestBase = 58;

export function newPod(
  template: PodTemplate,
  owner: KubeObject,
  naming: { name: string } | { prefix: string },
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...("name" in naming ? { name: naming.name } : generatedName(naming.prefix)),
      namespace: owner.metadata.namespace ?? "",
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: template.spec,
  };
}

function generatedName(prefix: string): { name: string; generateName: string } {
  return { generateName: prefix, name: `${prefix.slice(0, longestBase)}${randomSuffix()}` };
}

/** Creates and deletes the Pods of an owner, with the events that Kubernetes' RealPodControl writes. */
export class PodControl {
  readonly #context: Context;
  readonly #component: string;

  constructor(context: Context, component: string) {
    this.#context = context;
    this.#component = component;
  }

  async create(owner: KubeObject, pod: Pod): Promise<Pod> {
    try {
      const created = await this.#context.objects.create<Pod>(resourceTypes.pods, pod);
      this.#say(owner, "SuccessfulCreate", `Created pod: ${created.metadata.name}`);
      return created;
    } catch (error) {
      if (!isNamespaceGoing(error)) this.#complain(owner, "FailedCreate", `Error creating: ${textOf(error)}`);
      throw error;
    }
  }

  async delete(owner: KubeObject, pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata;
    try {
      await this.#context.objects.delete(resourceTypes.pods, namespace, name, { uid });
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return;
      this.#complain(owner, "FailedDelete", `Error deleting: ${textOf(error)}`);
      throw error;
    }
    this.#say(owner, "SuccessfulDelete", `Deleted pod: ${name}`);
  }

  #say(owner: KubeObject, reason: string, message: string): void {
    this.#context.events.record(owner, { type: "Normal", reason, message, component: this.#component });
  }

  #complain(owner: KubeObject, reason: string, message: string): void {
    this.#context.events.record(owner, { type: "Warning", reason, message, component: this.#component });
  }
}

/** One, two, four … at a time, so that what fails for all fails a few times only. */
export async function slowStart(count: number, act: (at: number) => Promise<unknown>): Promise<void> {
  const mostAtOnce = 128;
  for (let done = 0, size = 1; done < count; size = Math.min(size * 2, mostAtOnce)) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, at) => done + at);
    await Promise.all(batch.map(act));
    done += batch.length;
  }
}

/** Everything in a namespace that ends, ends with it: such a failure is no news. */
export function isNamespaceGoing(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.code === 404 || (error.code === 403 && error.message.includes("being terminated"));
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
