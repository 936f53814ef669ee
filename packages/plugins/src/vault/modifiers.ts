import { createHash } from "node:crypto";
import { isRecord, parseJson, parseYaml } from "@capstan/model";
import { jsonPath } from "./json-path/json-path.ts";

export interface ModifierOptions {
  /** As argocd-vault-plugin does it, its defects included. */
  isCompatible: boolean;
}

type Modifier = (value: unknown, args: readonly string[], options: ModifierOptions) => unknown;

/** pkg/kube/modifiers.go. */
const modifiers: Readonly<Record<string, Modifier>> = {
  base64encode: (value, args) => Buffer.from(textOf(value, only(args, 0))).toString("base64"),
  base64decode(value, args, { isCompatible }) {
    const text = textOf(value, only(args, 0));
    const bytes = Buffer.from(text, "base64");
    const isBase64 = bytes.toString("base64").replace(/=+$/, "") === text.replace(/=+$/, "");
    if (!isBase64 && !isCompatible) throw new Error("base64decode: the value is not base64");
    return isBase64 ? bytes.toString() : text;
  },
  jsonPath(value, args) {
    if (args.length === 0) throw new Error("jsonPath needs an expression");
    const data = typeof value === "string" ? parseSafely("jsonPath", () => parseJson(value)) : value;
    if (!isRecord(data) && !Array.isArray(data)) throw new Error("jsonPath: the value is no object");
    return jsonPath(args.join(" "), data);
  },
  jsonParse: (value, args) => {
    const text = textOf(value, only(args, 0));
    return parseSafely("jsonParse", () => parseJson(text));
  },
  yamlParse: (value, args) => {
    const text = textOf(value, only(args, 0));
    return parseSafely("yamlParse", () => parseYaml(text));
  },
  indent(value, args, { isCompatible }) {
    const [count] = only(args, 1);
    const width = Number(count);
    if (!/^\d+$/.test(count ?? "") || width > 1000) throw new Error(`indent: "${count}" is no width`);
    return indent(textOf(value), width, isCompatible);
  },
  sha256sum: (value, args) =>
    createHash("sha256")
      .update(textOf(value, only(args, 0)))
      .digest("hex"),
};

/** The value after all modifiers; throws an Error that names the modifier and never the value. */
export function modify(value: unknown, steps: readonly string[], options: ModifierOptions): unknown {
  return steps.reduce((current, step) => {
    const [name = "", ...args] = step.split(/\s+/);
    const modifier = Object.hasOwn(modifiers, name) ? modifiers[name] : undefined;
    if (!modifier)
      throw new Error(`there is no modifier "${name}". There are ${Object.keys(modifiers).join(", ")}`);
    try {
      return modifier(current, args, options);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      throw new Error(problem.startsWith(name) ? problem : `${name}: ${problem}`, { cause: error });
    }
  }, value);
}

function only(args: readonly string[], count: number): readonly string[] {
  if (args.length !== count) throw new Error(`takes ${count} arguments, not ${args.length}`);
  return args;
}

function textOf(value: unknown, _checked?: readonly string[]): string {
  if (typeof value === "string") return value;
  throw new Error(`takes a text, not ${Array.isArray(value) ? "a list" : typeof value}`);
}

/** What a parser says may quote the value. */
function parseSafely(name: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    throw new Error(`${name}: the value cannot be parsed`);
  }
}

function indent(text: string, width: number, isCompatible: boolean): string {
  const lines = text.split("\n");
  const kept = isCompatible ? lines.map((line) => line.trim()).filter((line) => line !== "") : lines;
  return kept.map((line, index) => (index === 0 || line === "" ? line : " ".repeat(width) + line)).join("\n");
}
