import { CapstanError, type ParameterAnnouncement, type PluginParameter } from "@capstan/model";

/** One parameter of a plugin: what is announced of it and how its value is read come from one definition. */
export interface Parameter<Value> {
  readonly announcement: Omit<ParameterAnnouncement, "name">;
  /** `given` as the application has it; `problem` refuses it with what is wrong. */
  read(given: PluginParameter | undefined, problem: (text: string) => Error): Value;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer Value> ? Value : never;
};

interface Words {
  title?: string;
  tooltip?: string;
}

interface Options<Value> extends Words {
  /** What holds when the application sets nothing. */
  default?: Value;
  /** The application must set it. */
  required?: boolean;
}

/** Never absent: it has a default, or the application must set it. */
type Sure<Value> = { default: Value } | { required: true };

export function string(options: Options<string> & Sure<string>): Parameter<string>;
export function string(options?: Options<string>): Parameter<string | undefined>;
export function string(options: Options<string> = {}): Parameter<string | undefined> {
  return single(options, "", (text) => text);
}

/** One of a few texts. The tooltip names them too: Argo CD knows no choices. */
export function choice<const Value extends string>(
  values: readonly Value[],
  options: Words & Sure<Value>,
): Parameter<Value> {
  const tooltip = [options.tooltip, `one of ${values.join(", ")}`].filter(Boolean).join("; ");
  const read = (text: string, problem: (text: string) => Error): Value => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw problem(`"${text}" is none of ${values.join(", ")}`);
    return found;
  };
  const parameter = single<Value>({ ...options, tooltip }, "", read);
  const announcement = { ...parameter.announcement, choices: [...values] };
  return { announcement, read: (given, problem) => sure(parameter.read(given, problem), problem) };
}

export function number(options: Options<number> & Sure<number>): Parameter<number>;
export function number(options?: Options<number>): Parameter<number | undefined>;
export function number(options: Options<number> = {}): Parameter<number | undefined> {
  return single(options, "number", (text, problem) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value)) throw problem(`"${text}" is not a number`);
    return value;
  });
}

export function boolean(options: Options<boolean> & Sure<boolean>): Parameter<boolean>;
export function boolean(options?: Options<boolean>): Parameter<boolean | undefined>;
export function boolean(options: Options<boolean> = {}): Parameter<boolean | undefined> {
  return single(options, "boolean", (text, problem) => {
    if (text !== "true" && text !== "false") throw problem(`"${text}" is neither true nor false`);
    return text === "true";
  });
}

/** Empty when the application sets nothing. */
export function list(options: Options<readonly string[]> = {}): Parameter<readonly string[]> {
  const { default: fallback = [], ...words } = options;
  return {
    announcement: { ...words, collectionType: "array", array: [...fallback] },
    read: (given, problem) => given?.array ?? missing(options.required, fallback, problem),
  };
}

export function map(
  options: Options<Readonly<Record<string, string>>> = {},
): Parameter<Readonly<Record<string, string>>> {
  const { default: fallback = {}, ...words } = options;
  return {
    announcement: { ...words, collectionType: "map", map: { ...fallback } },
    read: (given, problem) => given?.map ?? missing(options.required, fallback, problem),
  };
}

function single<Value extends string | number | boolean>(
  { default: fallback, ...words }: Options<Value>,
  itemType: string,
  parse: (text: string, problem: (text: string) => Error) => Value,
): Parameter<Value | undefined> {
  return {
    announcement: {
      ...words,
      ...(itemType === "" ? {} : { itemType }),
      ...(fallback === undefined ? {} : { string: String(fallback) }),
    },
    read: (given, problem) =>
      given?.string === undefined ? missing(words.required, fallback, problem) : parse(given.string, problem),
  };
}

function missing<Value>(
  required: boolean | undefined,
  fallback: Value,
  problem: (text: string) => Error,
): Value {
  if (required) throw problem("is required: set it in the application's source.plugin.parameters");
  return fallback;
}

function sure<Value>(value: Value | undefined, problem: (text: string) => Error): Value {
  if (value === undefined) throw problem("is required");
  return value;
}

export function announcementsOf(parameters: Parameters): ParameterAnnouncement[] {
  return Object.entries(parameters).map(([name, { announcement }]) => ({ name, ...announcement }));
}

/** The values that an application gives; refuses those that the plugin does not know. */
export function readValues<P extends Parameters>(
  parameters: P,
  given: readonly PluginParameter[],
): ParameterValues<P> {
  const names = Object.keys(parameters);
  for (const { name = "" } of given)
    if (!names.includes(name)) {
      const known = names.length === 0 ? "it takes none" : `it takes ${names.join(", ")}`;
      throw refuse(name, `is not a parameter of this plugin; ${known}`);
    }
  const values = Object.entries(parameters).map(([name, parameter]) => {
    const own = given.findLast((one) => one.name === name);
    return [name, parameter.read(own, (text) => refuse(name, text))];
  });
  return Object.fromEntries(values) as ParameterValues<P>;
}

function refuse(name: string, problem: string): CapstanError {
  return new CapstanError({ code: "INVALID_ARGUMENT", field: `parameter ${name}`, problem });
}
