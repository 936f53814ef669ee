/** `failed`: the script's own mistake; `time`, `memory`: it was ended; `value`: what it was given or gave is of no use. */
export type ScriptErrorReason = "failed" | "time" | "memory" | "value";

/** Why a script gave nothing. */
export class ScriptError extends Error {
  override readonly name = "ScriptError";
  readonly reason: ScriptErrorReason;

  constructor(reason: ScriptErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }

  /** It was ended: it may do so again with whatever it is given. */
  get isOverrun(): boolean {
    return this.reason === "time" || this.reason === "memory";
  }
}
