import type { Clock } from "@capstan/flow";
import { withoutUserinfo } from "@capstan/model";
import type { OciRequest, RenderMetrics } from "../metrics.ts";
import { normaliseUrl } from "./repository-url.ts";

interface Counting<Name extends "git" | "oci"> {
  readonly clock: Clock;
  readonly metrics?: Pick<RenderMetrics, Name> | undefined;
}

/** A question to a git server, and how it ended. */
export function counted<Value>(
  { clock, metrics }: Counting<"git">,
  { url, request }: { url: string; request: "ls-remote" | "fetch" },
  work: () => Promise<Value>,
): Promise<Value> {
  return timed(clock, work, (end) => metrics?.git({ repo: repoOf(url), request, ...end }));
}

/** A question to a registry. */
export function countedOci<Value>(
  { clock, metrics }: Counting<"oci">,
  { url, request }: { url: string; request: OciRequest },
  work: () => Promise<Value>,
): Promise<Value> {
  return timed(clock, work, (end) => metrics?.oci({ repo: repoOf(url), request, ...end }));
}

const repoOf = (url: string): string => normaliseUrl(withoutUserinfo(url));

async function timed<Value>(
  clock: Clock,
  work: () => Promise<Value>,
  tell: (end: { ms: number; ok: boolean }) => void,
): Promise<Value> {
  const from = clock.now();
  try {
    const value = await work();
    tell({ ms: clock.now() - from, ok: true });
    return value;
  } catch (error) {
    tell({ ms: clock.now() - from, ok: false });
    throw error;
  }
}
