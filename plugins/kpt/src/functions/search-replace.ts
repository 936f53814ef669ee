import { matchesFiles } from "@capstan/formats";
import { goRegexp } from "@capstan/formats/re2";
import {
  copyNode,
  type Entry,
  ensureMapping,
  type MappingNode,
  printYaml,
  type ScalarNode,
  scalar,
  setField,
} from "@capstan/krm-yaml";
import type { KrmFunction, ResultItem } from "../function.ts";
import { fileOf, type Item } from "../item.ts";
import { dataOf, refuse } from "./function-config.ts";
import { walkFields } from "./walk-fields.ts";

const options = ["by-value", "by-file-path", "by-value-regex", "by-path", "put-value", "put-comment"];

/** Finds fields by value, path and file, and gives them another value or a comment. */
export const searchReplace: KrmFunction = async (list, context) => {
  const data = dataOf(list.functionConfig);
  try {
    const search = new Search(data);
    const items = list.items.filter((item) => search.isInFile(item));
    list.results = search.run(items);
  } catch (error) {
    context.signal.throwIfAborted();
    const message = error instanceof Error ? error.message : String(error);
    const end = refuse(list, "failed to perform search-replace operation", message);
    const shown = `failed to perform search-replace operation: ${JSON.stringify(message)}`;
    list.results = [{ message: shown, severity: "error" }];
    return end;
  }
  return undefined;
};

/** What an expression found in a text: the whole and its groups; undefined where it does not match. */
type Groups = readonly (string | undefined)[] | undefined;

class Search {
  readonly #byValue: string;
  readonly #byRegex: string;
  readonly #byPath: string;
  readonly #byFile: string;
  readonly #putValue: string;
  readonly #putComment: string;

  constructor(data: ReadonlyMap<string, string>) {
    const wrong = [...data.keys()].find((key) => !options.includes(key));
    if (wrong !== undefined)
      throw new Error(
        `invalid matcher "${wrong}", must be one of [${options.map((one) => `"${one}"`).join(" ")}]`,
      );
    const [byValue, byFile, byRegex, byPath, putValue, putComment] = options.map(
      (one) => data.get(one) ?? "",
    );
    this.#byValue = byValue ?? "";
    this.#byFile = byFile ?? "";
    this.#byRegex = byRegex ?? "";
    this.#byPath = byPath ?? "";
    this.#putValue = putValue ?? "";
    this.#putComment = putComment ?? "";
    if (this.#byValue !== "" && this.#byRegex !== "")
      throw new Error('only one of ["by-value", "by-value-regex"] can be provided');
  }

  isInFile(item: Item): boolean {
    return this.#byFile === "" || matchesFiles(this.#byFile, fileOf(item).path);
  }

  run(items: readonly Item[]): ResultItem[] {
    const results: ResultItem[] = [];
    const verb =
      this.#putComment !== "" || this.#putValue !== "" ? "Mutated field value to" : "Matched field value";
    const tell = (item: Item) => (path: string, value: string) => {
      const { path: file } = fileOf(item);
      results.push({ message: `${verb} ${JSON.stringify(value)}`, field: { path }, file: { path: file } });
    };
    if (this.#putsByPath()) for (const item of items) this.#putByPath(item.root, tell(item));
    else {
      const matches = this.#matches(items);
      for (const item of items)
        walkFields(item.root, {
          entry: (entry, path) => this.#commentList(entry, path, tell(item)),
          scalar: (node, path) => this.#replace(node, path, { matches, told: tell(item) }),
        });
    }
    return results.length > 0 ? results : [{ message: "no matches" }];
  }

  /** Every text of the items, matched at once. */
  #matches(items: readonly Item[]): Map<string, Groups> {
    if (this.#byRegex === "") return new Map();
    const values = new Set<string>();
    for (const item of items) walkFields(item.root, { scalar: (node) => values.add(node.value) });
    const all = [...values];
    const expression = goRegexp(this.#byRegex);
    return new Map(all.map((value) => [value, expression.find(value)?.parts]));
  }

  #replace(
    node: ScalarNode,
    path: string,
    { matches, told }: { matches: ReadonlyMap<string, Groups>; told: (path: string, value: string) => void },
  ): void {
    const groups = matches.get(node.value);
    const byValue = (this.#byValue !== "" && this.#byValue === node.value) || groups !== undefined;
    const byPath = pathMatches(path, this.#byPath);
    const wantsValue = this.#byValue !== "" || this.#byRegex !== "";
    if (!(wantsValue ? byValue && (byPath || this.#byPath === "") : byPath)) return;
    if (this.#putComment !== "") node.line = `# ${fill(this.#putComment, groups)}`;
    if (this.#putValue !== "") {
      node.value = fill(this.#putValue, groups);
      node.tag = "";
    }
    const bare = { ...copyNode(node), head: "", line: "", foot: "" };
    const shown = printYaml({ root: bare }, { seqIndent: "compact" }).trim();
    // Also of a text of several lines the comment stands in the first.
    told(path, node.line === "" ? shown : shown.replace(/$/m, () => ` ${node.line}`));
  }

  #commentList({ key, value }: Entry, path: string, told: (path: string, value: string) => void): void {
    // A key that has a comment matches no path there, because the comment counts as part of it.
    const isPlain = value.kind === "sequence" && value.items.length > 0 && key.line === "";
    if (this.#putComment === "" || value.kind !== "sequence" || !isPlain) return;
    if (!pathMatches(path, this.#byPath)) return;
    key.line = `# ${this.#putComment}`;
    const shown = printYaml({ root: { ...copyNode(value), flow: true, line: "" } }, { seqIndent: "compact" });
    value.flow = false;
    told(`${this.#byPath} # ${this.#putComment}`, shown.trim());
  }

  /** A plain path with nothing to search for: the field is set, and made where it is missing. */
  #putsByPath(): boolean {
    const parts = this.#byPath.split(".");
    const isPlain = parts.every((part) => part !== "" && !/[*[]/.test(part));
    return isPlain && this.#byValue === "" && this.#byRegex === "" && this.#putValue !== "";
  }

  #putByPath(root: MappingNode, told: (path: string, value: string) => void): void {
    const parts = this.#byPath.split(".");
    const parent = ensureMapping(root, ...parts.slice(0, -1));
    if (!parent) throw new Error(`wrong node kind: expected MappingNode on the way to ${this.#byPath}`);
    setField(parent, parts.at(-1) ?? "", scalar(this.#putValue));
    told(this.#byPath, this.#putValue);
  }
}

/** `${1}` is what the first group of the pattern matched. */
function fill(template: string, groups: Groups): string {
  if (!groups) return template;
  let filled = template;
  groups.forEach((group, index) => {
    if (index > 0) filled = filled.replaceAll(`\${${index}}`, () => group ?? "");
  });
  if (/\$\{[0-9]+\}/.test(filled)) throw new Error("unable to resolve capture groups");
  return filled;
}

/** `*` is one step of a path, `**` any number of them. */
function pathMatches(path: string, pattern: string): boolean {
  if (pattern === "") return false;
  const [steps, wanted] = [path.split("."), pattern.split(".")];
  let row = [true, ...wanted.map(() => false)];
  for (const [at, want] of wanted.entries()) if (want === "**") row[at + 1] = row[at] ?? false;
  for (const step of steps) {
    const next = [false];
    for (const [at, want] of wanted.entries())
      next.push(
        want === "**"
          ? (next[at] ?? false) || (row[at + 1] ?? false)
          : (row[at] ?? false) && stepMatches(step, want),
      );
    row = next;
  }
  return row.at(-1) ?? false;
}

function stepMatches(step: string, wanted: string): boolean {
  if (wanted === "*" || step === wanted) return true;
  const [name = "", index] = step.split("[");
  const [wantedName = "", wantedIndex] = wanted.split("[");
  if (index === undefined || wantedIndex === undefined) return false;
  return (wantedName === "*" || wantedName === name) && (wantedIndex === "*]" || wantedIndex === index);
}
