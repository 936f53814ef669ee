import { Optional } from "@marcbachmann/cel-js";
import { formatProblem } from "../schema/validation/formats.ts";
import {
  label1035Name,
  labelName,
  labelValue,
  qualifiedName,
  type Syntax,
  subdomainName,
} from "../schema/validation/names.ts";
import type { Functions } from "./functions.ts";

export const formatType = "kubernetes.NamedFormat";

/** A named format: what is wrong with a text, if anything. */
export class FormatValue {
  readonly problems: Syntax;

  constructor(problems: Syntax) {
    this.problems = problems;
  }
}

/** The base of a generated name ends before the letters that are added, and may end with a hyphen (NameIsDNSLabel). */
const asPrefix =
  (syntax: Syntax): Syntax =>
  (text) =>
    syntax(text.endsWith("-") ? `${text.slice(0, -1)}a` : text);

const openapiFormat =
  (name: string, problem: string): Syntax =>
  (text) =>
    formatProblem(name, text) ? [problem] : [];

/** apiserver pkg/cel/library/format.go ConstantFormats */
const formats: Readonly<Record<string, Syntax>> = {
  dns1123Label: labelName,
  dns1123Subdomain: subdomainName,
  dns1035Label: label1035Name,
  qualifiedName,
  dns1123LabelPrefix: asPrefix(labelName),
  dns1123SubdomainPrefix: asPrefix(subdomainName),
  dns1035LabelPrefix: asPrefix(label1035Name),
  labelValue,
  uri: openapiFormat("uri", "invalid URI"),
  uuid: openapiFormat("uuid", "does not match the UUID format"),
  byte: openapiFormat("byte", "invalid base64"),
  date: openapiFormat("date", "invalid date"),
  datetime: openapiFormat("date-time", "invalid datetime"),
};

const named = Object.keys(formats).map((name): [string, () => FormatValue] => [
  `FormatNamespace.${name}(): ${formatType}`,
  () => new FormatValue(formats[name] ?? (() => [])),
]);

export const formatFunctions: Functions = {
  ...Object.fromEntries(named),
  [`FormatNamespace.named(string): optional<${formatType}>`]: (_of: unknown, name: string) => {
    const found = Object.hasOwn(formats, name) ? formats[name] : undefined;
    return found === undefined ? Optional.none() : Optional.of(new FormatValue(found));
  },
  [`${formatType}.validate(string): optional<list<string>>`]: ({ problems }: FormatValue, text: string) => {
    const found = problems(text);
    return found.length === 0 ? Optional.none() : Optional.of([...found]);
  },
};
