import { isAlreadyExists, isNotFound, type KubeClient, type KubeLog } from "@capstan/kube";
import { messageOf } from "@capstan/model";
import type { SlackThread } from "@capstan/planning";

interface Needs {
  readonly client: Pick<KubeClient, "get" | "patch" | "create">;
  readonly namespace: string;
  readonly log: Pick<KubeLog, "warn">;
}

/** Threads of Slack by a digest of workspace, channel and grouping key: `TIMESTAMP CHANNEL` each. */
const name = "capstan-slack-threads";
const form = /^(\d{1,20}\.\d{1,20}) ([A-Za-z0-9_-]{0,64})$/;
/** More than are talked in at once, and far from what a ConfigMap holds. */
const mostKept = 1_000;

/** Threads that were begun before a restart go on after it: they stand in a ConfigMap of the control namespace. */
export class KeptThreads {
  readonly #needs: Needs;
  readonly #known = new Map<string, SlackThread>();
  #said: string | undefined;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  /** The oldest first. */
  async read(signal: AbortSignal): Promise<readonly (readonly [string, SlackThread])[]> {
    try {
      const found = await this.#needs.client.get(this.#ref(), signal);
      const data = found !== undefined && "data" in found ? found.data : undefined;
      for (const [key, text] of Object.entries(data ?? {})) {
        const [, ts, channel] = form.exec(String(text)) ?? [];
        if (ts !== undefined && channel !== undefined) this.#known.set(key, { ts, channel });
      }
    } catch (error) {
      signal.throwIfAborted();
      this.#say(error);
    }
    return this.#oldestFirst();
  }

  /** Where it cannot be kept, that is said once, and the message counts as sent all the same. */
  async keep(key: string, thread: SlackThread, signal: AbortSignal): Promise<void> {
    const text = `${thread.ts} ${thread.channel}`;
    if (!form.test(text)) return;
    this.#known.set(key, thread);
    const data: Record<string, string | null> = { [key]: text };
    for (const [oldest] of this.#oldestFirst().slice(0, -mostKept)) {
      this.#known.delete(oldest);
      data[oldest] = null;
    }
    try {
      await this.#write(data, signal);
      this.#said = undefined;
    } catch (error) {
      signal.throwIfAborted();
      this.#say(error);
    }
  }

  async #write(data: Readonly<Record<string, string | null>>, signal: AbortSignal): Promise<void> {
    const { client, namespace } = this.#needs;
    const patch = () => client.patch(this.#ref(), { type: "merge", body: { data } }, { signal });
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace } };
      await client.create(object, { signal }).catch((refusal: unknown) => {
        if (!isAlreadyExists(refusal)) throw refusal;
      });
      await patch();
    }
  }

  #ref() {
    return { apiVersion: "v1", kind: "ConfigMap", namespace: this.#needs.namespace, name };
  }

  #oldestFirst(): (readonly [string, SlackThread])[] {
    return [...this.#known].sort(([, one], [, other]) => Number(one.ts) - Number(other.ts));
  }

  #say(error: unknown): void {
    const problem = messageOf(error);
    if (problem === this.#said) return;
    this.#said = problem;
    this.#needs.log.warn({ configMap: name, problem }, "threads of Slack are not kept beyond a restart");
  }
}
