/*
 * Which steps a change goes through, and how long each takes: over all parts, in whatever process. A program that is to
 * be followed says by `traceWith` who takes the steps; where none does, nothing is spent on them. One for the process:
 * a step is begun by whoever does it, at the end of long chains of calls that need not know of it.
 */

/** What is told of a step. No secret is in it, and no userinfo of an address. */
export type StepFacts = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Step {
  readonly name: string;
  readonly facts?: StepFacts;
}

/** A step that has ended, as one process tells another; times are milliseconds since 1970. */
export interface EndedStep extends Step {
  /** 32 and 16 hexadecimal digits, as W3C's Trace Context has them. */
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Why it failed. */
  readonly problem?: string;
}

export interface Tracer {
  /** Does the work as a step of what is under way; where nothing is, nobody follows it. */
  step<Value>(step: Step, work: () => Promise<Value>): Promise<Value>;
  /** Goes on with the trace that `parent` names (W3C's traceparent); one that cannot be read begins a new one. */
  begin<Value>(parent: string | undefined, step: Step, work: () => Promise<Value>): Promise<Value>;
  /** Of the step under way. */
  traceparent(): string | undefined;
  /** More of the step under way; `problem`: it failed although nothing was thrown. */
  tell(facts: StepFacts, problem?: string): void;
  /** What another process, which may be a stranger's by now, says that it did. */
  take(steps: unknown): void;
}

let tracer: Tracer | undefined;

/** Undefined: nobody follows anything any more. */
export function traceWith(one: Tracer | undefined): void {
  tracer = one;
}

export function isTraced(): boolean {
  return tracer !== undefined;
}

export function traced<Value>(step: Step, work: () => Promise<Value>): Promise<Value> {
  return tracer ? tracer.step(step, work) : work();
}

export function tracedFrom<Value>(
  parent: string | undefined,
  step: Step,
  work: () => Promise<Value>,
): Promise<Value> {
  return tracer ? tracer.begin(parent, step, work) : work();
}

/** Names the step under way for whoever goes on with it elsewhere. */
export function traceparent(): string | undefined {
  return tracer?.traceparent();
}

/** What its log lines and its steps in all parts have in common. */
export function traceIdOf(named: string | undefined): string | undefined {
  return named?.slice(3, 35);
}

export function tellStep(facts: StepFacts, problem?: string): void {
  tracer?.tell(facts, problem);
}

export function takeSteps(steps: unknown): void {
  tracer?.take(steps);
}
