import { type GoMatch, type GoRegexp, goRegexp } from "@capstan/formats/re2";
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
    { parameters: readonly string[]; run: (pattern: GoRegexp, args: Arguments, first: number) => Value }
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
    run: (pattern, args, first) => tuple(matches(pattern, args.text(first)).map(wholeOf)),
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
  readonly #pattern: GoRegexp;

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

function compile(source: string): GoRegexp {
  try {
    return goRegexp(toText(source));
  } catch (error) {
    throw new StarlarkError(error instanceof Error ? error.message : String(error));
  }
}

function matches(pattern: GoRegexp, bytes: string): GoMatch[] {
  spend(bytes.length);
  return [...pattern.findAll(toText(bytes))];
}

const tuple = (texts: readonly string[]): StarTuple => new StarTuple(texts.map(toBytes));

/** Where the first match begins and ends, in bytes. */
function search(pattern: GoRegexp, bytes: string): Value {
  const [found] = matches(pattern, bytes);
  if (!found) return null;
  const from = toBytes(toText(bytes).slice(0, found.index)).length;
  return new StarList([BigInt(from), BigInt(from + toBytes(wholeOf(found)).length)]);
}

function match(pattern: GoRegexp, bytes: string): Value {
  return new StarList(matches(pattern, bytes).map(({ parts }) => tuple(parts.map((part) => part ?? ""))));
}

function split(pattern: GoRegexp, bytes: string, most: number): string[] {
  const text = toText(bytes);
  const pieces: string[] = [];
  let from = 0;
  for (const found of matches(pattern, bytes)) {
    if (most > 0 && pieces.length === most - 1) break;
    const whole = wholeOf(found);
    if (whole === "" && (found.index === 0 || found.index === text.length)) continue;
    pieces.push(text.slice(from, found.index));
    from = found.index + whole.length;
  }
  return [...pieces, text.slice(from)];
}

/** `$1`, `${1}` and `${name}` stand for groups, `$$` for a dollar (Go's Regexp.Expand). */
function sub(pattern: GoRegexp, replacement: string, bytes: string): string {
  spend(bytes.length);
  const template = toText(replacement);
  return toBytes(pattern.replaceAll(toText(bytes), (found) => expand(template, found)));
}

function expand(template: string, { parts, names }: GoMatch): string {
  return template.replace(/\$(?:(\$)|\{(\w+)\}|(\w+))/g, (_, ...[dollar, braced, bare]) => {
    const name: string = braced ?? bare ?? "";
    if (dollar !== undefined) return "$";
    return (/^\d+$/.test(name) ? parts[Number(name)] : names[name]) ?? "";
  });
}

function wholeOf({ parts: [whole = ""] }: GoMatch): string {
  return whole;
}
