import type { Schema } from "@capstan/model/shapes";
import type { Notification } from "../notification.ts";
import { readFields } from "./read-fields.ts";

/** What templates are printed for: app, context, recipient, … */
export type Vars = Readonly<Record<string, unknown>>;

/** A text of a template, read once; throws where it is none. `name` is the template's, for messages. */
export type CompileText = (text: string, name: string) => (vars: Vars) => string;

/** A text that may not be there: "" then. */
export type TextOf = (text: string | undefined) => (vars: Vars) => string;

/** Prints one part of a template over what is there. */
export type PrintPart = (vars: Vars, onto: Notification) => Notification;

export interface CompiledPart {
  /** Nothing where there are problems. */
  readonly print: PrintPart | undefined;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

export interface Part {
  /** In the template. */
  readonly key: keyof Notification;
  readonly schema: Schema<unknown>;
  /** `name` of the template. Throws what `textOf` throws. */
  compile(given: unknown, textOf: TextOf, name: string): CompiledPart;
}

interface PartDefinition<Key extends keyof Notification, Given> {
  readonly key: Key;
  readonly schema: Schema<Given>;
  /** What else is wrong, a line each. */
  check?(given: Given): readonly string[];
  /** What has no effect, a line each. */
  warn?(given: Given): readonly string[];
  compile(
    given: Given,
    textOf: TextOf,
    name: string,
  ): (vars: Vars, earlier: Notification[Key]) => NonNullable<Notification[Key]>;
}

export function definePart<Key extends keyof Notification, Given>(
  definition: PartDefinition<Key, Given>,
): Part {
  const { key, schema } = definition;
  const below = (line: string) => `${key}.${line}`;
  return {
    key,
    schema,
    compile(given, textOf, name) {
      const { value, problems, warnings } = readFields(schema, given, key);
      if (value === undefined) return { print: undefined, problems, warnings };
      const wrong = definition.check?.(value) ?? [];
      if (wrong.length > 0) return { print: undefined, problems: wrong.map(below), warnings };
      const printed = definition.compile(value, textOf, name);
      const print: PrintPart = (vars, onto) => ({ ...onto, [key]: printed(vars, onto[key]) });
      return { print, problems, warnings: [...warnings, ...(definition.warn?.(value) ?? []).map(below)] };
    },
  };
}

/** Each value of a map is a text. */
export function mapTexts(texts: Readonly<Record<string, string>>, textOf: TextOf) {
  const compiled = Object.entries(texts).map(([key, text]) => [key, textOf(text)] as const);
  return (vars: Vars): Record<string, string> =>
    Object.fromEntries(compiled.map(([key, print]) => [key, print(vars)]));
}

export function listTexts(texts: readonly string[], textOf: TextOf) {
  const compiled = texts.map(textOf);
  return (vars: Vars): string[] => compiled.map((print) => print(vars));
}

type Texts<Name extends string> = { readonly [N in Name]?: string | undefined };
type Printed<Name extends string> = { readonly [N in Name]: string };

/** Texts that take the place of earlier ones, also where they print nothing. */
export function replaceTexts<const Name extends string>(
  texts: Texts<Name>,
  names: readonly Name[],
  textOf: TextOf,
) {
  const compiled = names.map((name) => [name, textOf(texts[name])] as const);
  return (vars: Vars) =>
    Object.fromEntries(compiled.map(([name, print]) => [name, print(vars)])) as Printed<Name>;
}

/** Texts that leave earlier ones where they print nothing. */
export function layTexts<const Name extends string>(
  texts: Texts<Name>,
  names: readonly Name[],
  textOf: TextOf,
) {
  const print = replaceTexts(texts, names, textOf);
  return (vars: Vars, earlier: Texts<Name> | undefined) => {
    const fresh = print(vars);
    const laid = names.map((name) => [name, fresh[name] || (earlier?.[name] ?? "")]);
    return Object.fromEntries(laid) as Printed<Name>;
  };
}
