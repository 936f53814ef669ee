import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { isAlreadyExists, isNotFound, type KubeClient } from "@capstan/kube";
import { CapstanError } from "@capstan/model";

interface Place {
  readonly kube: Pick<KubeClient, "get" | "create" | "patch">;
  readonly controlNamespace: string;
  readonly name: string;
  readonly clock: Pick<Clock, "now">;
}

const limitMs = 10_000;
/** What one server writes others go by after so long. */
const freshMs = 2_000;

/**
 * What has to survive a restart, holds for all servers and is nobody's to read: values as JSON, by key, in a Secret of
 * the control namespace.
 */
export class KeptSecret {
  readonly #place: Place;
  #readAtMs: number | undefined;
  #reading: Promise<void> | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  /**
   * Hands over what is kept, unless it has done so a moment ago: other servers write it too. Throws UNAVAILABLE until it
   * was read once; afterwards what is known holds while it cannot be read.
   */
  follow(take: (kept: ReadonlyMap<string, unknown>) => void): Promise<void> {
    const { clock } = this.#place;
    if (this.#readAtMs !== undefined && clock.now() - this.#readAtMs < freshMs) return Promise.resolve();
    this.#reading ??= this.#readAnew(take).finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readAnew(take: (kept: ReadonlyMap<string, unknown>) => void): Promise<void> {
    try {
      take(await this.read());
    } catch (error) {
      if (this.#readAtMs === undefined) throw error;
    }
    this.#readAtMs = this.#place.clock.now();
  }

  /** A value that cannot be read is undefined. Throws UNAVAILABLE. */
  async read(): Promise<ReadonlyMap<string, unknown>> {
    const { kube, name } = this.#place;
    const secret = await kube.get(this.#ref, AbortSignal.timeout(limitMs)).catch((error: unknown) => {
      const problem = "what was kept for a restart cannot be read";
      throw new CapstanError({ code: "UNAVAILABLE", what: `Secret ${name}`, problem }, error);
    });
    const data = isRecord(secret?.data) ? Object.entries(secret.data) : [];
    return new Map(data.map(([key, value]) => [key, parsed(String(value))]));
  }

  /** Writes these keys; null removes one. Whoever asked may go away meanwhile. */
  async write(values: Readonly<Record<string, unknown>>): Promise<void> {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, value === null ? null : encoded(value)]),
    );
    const signal = AbortSignal.timeout(limitMs);
    const patch = () => this.#place.kube.patch(this.#ref, { type: "merge", body: { data } }, { signal });
    try {
      await patch();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      await this.#create(signal);
      await patch();
    }
  }

  async #create(signal: AbortSignal): Promise<void> {
    const { apiVersion, kind, name, namespace } = this.#ref;
    const metadata = { name, namespace, labels: { "app.kubernetes.io/part-of": "argocd" } };
    try {
      await this.#place.kube.create({ apiVersion, kind, metadata, type: "Opaque" }, { signal });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
  }

  get #ref() {
    const { controlNamespace: namespace, name } = this.#place;
    return { apiVersion: "v1", kind: "Secret", namespace, name };
  }
}

function encoded(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64");
}

function parsed(base64: string): unknown {
  try {
    return JSON.parse(Buffer.from(base64, "base64").toString("utf8"));
  } catch {
    return undefined;
  }
}
