import { isRecord } from "@capstan/formats";
import { fieldAt, type MappingNode, readYaml, textAt, textsAt, type YamlNode } from "@capstan/krm-yaml";
import { PackageError } from "../trace-error.ts";

const setterPrefix = "io.k8s.cli.setters.";
const substitutionPrefix = "io.k8s.cli.substitutions.";
const reference = "#/definitions/";

/** What a definition of a former Kptfile's openAPI says (kyaml setters2 CliExtension). */
type Definition = { setter: YamlNode } | { substitution: YamlNode };
export type FormerSetters = ReadonlyMap<string, Definition>;

/** Setters and substitutions of a Kptfile of kpt 0.x, by the names of their definitions. */
export function settersIn(kptfile: MappingNode): FormerSetters {
  const found = new Map<string, Definition>();
  const definitions = fieldAt(kptfile, "openAPI", "definitions");
  for (const { key, value } of definitions?.kind === "mapping" ? definitions.entries : []) {
    const setter = fieldAt(value, "x-k8s-cli", "setter");
    const substitution = fieldAt(value, "x-k8s-cli", "substitution");
    if (setter) found.set(key.value, { setter });
    else if (substitution) found.set(key.value, { substitution });
    else if (key.value.startsWith(setterPrefix))
      throw new PackageError(`missing x-k8s-cli.setter for ${key.value}`);
  }
  return found;
}

/** Names and values of the setters; a list as text of lines, which is how apply-setters takes it. */
export function setterValues(setters: FormerSetters): Map<string, string> {
  const values = new Map<string, string>();
  for (const [name, definition] of setters) {
    if (!name.startsWith(setterPrefix) || !("setter" in definition)) continue;
    const list = fieldAt(definition.setter, "listValues");
    const texts = list?.kind === "sequence" ? list.items.map((item) => textAt(item)) : [];
    const value = texts.length > 0 ? `[${texts.join(", ")}]` : textAt(definition.setter, "value");
    values.set(textAt(definition.setter, "name"), value);
  }
  return values;
}

/** "[a, b]" as text of lines. */
export function listAsLines(value: string): string {
  if (!value.startsWith("[")) return value;
  const root = readYaml("the value of a setter", value)[0]?.root;
  return root?.kind === "sequence" ? root.items.map((item) => `- ${textAt(item)}\n`).join("") : value;
}

/** Comments of kpt 0.x, `# {"$kpt-set":"x"}`, become those of apply-setters, `# kpt-set: ${x}`. */
export function fixSetterComments(root: YamlNode, setters: FormerSetters | undefined): void {
  const fixer = new CommentFixer(setters ?? new Map());
  fixer.visit(root, undefined);
}

class CommentFixer {
  readonly #setters: FormerSetters;

  constructor(setters: FormerSetters) {
    this.#setters = setters;
  }

  /** `inherited`: what the comment at the key or the list around it says. */
  visit(node: YamlNode, inherited: Definition | undefined): void {
    const own = this.#definitionAt(node) ?? inherited;
    if (node.kind === "scalar") {
      if (own) node.line = `# kpt-set: ${this.#patternOf(own)}`;
    } else if (node.kind === "sequence") {
      if (node.flow && own) node.line = `# kpt-set: ${this.#patternOf(own)}`;
      else for (const item of node.items) this.visit(item, this.#definitionAt(node));
    } else if (node.kind === "mapping")
      for (const { key, value } of node.entries) {
        if (value.kind === "sequence" && value.items.length > 0) key.line = fixListComment(key.line);
        this.visit(value, value.kind === "scalar" ? this.#definitionAt(key) : undefined);
      }
  }

  #definitionAt({ line, head }: YamlNode): Definition | undefined {
    const comment = (line || head).replace(/^#+/, "").trim();
    if (!comment.startsWith("{")) return undefined;
    const content = parseObject(comment);
    const name = content?.["$kpt-set"];
    if (typeof name === "string")
      return this.#setters.get(setterPrefix + name) ?? this.#setters.get(substitutionPrefix + name);
    const ref = content?.$ref;
    return typeof ref === "string" ? this.#setters.get(ref.replace(reference, "")) : undefined;
  }

  #patternOf(definition: Definition): string {
    if ("setter" in definition) return `\${${textAt(definition.setter, "name")}}`;
    return this.#substitute(definition.substitution, new Set());
  }

  #substitute(substitution: YamlNode, visited: Set<string>): string {
    const name = textAt(substitution, "name");
    if (visited.has(name)) throw new PackageError(`cyclic substitution detected with name ${name}`);
    visited.add(name);
    let pattern = textAt(substitution, "pattern");
    const values = fieldAt(substitution, "values");
    for (const value of values?.kind === "sequence" ? values.items : []) {
      const ref = textAt(value, "ref");
      if (ref === "") throw new PackageError(`missing reference on substitution ${name}`);
      const part = this.#setters.get(ref.replace(reference, ""));
      if (!part) throw new PackageError(`substitution ${name} refers to "${ref}", which is not defined`);
      const text = "setter" in part ? partOf(part.setter) : this.#substitute(part.substitution, visited);
      pattern = pattern.replaceAll(textAt(value, "marker"), () => text);
    }
    return pattern;
  }
}

/** A setter by a name of its own, or what its value stands for where it has names for values. */
function partOf(setter: YamlNode): string {
  const value = textAt(setter, "value");
  return textsAt(setter, "enumValues").get(value) ?? `\${${textAt(setter, "name")}}`;
}

function fixListComment(comment: string): string {
  for (const prefix of ['# {"$kpt-set":"', '# {"$ref":"#/definitions/io.k8s.cli.'])
    if (comment.startsWith(prefix))
      return `# kpt-set: \${${comment.slice(prefix.length).replace(/"}$/, "")}}`;
  return comment;
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(text);
    return isRecord(content) ? content : undefined;
  } catch (error) {
    // Other comments in braces mean nothing here.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
