import type { Dice } from "../dice.ts";

type Shapes = readonly [() => string, ...(() => string)[]];
type Kind = "bool" | "int" | "float" | "text" | "list" | "map" | "any";

/** Objects as conditions of deep links and notifications see them. */
export const env = {
  app: {
    metadata: {
      name: "guestbook",
      namespace: "argocd",
      labels: { team: "a", tier: "2" },
      annotations: { note: "x,y" },
    },
    spec: { project: "default", source: { path: "apps/guestbook" }, replicas: 3, weight: 0.5 },
    status: {
      health: { status: "Healthy" },
      sync: { status: "OutOfSync", revision: "abc123" },
      operationState: { phase: "Succeeded", finishedAt: "2026-01-02T03:04:05Z" },
      conditions: [
        { type: "SyncError", message: "one" },
        { type: "OrphanedResource", message: "two" },
      ],
    },
  },
  numbers: [3, 1, 2, 2],
  names: ["b", "a", "ä", "c d"],
  nothing: null,
  flag: true,
} as const;

/** Expressions made at random, mostly of kinds that fit. */
export class ExpressionMaker {
  readonly #random: Dice;
  #depth = 0;
  #inside = 0;

  constructor(random: Dice) {
    this.#random = random;
  }

  expression(): string {
    const random = this.#random;
    const kind = random.pick(["bool", "bool", "bool", "int", "float", "text", "list", "map", "any"] as const);
    const made = this.#make(kind);
    if (random.chance(0.05)) return made.slice(0, random.below(made.length + 1));
    return random.chance(0.1) ? `let v = ${this.#make("any")}; ${made}` : made;
  }

  #make(kind: Kind): string {
    this.#depth += 1;
    try {
      const random = this.#random;
      if (random.chance(0.04)) return this.#make("any");
      if (this.#depth > 5 || random.chance(0.25)) return this.#leaf(kind);
      const made = this.#compound(kind);
      return random.chance(0.2) ? `(${made})` : made;
    } finally {
      this.#depth -= 1;
    }
  }

  #leaf(kind: Kind): string {
    const { pick, chance } = {
      pick: this.#random.pick.bind(this.#random),
      chance: this.#random.chance.bind(this.#random),
    };
    if (this.#inside > 0 && chance(0.5) && kind !== "map" && kind !== "list")
      return pick(["#", "#", "#", ".type", "#index"]);
    switch (kind) {
      case "bool":
        return pick(["true", "false", "flag"]);
      case "int":
        return pick([
          "0",
          "1",
          "2",
          "-3",
          "10",
          "0x1F",
          "1_000",
          "0b11",
          "app.spec.replicas",
          "numbers[0]",
          "numbers[-1]",
        ]);
      case "float":
        return pick(["0.5", "1e3", ".25", "2.0", "app.spec.weight", "1e21", "0.00001"]);
      case "text":
        return pick([
          "''",
          "'a'",
          '"Healthy"',
          "`raw`",
          '"a\\n\\u00e4"',
          "app.metadata.name",
          "app.status.health.status",
          "app.metadata.labels.team",
          "app.status.operationState.phase",
          "names[0]",
        ]);
      case "list":
        return pick(["[]", "numbers", "names", "[1, 'a', nil]", "app.status.conditions", "[1, [2, [3]]]"]);
      case "map":
        return pick(["{}", "{a: 1}", "app.metadata.labels", "app.status", "app.metadata.annotations"]);
      case "any":
        return pick([
          "nil",
          "nothing",
          "app.missing",
          "unknown",
          "app?.a?.b",
          "nothing?.x",
          "app.spec.replicas",
          "'a'",
          "1",
          "[]",
          "app.nothing.x",
          "$env['flag']",
        ]);
    }
  }

  #compound(kind: Kind): string {
    const random = this.#random;
    const make = (one: Kind) => this.#make(one);
    const maker = random.pick(this.#shapes(make)[kind]);
    return maker();
  }

  #predicate(kind: Kind): string {
    this.#inside += 1;
    const made = this.#make(kind);
    this.#inside -= 1;
    return this.#random.chance(0.3) ? `{${made}}` : made;
  }

  #shapes(make: (kind: Kind) => string): Record<Kind, Shapes> {
    return { ...this.#judged(make), ...this.#gathered(make) };
  }

  #judged(make: (kind: Kind) => string): Record<"bool" | "int" | "float", Shapes> {
    const { pick } = { pick: this.#random.pick.bind(this.#random) };
    const any = () => make(pick(["int", "float", "text", "list", "map", "bool", "any"]));
    const same = () => pick(["int", "text", "float"] as const);
    const predicate = (kind: Kind) => this.#predicate(kind);
    const compared = () => {
      const kind = same();
      return `${make(kind)} ${pick(["==", "!=", "<", ">", "<=", ">="])} ${make(kind)}`;
    };
    return {
      bool: [
        compared,
        compared,
        () => `${any()} ${pick(["==", "!="])} ${any()}`,
        () => `${make("bool")} ${pick(["and", "or", "&&", "||"])} ${make("bool")}`,
        () => `${pick(["not ", "!"])}${make("bool")}`,
        () =>
          `${make("text")} ${pick(["contains", "startsWith", "endsWith", "not contains"])} ${make("text")}`,
        () =>
          `${make("text")} ${pick(["matches", "not matches"])} ${pick(["'^a'", "'.*'", "'[a-z]+$'", "'('"])}`,
        () => `${make("text")} ${pick(["in", "not in"])} ${make(pick(["list", "map"]))}`,
        () => `${make("int")} in ${make("list")}`,
        () => `${pick(["all", "any", "none", "one"])}(${make("list")}, ${predicate("bool")})`,
        () => `${make("list")} | ${pick(["any", "all"])}(${predicate("bool")})`,
        () => `${pick(["hasPrefix", "hasSuffix"])}(${make("text")}, ${make("text")})`,
        () => `${make("int")} < ${make("int")} <= ${make("float")}`,
        () =>
          `date(app.status.operationState.finishedAt) ${pick(["<", ">"])} date('2026-01-01') + duration('${pick(["1h", "36h", "0s"])}')`,
      ],
      int: [
        () => `${make("int")} ${pick(["+", "-", "*", "%"])} ${make("int")}`,
        () => `-${make("int")}`,
        () => `len(${make(pick(["text", "list", "map"]))})`,
        () => `${pick(["indexOf", "lastIndexOf"])}(${make("text")}, ${make("text")})`,
        () => `int(${make(pick(["int", "float", "text"]))})`,
        () => `${pick(["sum", "max", "min"])}(${make("list")})`,
        () => `count(${make("list")}, ${predicate("bool")})`,
        () => `reduce(${make("list")}, #acc ${pick(["+", "*"])} #${pick(["", ", 0", ", 1"])})`,
        () => `${make("bool")} ? ${make("int")} : ${make("int")}`,
        () => `${pick(["bitand", "bitor", "bitxor", "bitnand"])}(${make("int")}, ${make("int")})`,
        () => `${pick(["bitshl", "bitshr", "bitushr"])}(${make("int")}, ${pick(["0", "1", "5", "63"])})`,
        () => `${pick(["findIndex", "findLastIndex"])}(${make("list")}, ${predicate("bool")})`,
        () =>
          `date('2026-01-02 03:04:05').${pick(["Year", "Month", "Day", "Hour", "Unix", "YearDay", "Weekday"])}()`,
        () => `abs(${make("int")})`,
      ],
      float: [
        () => `${make("float")} ${pick(["+", "-", "*", "/"])} ${make(pick(["int", "float"]))}`,
        () => `${make("int")} ${pick(["/", "**", "^"])} ${make("int")}`,
        () => `float(${make(pick(["int", "float", "text"]))})`,
        () => `${pick(["mean", "median"])}(${make("list")})`,
        () => `${pick(["ceil", "floor", "round"])}(${make(pick(["int", "float"]))})`,
        () => `(date('2026-01-02') - date('2026-01-01')).${pick(["Hours", "Minutes", "Seconds"])}()`,
      ],
    };
  }

  #gathered(make: (kind: Kind) => string): Record<"text" | "list" | "map" | "any", Shapes> {
    const { pick } = { pick: this.#random.pick.bind(this.#random) };
    const any = () => make(pick(["int", "float", "text", "list", "map", "bool", "any"]));
    const predicate = (kind: Kind) => this.#predicate(kind);
    return {
      text: [
        () => `${make("text")} + ${make("text")}`,
        () => `${pick(["upper", "lower", "trim", "toJSON", "string", "type"])}(${make("text")})`,
        () => `${pick(["string", "type", "toJSON"])}(${any()})`,
        () => `${pick(["trim", "trimPrefix", "trimSuffix"])}(${make("text")}, ${make("text")})`,
        () => `join(${make("list")}, ${make("text")})`,
        () => `replace(${make("text")}, ${make("text")}, ${make("text")})`,
        () => `repeat(${make("text")}, ${pick(["0", "2", "-1"])})`,
        () => `${make("text")}[${pick(["0:2", ":", "1:", ":-1", "-2:"])}]`,
        () => `${make("any")} ?? ${make("text")}`,
        () => `fromBase64(toBase64(${make("text")}))`,
        () => `if ${make("bool")} {${make("text")}} else {${make("text")}}`,
      ],
      list: [
        () => `[${make(pick(["int", "text"]))}, ${make("text")}]`,
        () => `${pick(["0", "1", "-1"])}..${pick(["0", "3", "5"])}`,
        () => `${pick(["filter"])}(${make("list")}, ${predicate("bool")})`,
        () => `map(${make("list")}, ${predicate(pick(["int", "text", "any"]))})`,
        () => `${pick(["reverse", "uniq", "flatten", "sort"])}(${make("list")})`,
        () => `sort(${make("list")}, '${pick(["asc", "desc", "up"])}')`,
        () => `sortBy(${make("list")}, #${pick(["", ", 'desc'"])})`,
        () => `${pick(["split", "splitAfter"])}(${make("text")}, ${make("text")}${pick(["", ", 2", ", 0"])})`,
        () => `concat(${make("list")}, ${make("list")})`,
        () => `take(${make("list")}, ${pick(["0", "1", "5"])})`,
        () => `${make("list")}[${pick(["1:", ":1", ":-1", "0:99"])}]`,
        () => `sort(${pick(["keys", "values"])}(${make("map")}))`,
      ],
      map: [
        () => `{a: ${any()}, "b": ${any()}}`,
        () => `groupBy(${make("list")}, ${predicate(pick(["int", "text"]))})`,
        () => `fromPairs(toPairs(${make("map")}))`,
        () => `fromJSON(toJSON(${make("map")}))`,
      ],
      any: [
        () => `${make("map")}.${pick(["a", "team", "missing", "health.status"])}`,
        () => `${make("map")}[${make("text")}]`,
        () => `get(${make(pick(["list", "map"]))}, ${make(pick(["int", "text"]))})`,
        () => `${pick(["first", "last"])}(${make("list")})`,
        () => `${pick(["find", "findLast"])}(${make("list")}, ${predicate("bool")})`,
        () => `${make("list")}[${make("int")}]`,
        () => `${make("any")}?.${pick(["a", "b.c", "[0]"])}`,
        () => `${make("any")} ?? ${make("any")}`,
        () => `${make("bool")} ? ${any()} : ${any()}`,
        () => `fromJSON(toJSON(${any()}))`,
      ],
    };
  }
}
