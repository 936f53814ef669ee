import type { GoInt, GoMap, GoTime, Spend, Value } from "../values/value.ts";

/** What a parameter takes, by Go's name of its type; "value" is reflect.Value, which is told a lacking key from nil. */
interface ParameterTypes {
  any: Value;
  value: Value;
  string: string;
  int: number;
  float64: number;
  bool: boolean;
  map: GoMap;
  time: GoTime;
  duration: GoInt;
}
export type ParameterType = keyof ParameterTypes;

/** What a function may ask of the run that calls it. */
export interface Caller {
  /** Milliseconds since 1970. */
  readonly nowMs: () => number;
  /** For what a function counts before it makes it, and goes through beside texts; the rest is counted for it. */
  readonly spend: Spend;
}

/** A function of templates. What it throws as an Error is Go's "error calling name: …". */
export interface GoFunction {
  readonly parameters: readonly ParameterType[];
  /** Of all further arguments. */
  readonly rest?: ParameterType;
  readonly run: (args: readonly Value[], caller: Caller) => Value;
}

export type GoFunctions = Readonly<Record<string, GoFunction>>;

type Arguments<P extends readonly ParameterType[]> = { [I in keyof P]: ParameterTypes[P[I]] };

/** A function of these parameters. */
export function define<const P extends readonly ParameterType[]>(
  parameters: P,
  run: (args: Arguments<P>, caller: Caller) => Value,
): GoFunction {
  // The arguments were checked against the parameters before.
  return { parameters, run: (args, caller) => run(args as Arguments<P>, caller) };
}

/** A function of these parameters and any number of further ones. */
export function defineRest<const P extends readonly ParameterType[], R extends ParameterType>(
  parameters: P,
  rest: R,
  run: (args: Arguments<P>, further: readonly ParameterTypes[R][], caller: Caller) => Value,
): GoFunction {
  return {
    parameters,
    rest,
    run: (args, caller) =>
      run(
        args.slice(0, parameters.length) as readonly Value[] as Arguments<P>,
        args.slice(parameters.length) as ParameterTypes[R][],
        caller,
      ),
  };
}
