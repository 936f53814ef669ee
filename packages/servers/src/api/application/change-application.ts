import { isConflict } from "@capstan/kube";
import { type Application, CapstanError, type Manifest } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { untilEchoed } from "../live-waits.ts";
import { applicationRef, isApplication, keyOfApplication } from "./read-application.ts";

const attempts = 10;

interface Change {
  /** What the application is to be; undefined leaves it. Called again with the newer object after a conflict. */
  to(current: Application): Application | undefined;
  signal: AbortSignal;
}

/** Changes an application that controllers change at the same time, without losing what they wrote. */
export async function changeApplication(
  { live, kube, clock }: Pick<ApiContext, "live" | "kube" | "clock">,
  app: Application,
  { to, signal }: Change,
): Promise<Application> {
  const key = keyOfApplication(app);
  const what = `application "${app.metadata.name}"`;
  let current: Manifest | undefined = live.get(key);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    current ??= await kube.get(applicationRef(app), signal);
    if (!isApplication(current)) throw new CapstanError({ code: "NOT_FOUND", what });
    const wanted = to(current);
    if (wanted === undefined) return current;
    const written = await replace(kube, wanted, signal);
    if (isApplication(written)) {
      await untilEchoed(live, { key, written }, { clock, signal });
      return written;
    }
    current = undefined;
  }
  throw new CapstanError({ code: "CONFLICT", what });
}

async function replace(kube: ApiContext["kube"], wanted: Application, signal: AbortSignal) {
  try {
    return await kube.replace(wanted, { signal });
  } catch (error) {
    if (isConflict(error)) return undefined;
    throw error;
  }
}

/** A copy without one of its optional fields. */
export function withoutField<T extends object, K extends keyof T>(value: T, field: K): Omit<T, K> {
  const { [field]: _, ...rest } = value;
  return rest;
}
