import { AsyncLocalStorage } from "node:async_hooks";
import { randomFillSync } from "node:crypto";
import type { EndedStep, Step, StepFacts, Tracer } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { messageOf, withoutUserinfos } from "@capstan/model";

interface Input {
  /** Of the traces that begin here, how many are followed: 0 to 1. */
  readonly ratio: number;
  /** Takes what has ended, at once and without throwing. */
  take(step: EndedStep): void;
  /** Milliseconds since 1970, with fractions. */
  readonly now?: () => number;
}

interface OpenStep {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
  facts: StepFacts;
  problem: string | undefined;
}

/** Of a name, of a text, of how many facts, of the steps that another process tells at once. */
const most = { name: 128, text: 1_024, facts: 32, told: 1_024 };

/** Follows steps over everything that they wait for (node:async_hooks). */
export function createTracer({ ratio, take, now = preciseNow }: Input): Tracer {
  const underWay = new AsyncLocalStorage<OpenStep>();
  const run = <Value>(
    { name, facts = {} }: Step,
    { traceId, parentSpanId, isSampled }: { traceId: string; parentSpanId?: string; isSampled: boolean },
    work: () => Promise<Value>,
  ): Promise<Value> => {
    const open: OpenStep = { traceId, spanId: newId(8), isSampled, facts, problem: undefined };
    if (!isSampled) return underWay.run(open, work);
    const fromMs = now();
    const end = (): void => {
      const { spanId, problem } = open;
      const of = parentSpanId === undefined ? {} : { parentSpanId };
      const failed = problem === undefined ? {} : { problem };
      take(bounded({ name, traceId, spanId, ...of, ...failed, fromMs, toMs: now(), facts: open.facts }));
    };
    return underWay.run(open, async () => {
      try {
        return await work();
      } catch (error) {
        open.problem ??= messageOf(error);
        throw error;
      } finally {
        end();
      }
    });
  };
  return {
    step(step, work) {
      const parent = underWay.getStore();
      if (!parent) return work();
      const { traceId, spanId: parentSpanId, isSampled } = parent;
      // What nobody looks at is named for whoever goes on with it by its first step.
      return isSampled ? run(step, { traceId, parentSpanId, isSampled }, work) : work();
    },
    begin(parent, step, work) {
      const of = readTraceparent(parent) ?? { traceId: newId(16), isSampled: Math.random() < ratio };
      return run(step, of, work);
    },
    traceparent() {
      const step = underWay.getStore();
      // Joined it is one text; a template stays a chain of six for as long as somebody keeps it.
      return step && ["00", step.traceId, step.spanId, step.isSampled ? "01" : "00"].join("-");
    },
    tell(facts, problem) {
      const step = underWay.getStore();
      if (!step?.isSampled) return;
      step.facts = { ...step.facts, ...facts };
      step.problem ??= problem;
    },
    take(steps) {
      if (!Array.isArray(steps)) return;
      for (const step of steps.slice(0, most.told)) if (isEndedStep(step)) take(bounded(step));
    },
  };
}

/** Version 00 to the letter (W3C Trace Context 3.2): whoever may write an annotation is a stranger. */
function readTraceparent(text: string | undefined) {
  if (text?.length !== 55) return undefined;
  const [, traceId = "", parentSpanId = "", flags = ""] =
    /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? [];
  if (!isId(traceId, 32) || !isId(parentSpanId, 16)) return undefined;
  return { traceId, parentSpanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Lengths are those of tracers everywhere (OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT); passwords of addresses go. */
function bounded({
  name,
  traceId,
  spanId,
  parentSpanId,
  fromMs,
  toMs,
  facts = {},
  problem,
}: EndedStep): EndedStep {
  const told = Object.entries(facts).filter(([, value]) => value !== undefined);
  const shown = told
    .slice(0, most.facts)
    .map(([key, value]) => [cut(key, most.name), typeof value === "string" ? cut(value) : value]);
  return {
    ...{ name: cut(name, most.name), traceId, spanId, fromMs, toMs },
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    facts: Object.fromEntries(shown),
    ...(problem === undefined ? {} : { problem: cut(problem) }),
  };
}

/**
 * First what is far too long, so that nobody pays for looking through it. Half a character at the end, or one that came
 * so, would have a collector refuse all that is sent with it.
 */
function cut(text: string, length = most.text): string {
  return withoutUserinfos(text.slice(0, 4 * length))
    .slice(0, length)
    .toWellFormed();
}

function isEndedStep(value: unknown): value is EndedStep {
  if (!isRecord(value)) return false;
  const { name, traceId, spanId, parentSpanId, fromMs, toMs, facts = {}, problem = "" } = value;
  if (!isId(traceId, 32) || !isId(spanId, 16)) return false;
  if (parentSpanId !== undefined && !isId(parentSpanId, 16)) return false;
  const texts = typeof name === "string" && typeof problem === "string";
  return texts && isTime(fromMs) && isTime(toMs) && isRecord(facts) && Object.values(facts).every(isFact);
}

/** All zeros is none (W3C Trace Context 3.2.2). */
function isId(value: unknown, digits: 16 | 32): value is string {
  return typeof value === "string" && value.length === digits && /^(?!0+$)[0-9a-f]+$/.test(value);
}

/** What a nanosecond's 64 bits hold (until the year 2262). */
function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value < 9e12;
}

function isFact(value: unknown): value is string | number | boolean {
  return (
    ["string", "boolean"].includes(typeof value) || (typeof value === "number" && Number.isFinite(value))
  );
}

const randomness = Buffer.alloc(4_096);
let used = randomness.length;

/** Many at once: to ask for a few bytes takes as long as for all of these, and each look at an application begins a trace. */
function newId(bytes: 8 | 16): string {
  if (used + bytes > randomness.length) {
    randomFillSync(randomness);
    used = 0;
  }
  used += bytes;
  return randomness.toString("hex", used - bytes, used);
}

let offset = Date.now() - performance.now();

/** Finer than the machine's clock, and with it when that is set. */
function preciseNow(): number {
  const behind = Date.now() - performance.now() - offset;
  if (Math.abs(behind) > 5) offset += behind;
  return performance.now() + offset;
}
