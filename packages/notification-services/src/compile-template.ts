import { isRecord, nearestName } from "@capstan/formats";
import type { Shape } from "@capstan/model/shapes";
import type { Notification } from "./notification.ts";
import { parts } from "./parts/parts.ts";
import { EntryError } from "./service.ts";
import type { CompileText, PrintPart, TextOf, Vars } from "./template/part.ts";

export interface NotificationTemplate {
  readonly name: string;
  /** What of the entry has no effect, a line each, with the key. */
  readonly warnings: readonly string[];
  /**
   * Prints it over `onto`, which stays as it is: several templates of a trigger are printed one over the other, in
   * their order. Throws what the language of templates throws.
   */
  format(vars: Vars, onto?: Notification): Notification;
}

export interface TemplateRequest {
  /** As in `template.<name>`. */
  readonly name: string;
  /** The entry's YAML, parsed. */
  readonly template: unknown;
  /** Go's templates, given from outside. */
  readonly compile: CompileText;
}

/** What an entry may say. */
export const templateShape: Shape = {
  type: "object",
  required: [],
  properties: Object.fromEntries(parts.map(({ key, schema }) => [key, schema.shape])),
};

/** Reads an entry `template.<name>`. Throws EntryError where a field is of the wrong kind, or a text is no template. */
export function compileTemplate({ name, template, compile }: TemplateRequest): NotificationTemplate {
  const entry = `template.${name}`;
  const given = template ?? {};
  if (!isRecord(given)) throw new EntryError(entry, ["it must be an object"]);
  const printers: PrintPart[] = [];
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    const part = partOf(key);
    if (value === null || value === undefined) continue;
    if (part === undefined) {
      warnings.push(unknownKey(key));
      continue;
    }
    const textOf: TextOf = (text = "") => {
      if (text === "") return () => "";
      try {
        return compile(text, name);
      } catch (error) {
        throw new EntryError(entry, [
          `${part.key}: ${error instanceof Error ? error.message : String(error)}`,
        ]);
      }
    };
    const compiled = part.compile(value, textOf, name);
    if (compiled.print) printers.push(compiled.print);
    problems.push(...compiled.problems);
    warnings.push(...compiled.warnings);
  }
  if (problems.length > 0) throw new EntryError(entry, problems);
  const format = (vars: Vars, onto: Notification = {}) =>
    printers.reduce((printed, print) => print(vars, printed), onto);
  return { name, warnings, format };
}

const partOf = (key: string) => parts.find((part) => part.key.toLowerCase() === key.toLowerCase());

function unknownKey(key: string): string {
  const near = nearestName(
    key,
    parts.map((part) => part.key),
  );
  const hint = near === undefined ? "" : `; did you mean ${near}?`;
  return `${key} is of no service that this version knows${hint}`;
}
