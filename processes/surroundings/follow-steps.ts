import { type Clock, traceWith } from "@capstan/flow";
import type { Log } from "@capstan/plugin-kit";
import type { OtlpPlace } from "./otlp-flags.ts";

/** Of a program that may be followed. */
interface FollowOptions {
  readonly otlp?: OtlpPlace | undefined;
  readonly logFormat: "text" | "json";
}

interface Means {
  /** Of the program, without what all begin with. */
  readonly name: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Traces of this process, where its flags say whither; what sends them is loaded only then. Without that a log that
 * programs read still says of each line to which piece of work it belongs, in all parts.
 */
export async function followSteps(
  { otlp, logFormat }: FollowOptions,
  { name, ...means }: Means,
): Promise<AsyncDisposable> {
  if (!otlp) {
    if (logFormat === "json") await nameWork();
    return { [Symbol.asyncDispose]: async () => traceWith(undefined) };
  }
  const { openOtlpTraces } = await import("./otlp-traces.ts");
  return openOtlpTraces({ ...otlp, ...means, service: name });
}

async function nameWork(): Promise<void> {
  const { createTracer } = await import("./tracer.ts");
  traceWith(createTracer({ ratio: 0, take: () => undefined }));
}
