/**
 * One definition of a noun gives its TypeScript type (`Static`), its validation (check-shape.ts) and its CRD
 * (crd-schema.ts). The builders make plain values: no library is loaded to read an Application.
 */

declare const carried: unique symbol;

export interface Notes {
  readonly description?: string;
}

export interface StringRules extends Notes {
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly format?: "date-time";
}

export interface ObjectShape extends Notes {
  readonly type: "object";
  readonly properties: { readonly [name: string]: Shape };
  readonly required: readonly string[];
  /** The CRD says only "an object": used for metadata and for parts whose schema would repeat a whole noun. */
  readonly opaqueInCrd?: boolean;
}

export type Shape =
  | ({ readonly type: "string" } & StringRules)
  | ({ readonly type: "integer"; readonly minimum?: number } & Notes)
  | ({ readonly type: "boolean" } & Notes)
  | ({ readonly type: "array"; readonly items: Shape } & Notes)
  | ({ readonly type: "map"; readonly values: Shape } & Notes)
  | ({ readonly type: "int-or-string" } & Notes)
  | ({ readonly type: "raw"; readonly object: boolean } & Notes)
  | ObjectShape;

export interface Schema<T> {
  readonly shape: Shape;
  readonly [carried]?: T;
}

export interface OptionalSchema<T> extends Schema<T> {
  readonly optional: true;
}

export type Static<S> = S extends Schema<infer T> ? T : never;

type Properties = { readonly [name: string]: Schema<unknown> };
type RequiredNames<P> = { [N in keyof P]: P[N] extends OptionalSchema<unknown> ? never : N }[keyof P];
type OptionalNames<P> = { [N in keyof P]: P[N] extends OptionalSchema<unknown> ? N : never }[keyof P];
type Flat<T> = { [N in keyof T]: T[N] };
export type ObjectOf<P> = Flat<
  { [N in RequiredNames<P>]: Static<P[N]> } & { [N in OptionalNames<P>]?: Static<P[N]> }
>;

export const string = (rules: StringRules = {}): Schema<string> => ({ shape: { type: "string", ...rules } });
export const time = (notes: Notes = {}): Schema<string> => string({ ...notes, format: "date-time" });
export const integer = (rules: Notes & { minimum?: number } = {}): Schema<number> => ({
  shape: { type: "integer", ...rules },
});
export const boolean = (notes: Notes = {}): Schema<boolean> => ({ shape: { type: "boolean", ...notes } });
export const intOrString = (notes: Notes = {}): Schema<number | string> => ({
  shape: { type: "int-or-string", ...notes },
});
export const oneOf = <V extends string>(values: readonly V[], notes: Notes = {}): Schema<V> => ({
  shape: { type: "string", enum: values, ...notes },
});
export const list = <T>(items: Schema<T>, notes: Notes = {}): Schema<T[]> => ({
  shape: { type: "array", items: items.shape, ...notes },
});
export const map = <T>(values: Schema<T>, notes: Notes = {}): Schema<{ [key: string]: T }> => ({
  shape: { type: "map", values: values.shape, ...notes },
});
/** Any JSON value. */
export const anyValue = (notes: Notes = {}): Schema<unknown> => ({
  shape: { type: "raw", object: false, ...notes },
});
/** Any JSON object. */
export const anyObject = (notes: Notes = {}): Schema<{ [field: string]: unknown }> => ({
  shape: { type: "raw", object: true, ...notes },
});

export function object<P extends Properties>(properties: P, notes: Notes = {}): Schema<ObjectOf<P>> {
  const shapes: { [name: string]: Shape } = {};
  const required: string[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    shapes[name] = schema.shape;
    if (!("optional" in schema)) required.push(name);
  }
  return { shape: { type: "object", properties: shapes, required, ...notes } };
}

export const optional = <T>(schema: Schema<T>): OptionalSchema<T> => ({
  shape: schema.shape,
  optional: true,
});

export function opaqueInCrd<T>(schema: Schema<T>): Schema<T> {
  if (schema.shape.type !== "object") return schema;
  return { shape: { ...schema.shape, opaqueInCrd: true } };
}
