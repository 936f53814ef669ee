import type { YamlPlace } from "./yaml-place.ts";

/** As much of a JSON schema as ours have. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly $ref?: string;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

export interface FieldChoice {
  readonly label: string;
  readonly description: string;
  /** What is put where the typing began, and how much of it the caret goes behind. */
  readonly text: string;
}

function resolved(root: Schema, schema: Schema | undefined): Schema | undefined {
  const name = schema?.$ref?.split("/").at(-1);
  return name === undefined ? schema : root.definitions?.[name];
}

function below(root: Schema, schema: Schema | undefined, name: string): Schema | undefined {
  const one = resolved(root, schema);
  for (const alternative of one?.anyOf ?? []) {
    const found = below(root, alternative, name);
    if (found) return found;
  }
  if (name === "*") return resolved(root, one?.items);
  const own = one?.properties?.[name];
  const any = typeof one?.additionalProperties === "object" ? one.additionalProperties : undefined;
  return resolved(root, own ?? any);
}

/** The schema of what stands at a path. */
export function schemaAt(root: Schema, path: readonly string[]): Schema | undefined {
  return path.reduce((schema: Schema | undefined, name) => below(root, schema, name), root);
}

/** What may be written where the caret stands. */
export function choicesAt(root: Schema, { path, typed, isValue, indent }: YamlPlace): FieldChoice[] {
  const schema = schemaAt(root, path);
  if (!schema) return [];
  if (isValue) return valueChoices(schema).filter(({ label }) => label.startsWith(typed));
  const names = Object.entries(schema.properties ?? {});
  return names
    .filter(([name]) => name.toLowerCase().startsWith(typed.toLowerCase()) && `${name}:` !== typed)
    .map(([name, of]) => {
      const one = resolved(root, of);
      const needed = schema.required?.includes(name) ? "needed" : "";
      const description = [one?.description ?? of.description, needed].filter(Boolean).join(" · ");
      return { label: name, description, text: name + opening(one, indent) };
    });
}

function valueChoices({ type, enum: values, description = "" }: Schema): FieldChoice[] {
  const known = values ?? (type === "boolean" ? [true, false] : []);
  return known.map((value) => ({ label: String(value), description, text: String(value) }));
}

/** What follows a name, so that the next thing typed stands where it belongs. */
function opening(schema: Schema | undefined, indent: number): string {
  const deeper = `\n${" ".repeat(indent + 2)}`;
  if (schema?.type === "array") return `:${deeper}- `;
  if (schema?.type === "object" || schema?.properties) return `:${deeper}`;
  return ": ";
}
