import { type Arguments, native } from "../builtins/arguments.ts";
import { StarlarkError } from "../script-error.ts";
import { Module } from "../values/callables.ts";
import { StarList, StarTuple } from "../values/sequences.ts";
import { spend } from "../values/steps.ts";
import { toBytes, toText } from "../values/utf8.ts";
import { type Key, StarObject, type Value } from "../values/value.ts";

/** `re.name(pattern, …)` and `compiled.name(…)`: what each does and the parameters after the pattern. */
const functions: Readonly<
  Record<
    string,
    { parameters: readonly string[]; run: (pattern: RegExp, args: Arguments, first: number) => Value }
  >
> = {
  search: {
    parameters: ["string", "flags?"],
    run: (pattern, args, first) => search(pattern, args.text(first)),
  },
  match: {
    parameters: ["string", "flags?"],
    run: (pattern, args, first) => match(pattern, args.text(first)),
  },
  findall: {
    parameters: ["string", "flags?"],
    run: (pattern, args, first) => tuple(matches(pattern, args.text(first)).map(([whole]) => whole)),
  },
  split: {
    parameters: ["string", "maxsplit?", "flags?"],
    run: (pattern, args, first) => tuple(split(pattern, args.text(first), args.int(first + 1, 0))),
  },
  sub: {
    parameters: ["repl", "string", "count?", "flags?"],
    run: (pattern, args, first) => sub(pattern, args.text(first), args.text(first + 1)),
  },
};

/** qri-io/starlib re: Go's regular expressions. */
export const reModule = new Module("re", [
  ["compile", native("compile", (args) => new Pattern(args.fit("pattern", "flags?").text(0)))],
  ...Object.entries(functions).map(
    ([name, { parameters, run }]) =>
      [
        name,
        native(name, (args) => run(compile(args.fit("pattern", ...parameters).text(0)), args, 1)),
      ] as const,
  ),
]);

class Pattern extends StarObject {
  readonly type = "regexp";
  readonly #source: string;
  readonly #pattern: RegExp;

  constructor(source: string) {
    super();
    this.#source = source;
    this.#pattern = compile(source);
  }

  repr(): string {
    return this.#source;
  }

  override key(): Key {
    return this;
  }

  override attributeNames(): string[] {
    return Object.keys(functions);
  }

  override attribute(name: string): Value | undefined {
    const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!found) return undefined;
    return native(name, (args) => found.run(this.#pattern, args.fit(...found.parameters), 0));
  }
}

/** Syntax that Go has and JavaScript writes otherwise; what Go refuses is refused. */
function compile(source: string): RegExp {
  const text = toText(source);
  if (/\(\?(?:[=!]|<[=!])|\\[1-9]/.test(text.replace(/\\\\/g, "")))
    throw new StarlarkError(`error parsing regexp: invalid or unsupported Perl syntax: \`${text}\``);
  const flags = /^\(\?([ims]+)\)/.exec(text);
  const body = text
    .slice(flags?.[0].length ?? 0)
    .replaceAll("(?P<", "(?<")
    .replace(/\\A/g, "^")
    .replace(/\\z/g, "$")
    .replace(/\[\[:(\w+):\]\]/g, (whole, name: string) => classes[name] ?? whole);
  try {
    return new RegExp(body, `gu${flags?.[1] ?? ""}`);
  } catch (error) {
    throw new StarlarkError(`error parsing regexp: ${error instanceof Error ? error.message : text}`);
  }
}

const classes: Readonly<Record<string, string>> = {
  alpha: "[A-Za-z]",
  digit: "[0-9]",
  alnum: "[0-9A-Za-z]",
  upper: "[A-Z]",
  lower: "[a-z]",
  space: "[\\t\\n\\v\\f\\r ]",
  word: "[0-9A-Za-z_]",
  xdigit: "[0-9A-Fa-f]",
};

function matches(pattern: RegExp, bytes: string): RegExpExecArray[] {
  spend(bytes.length);
  return [...toText(bytes).matchAll(pattern)];
}

const tuple = (texts: readonly string[]): StarTuple => new StarTuple(texts.map(toBytes));

/** Where the first match begins and ends, in bytes. */
function search(pattern: RegExp, bytes: string): Value {
  const [found] = matches(pattern, bytes);
  if (!found) return null;
  const from = toBytes(toText(bytes).slice(0, found.index)).length;
  return new StarList([BigInt(from), BigInt(from + toBytes(found[0]).length)]);
}

function match(pattern: RegExp, bytes: string): Value {
  return new StarList(matches(pattern, bytes).map((found) => tuple([...found].map((group) => group ?? ""))));
}

function split(pattern: RegExp, bytes: string, most: number): string[] {
  const text = toText(bytes);
  const pieces: string[] = [];
  let from = 0;
  for (const found of matches(pattern, bytes)) {
    if (most > 0 && pieces.length === most - 1) break;
    if (found[0] === "" && (found.index === 0 || found.index === text.length)) continue;
    pieces.push(text.slice(from, found.index));
    from = found.index + found[0].length;
  }
  return [...pieces, text.slice(from)];
}

/** `$1`, `${1}` and `${name}` stand for groups, `$$` for a dollar (Go's Regexp.Expand). */
function sub(pattern: RegExp, replacement: string, bytes: string): string {
  spend(bytes.length);
  const template = toText(replacement);
  const result = toText(bytes).replace(pattern, (...found: unknown[]) => {
    const last = found.at(-1);
    const groups = typeof last === "object" && last !== null ? new Map(Object.entries(last)) : new Map();
    return template.replace(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, ...[dollar, braced, bare]) => {
      const name: string = braced ?? bare ?? "";
      if (dollar !== undefined) return "$";
      const value: unknown = /^\d+$/.test(name) ? found[Number(name)] : groups.get(name);
      return typeof value === "string" ? value : "";
    });
  });
  return toBytes(result);
}
