import type { Clock } from "@capstan/flow";
import { withoutUserinfo } from "@capstan/model";
import type { RenderMetrics } from "../metrics.ts";
import { normaliseUrl } from "./repository-url.ts";

interface Counting {
  readonly clock: Clock;
  readonly metrics?: Pick<RenderMetrics, "git">;
}

/** A question to a git server, and how it ended. */
export async function counted<Value>(
  { clock, metrics }: Counting,
  { url, request }: { url: string; request: "ls-remote" | "fetch" },
  work: () => Promise<Value>,
): Promise<Value> {
  const from = clock.now();
  const tell = (ok: boolean) =>
    metrics?.git({ repo: normaliseUrl(withoutUserinfo(url)), request, ms: clock.now() - from, ok });
  try {
    const value = await work();
    tell(true);
    return value;
  } catch (error) {
    tell(false);
    throw error;
  }
}
