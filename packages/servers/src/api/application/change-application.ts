import { type Application, CapstanError } from "@capstan/model";
import type { ApiContext } from "../context.ts";
import { untilEchoed } from "../live-waits.ts";
import { writeAnew } from "../write-anew.ts";
import { applicationRef, isApplication, keyOfApplication } from "./read-application.ts";

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
  let cached = live.get(key);
  const { before, written } = await writeAnew(what, async () => {
    const current = cached ?? (await kube.get(applicationRef(app), signal));
    cached = undefined;
    if (!isApplication(current)) throw new CapstanError({ code: "NOT_FOUND", what });
    const wanted = to(current);
    return { before: current, written: wanted && (await kube.replace(wanted, { signal })) };
  });
  if (written === undefined) return before;
  await untilEchoed(live, { key, written }, { clock, signal });
  return isApplication(written) ? written : before;
}

/** A copy without one of its optional fields. */
export function withoutField<T extends object, K extends keyof T>(value: T, field: K): Omit<T, K> {
  const { [field]: _, ...rest } = value;
  return rest;
}
