import type { Dice } from "../dice.ts";
import { texts } from "./make-data.ts";

/** "size": of what is made. A small literal, since Go has no limit of what it makes and the program then no answer. */
type Kind = "text" | "int" | "size" | "any" | "list" | "map" | "bool" | "float";

/** Functions by what they take and give; what differs at each call is left out. */
const functions: readonly (readonly [string, readonly Kind[], Kind])[] = [
  ...["upper", "lower", "title", "untitle", "swapcase", "trim", "nospace", "initials"].map(oneText),
  ...["snakecase", "kebabcase", "camelcase", "b64enc", "b64dec", "b32enc", "b32dec"].map(oneText),
  ...["sha1sum", "sha256sum", "sha512sum", "adler32sum", "base", "dir", "clean", "ext"].map(oneText),
  ...["osBase", "osDir", "osClean", "osExt", "regexQuoteMeta", "html", "js", "urlquery"].map(oneText),
  ["isAbs", ["text"], "bool"],
  ["atoi", ["text"], "int"],
  ["trunc", ["int", "text"], "text"],
  ["abbrev", ["int", "text"], "text"],
  ["abbrevboth", ["int", "int", "text"], "text"],
  ["substr", ["int", "int", "text"], "text"],
  ["repeat", ["size", "text"], "text"],
  ["indent", ["size", "text"], "text"],
  ["nindent", ["size", "text"], "text"],
  ["wrap", ["size", "text"], "text"],
  ["wrapWith", ["size", "text", "text"], "text"],
  ...["trimAll", "trimSuffix", "trimPrefix"].map(twoTexts),
  ["replace", ["text", "text", "text"], "text"],
  ["contains", ["text", "text"], "bool"],
  ["hasPrefix", ["text", "text"], "bool"],
  ["hasSuffix", ["text", "text"], "bool"],
  ["plural", ["text", "text", "int"], "text"],
  ["quote", ["any"], "text"],
  ["squote", ["any", "any"], "text"],
  ["cat", ["any", "any"], "text"],
  ["toString", ["any"], "text"],
  ["split", ["text", "text"], "any"],
  ["splitn", ["text", "int", "text"], "any"],
  ["splitList", ["text", "text"], "list"],
  ["join", ["text", "any"], "text"],
  ["sortAlpha", ["list"], "list"],
  ["toStrings", ["any"], "list"],
  ...["int", "int64", "add1"].map((name): readonly [string, readonly Kind[], Kind] => [name, ["any"], "any"]),
  ...["float64", "floor", "ceil"].map((name): readonly [string, readonly Kind[], Kind] => [
    name,
    ["any"],
    "float",
  ]),
  ["toDecimal", ["any"], "any"],
  ...["add", "sub", "mul", "div", "mod", "max", "min"].map(twoAny),
  ...["addf", "subf", "mulf", "divf", "maxf", "minf"].map(twoAny),
  ["round", ["any", "int"], "float"],
  ["until", ["size"], "list"],
  ["untilStep", ["size", "size", "size"], "list"],
  ["seq", ["size", "size"], "text"],
  ["default", ["any", "any"], "any"],
  ["empty", ["any"], "bool"],
  ["coalesce", ["any", "any", "any"], "any"],
  ["all", ["any", "any"], "bool"],
  ["any", ["any", "any"], "bool"],
  ["ternary", ["any", "any", "bool"], "any"],
  ["toJson", ["any"], "text"],
  ["toPrettyJson", ["any"], "text"],
  ["toRawJson", ["any"], "text"],
  ["fromJson", ["text"], "any"],
  ["mustFromJson", ["text"], "any"],
  ["deepCopy", ["map"], "map"],
  ["deepEqual", ["any", "any"], "bool"],
  ...["typeOf", "kindOf"].map((name): readonly [string, readonly Kind[], Kind] => [name, ["any"], "text"]),
  ["list", ["any", "any", "any"], "list"],
  ...["first", "last"].map((name): readonly [string, readonly Kind[], Kind] => [name, ["list"], "any"]),
  ...["rest", "initial", "reverse", "uniq", "compact", "mustUniq"].map(
    (name): readonly [string, readonly Kind[], Kind] => [name, ["list"], "list"],
  ),
  ["append", ["list", "any"], "list"],
  ["prepend", ["list", "any"], "list"],
  ["without", ["list", "any"], "list"],
  ["has", ["any", "list"], "bool"],
  ["concat", ["list", "list"], "list"],
  ["chunk", ["int", "list"], "list"],
  ["slice", ["list", "int", "int"], "any"],
  ["dict", ["text", "any", "text", "any"], "map"],
  ["get", ["map", "text"], "any"],
  ["set", ["map", "text", "any"], "map"],
  ["unset", ["map", "text"], "map"],
  ["hasKey", ["map", "text"], "bool"],
  ["pluck", ["text", "map", "map"], "list"],
  ["pick", ["map", "text"], "map"],
  ["omit", ["map", "text"], "map"],
  ["merge", ["map", "map"], "any"],
  ["mergeOverwrite", ["map", "map"], "any"],
  ["dig", ["text", "text", "any", "map"], "any"],
  ["regexMatch", ["text", "text"], "bool"],
  ["regexFind", ["text", "text"], "text"],
  ["regexFindAll", ["text", "text", "int"], "list"],
  ["regexReplaceAll", ["text", "text", "text"], "text"],
  ["regexReplaceAllLiteral", ["text", "text", "text"], "text"],
  ["regexSplit", ["text", "text", "int"], "list"],
  ["urlParse", ["text"], "map"],
  ["urlJoin", ["map"], "text"],
  ["semver", ["text"], "any"],
  ["semverCompare", ["text", "text"], "bool"],
  ["date", ["text", "any"], "text"],
  ["duration", ["any"], "text"],
  ["durationRound", ["any"], "text"],
  ["toDate", ["text", "text"], "any"],
  ["len", ["any"], "int"],
  ["index", ["any", "any"], "any"],
  ["not", ["any"], "bool"],
  ["and", ["any", "any"], "any"],
  ["or", ["any", "any"], "any"],
  ...["eq", "ne", "lt", "le", "gt", "ge"].map((name): readonly [string, readonly Kind[], Kind] => [
    name,
    ["any", "any"],
    "bool",
  ]),
  ["print", ["any", "any"], "text"],
  ["println", ["any", "any"], "text"],
];

function oneText(name: string): readonly [string, readonly Kind[], Kind] {
  return [name, ["text"], "text"];
}
function twoTexts(name: string): readonly [string, readonly Kind[], Kind] {
  return [name, ["text", "text"], "text"];
}
function twoAny(name: string): readonly [string, readonly Kind[], Kind] {
  return [name, ["any", "any"], "any"];
}

/** With keys of each other: what is empty, what is not and maps at the same one. */
const maps = [
  '(dict "a" 1 "b" .list)',
  '(dict "a" "" "b" (dict "c" 0 "d" nil) "env" (list))',
  '(dict "a" (dict "x" .name "y" (dict)) "b" (dict "c" 2 "d" .list))',
  '(dict "a" (dict) "b" false "env" nil "path" (splitn "/" 2 .name))',
  '(dict "a" (dict "x" (list) "y" (dict "z" 1.5)) "path" (split "/" "x/y"))',
] as const;

/** Layouts and moments that give the same at each call. */
const layouts = ["2006-01-02", "Jan 2, 2006 at 3:04pm (MST)", "15:04:05.000", "Mon _2 06 -07:00"];

/** The one of them that says a moment; what says none gives Go's zero time, in no zone. */
const parsedMoment = 'toDate "2006-01-02" "2024-02-29"';
const textVerbs = ["v", "s", "q", "x", "X", "T"] as const;
const allVerbs = [...textVerbs, "d", "f", "e", "g", "t", "c", "o", "b", "U"] as const;

export class TemplateMaker {
  readonly #random: Dice;

  constructor(random: Dice) {
    this.#random = random;
  }

  template(): string {
    return this.#random.several(1, 3, () => this.#piece(2)).join("");
  }

  #piece(depth: number): string {
    const random = this.#random;
    const trim = (): string => random.pick(["", "", "", "- "]);
    const open = `{{${trim()}`;
    const close = random.pick(["}}", "}}", "}}", " -}}"]);
    const kind = random.below(depth > 0 ? 12 : 6);
    if (kind < 1) return random.pick(["text ", "\n  ", "-", "é"]);
    if (kind < 6) return `${open}${this.#pipe("any")}${close}`;
    const inner = (): string => this.#piece(depth - 1);
    const otherwise = random.chance(0.4) ? `{{else}}${inner()}` : "";
    if (kind === 6) return `${open}if ${this.#pipe("any")}${close}${inner()}${otherwise}{{end}}`;
    if (kind === 7) return `${open}with ${this.#pipe("any")}${close}${inner()}{{.}}${otherwise}{{end}}`;
    if (kind === 8) return `${open}range ${this.#operand("list", 1)}${close}[{{.}}]${otherwise}{{end}}`;
    if (kind === 9)
      return `${open}range $k, $v := ${this.#operand(random.pick(["map", "list", "size"]), 1)}${close}{{$k}}={{$v}};{{end}}`;
    if (kind === 10) return `${open}$x := ${this.#pipe("any")}${close}{{$x}}{{ $x = 1 }}{{$x}}`;
    return `{{define "t"}}<{{.}}>{{end}}{{template "t" ${this.#operand("any", 0)}}}`;
  }

  #pipe(kind: Kind): string {
    const random = this.#random;
    if (random.chance(0.15)) {
      const shown = `${this.#operand("any", 1)} ${this.#operand("any", 1)}`;
      return `printf ${this.#format(shown.includes(parsedMoment))} ${shown}`;
    }
    if (random.chance(0.3)) return this.#operand(kind, 2);
    const first = this.#operand("any", 1);
    const [name, parameters] = this.#functionOf(undefined);
    if (random.chance(0.3))
      return `${this.#operand(parameters.at(-1) ?? "any", 1)} | ${this.#call(name, parameters.slice(0, -1))}`;
    return random.chance(0.1) ? first : this.#call(name, parameters);
  }

  #functionOf(kind: Kind | undefined): readonly [string, readonly Kind[], Kind] {
    const fitting =
      kind === undefined || kind === "any" ? functions : functions.filter(([, , gives]) => gives === kind);
    return fitting[this.#random.below(fitting.length)] ?? ["len", ["any"], "int"];
  }

  #call(name: string, parameters: readonly Kind[]): string {
    const random = this.#random;
    const wrong = random.chance(0.03) ? parameters.slice(1) : parameters;
    if (name === "date" || name === "toDate") {
      const layout = `"${layouts[random.below(layouts.length)]}"`;
      const moment =
        name === "date"
          ? random.pick(["0", "86400", "1700000000"])
          : `"${random.pick(["2024-02-29", "nope"])}"`;
      return `${name} ${layout} ${moment}`;
    }
    if (name === "durationRound") return `${name} "${random.pick(["2h10m5s", "36h", "x", "-90s"])}"`;
    const given = wrong.map((kind) =>
      this.#operand(kind !== "size" && random.chance(0.05) ? "any" : kind, 1),
    );
    return [name, ...given].join(" ");
  }

  #operand(kind: Kind, depth: number): string {
    const random = this.#random;
    if (kind !== "size" && depth > 0 && random.chance(0.35)) {
      const [name, parameters] = this.#functionOf(kind);
      return `(${this.#call(name, parameters)})`;
    }
    switch (kind === "any" ? random.pick(["text", "int", "list", "map", "bool", "float", "odd"]) : kind) {
      case "text":
        return random.chance(0.5)
          ? random.pick([".name", ".labels.env", ".path.basename"])
          : JSON.stringify(random.pick(texts));
      case "int":
      case "size":
        return random.pick(["0", "1", "2", "3", "5", "-1", "-3", "10", "0x10", "'a'"]);
      case "float":
        return random.pick([".n", "2.5", "1e3", "-0.5"]);
      case "list":
        return random.pick([".list", ".path.segments", '(list 1 "a" 2.5 nil)', "(until 3)"]);
      case "map":
        return random.pick([".labels", ".path", "(dict)", ".", ...maps]);
      case "bool":
        return random.pick(["true", "false"]);
      default:
        return random.pick([
          ".",
          ".missing",
          ".missing.deep",
          "$",
          ".a",
          ".values",
          ".name.x",
          "nil",
          '(index .labels "a-b")',
        ]);
    }
  }

  /** `ofMoment`: none of the verbs by which Go prints where a zone lies in its memory, which differs with each run. */
  #format(ofMoment: boolean): string {
    const random = this.#random;
    const flags = random.pick(["", "", "", "-", "+", "#", "0", " "]);
    const width = random.pick(["", "", "5", "12"]);
    const precision = random.pick(["", "", ".0", ".2"]);
    const verb = (): string => random.pick(ofMoment ? textVerbs : allVerbs);
    return JSON.stringify(
      `%${flags}${width}${precision}${verb()} 100%% %${verb()}${random.pick(["", "", "%d", "%!", "%[1]v"])}`,
    );
  }
}
