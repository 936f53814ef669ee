import { StarlarkError } from "../script-error.ts";
import type { Position } from "../syntax/nodes.ts";
import { Callable, type Host, type NamedArgument } from "../values/callables.ts";
import { spend } from "../values/steps.ts";
import { freeze, typeOf, type Value } from "../values/value.ts";
import { bindArguments, type Signature } from "./bind-arguments.ts";

/** Variables of one call, or of the script itself. */
export class Frame {
  readonly slots: (Value | undefined)[] = [];
  /** Where the function was defined. */
  readonly outer: Frame | undefined;
  readonly run: Run;
  readonly name: string;
  /** What is being evaluated; for the call stack of an error. */
  at: Position;
  /** Of a `return`. */
  result: Value = null;

  constructor(run: Run, name: string, { outer, at }: { outer: Frame | undefined; at: Position }) {
    this.run = run;
    this.name = name;
    this.outer = outer;
    this.at = at;
  }
}

const nativePlace: Position = { line: 0, column: 0 };

/** A script while it runs. */
export class Run implements Host {
  readonly file: string;
  readonly nowMs: number;
  readonly printed: string[] = [];
  /** Innermost last; stays as it was when an error passes, so that it can be told. */
  readonly #stack: Frame[] = [];
  readonly #maxDepth: number;
  #printedLength = 0;

  constructor(file: string, { nowMs, maxDepth }: { nowMs: number; maxDepth: number }) {
    this.file = file;
    this.nowMs = nowMs;
    this.#maxDepth = maxDepth;
  }

  call(target: Value, positional: readonly Value[], named: readonly NamedArgument[]): Value {
    if (!(target instanceof Callable))
      throw new StarlarkError(`invalid call of non-function (${typeOf(target)})`);
    spend(1);
    if (target instanceof ScriptFunction) return target.invoke(positional, named);
    const frame = new Frame(this, target.name, { outer: undefined, at: nativePlace });
    this.enter(frame);
    const result = target.invoke(positional, named, this);
    this.leave();
    return result;
  }

  enter(frame: Frame): void {
    if (this.#stack.length >= this.#maxDepth) throw new StarlarkError("Starlark stack overflow");
    this.#stack.push(frame);
  }

  leave(): void {
    this.#stack.pop();
  }

  /** For tests that go on after an error: forgets the calls above a depth. */
  get depth(): number {
    return this.#stack.length;
  }

  unwind(depth: number): void {
    this.#stack.length = depth;
  }

  print(line: string): void {
    this.#printedLength += line.length;
    if (this.#printedLength > maxPrinted)
      throw new StarlarkError(`more than ${maxPrinted} bytes are printed`);
    this.printed.push(line);
  }

  /** The calls that are under way, outermost first. */
  trace(): string[] {
    const frames = this.#stack.map(({ name, at }) =>
      at.line === 0 ? `<builtin>: in ${name}` : `${this.file}:${at.line}:${at.column}: in ${name}`,
    );
    const isLong = frames.length > maxTrace;
    return isLong ? [...frames.slice(0, maxTrace / 2), "...", ...frames.slice(-maxTrace / 2)] : frames;
  }
}

const maxPrinted = 1 << 22;
const maxTrace = 40;

/** A function of the script. */
export class ScriptFunction extends Callable {
  readonly type = "function";
  readonly name: string;
  readonly #at: Position;
  readonly #body: (frame: Frame) => void;
  readonly #signature: Signature;
  readonly #outer: Frame;

  constructor(
    signature: Signature,
    body: (frame: Frame) => void,
    { outer, at }: { outer: Frame; at: Position },
  ) {
    super();
    this.name = signature.name;
    this.#at = at;
    this.#body = body;
    this.#signature = signature;
    this.#outer = outer;
  }

  repr(): string {
    return `<function ${this.name}>`;
  }

  override freeze(): void {
    for (const { fallback } of this.#signature.parameters) if (fallback !== undefined) freeze(fallback);
  }

  invoke(positional: readonly Value[], named: readonly NamedArgument[]): Value {
    const { run } = this.#outer;
    const frame = new Frame(run, this.name, { outer: this.#outer, at: this.#at });
    run.enter(frame);
    bindArguments(frame.slots, this.#signature, { positional, named });
    this.#body(frame);
    run.leave();
    return frame.result;
  }
}
