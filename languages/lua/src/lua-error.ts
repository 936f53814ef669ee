/** `failed`: the script's own mistake; `time`, `memory`: it was ended; `value`: what it was given or gave is no JSON. */
export type LuaErrorReason = "failed" | "time" | "memory" | "value";

/** Why a script gave nothing. The message names its line as `<string>:3:`, as gopher-lua's does. */
export class LuaError extends Error {
  override readonly name = "LuaError";
  readonly reason: LuaErrorReason;

  constructor(reason: LuaErrorReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
