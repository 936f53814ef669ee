import type { Clock } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import type { OtlpPlace } from "./otlp-flags.ts";

interface Means {
  /** Of the program, without what all begin with. */
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Traces of this process, where its flags say whither; what sends them is loaded only then. */
export async function followSteps(
  otlp: OtlpPlace | undefined,
  { name, ...means }: Means,
): Promise<AsyncDisposable> {
  if (!otlp) return { [Symbol.asyncDispose]: async () => undefined };
  const { openOtlpTraces } = await import("./otlp-traces.ts");
  return openOtlpTraces({ ...otlp, ...means, service: name });
}
