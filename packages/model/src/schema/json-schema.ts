import type { ObjectShape, Shape } from "./schema.ts";

type Json = { [name: string]: unknown };

const draft = "http://json-schema.org/draft-07/schema#";
const template = { type: "string", pattern: "\\{\\{" };

interface Rules {
  /** Nothing need be there: of files that are completed when they are read. */
  readonly partial?: boolean;
  /** A template may stand in the place of one of several words. */
  readonly templated?: boolean;
}

/**
 * For editors (yaml-language-server): the shape by which a file is validated, so that a field that nobody knows is
 * marked where it is written. JSON Schema draft 7, which that server reads.
 */
export function jsonSchema(shape: Shape, { title, ...rules }: Rules & { title: string }): Json {
  const writer = new SchemaWriter(rules, sharedShapes(shape));
  const whole = writer.whole(shape);
  return { $schema: draft, title, ...whole, ...writer.definitions() };
}

/** Objects that stand in more than one place: each is written once. */
function sharedShapes(shape: Shape): ReadonlyMap<Shape, string> {
  const seen = new Set<Shape>();
  const shared = new Map<Shape, string>();
  const visit = (one: Shape): void => {
    if (one.type === "array") visit(one.items);
    else if (one.type === "map") visit(one.values);
    if (one.type !== "object") return;
    if (seen.has(one)) {
      if (!shared.has(one)) shared.set(one, `object${shared.size + 1}`);
      return;
    }
    seen.add(one);
    for (const below of Object.values(one.properties)) visit(below);
  };
  visit(shape);
  return shared;
}

class SchemaWriter {
  readonly #rules: Rules;
  readonly #shared: ReadonlyMap<Shape, string>;

  constructor(rules: Rules, shared: ReadonlyMap<Shape, string>) {
    this.#rules = rules;
    this.#shared = shared;
  }

  definitions(): Json {
    if (this.#shared.size === 0) return {};
    const all = [...this.#shared].map(([shape, name]) => [name, this.whole(shape)] as const);
    return { definitions: Object.fromEntries(all) };
  }

  whole(shape: Shape): Json {
    const { description } = shape;
    return { ...(description === undefined ? {} : { description }), ...this.#body(shape) };
  }

  #of(shape: Shape): Json {
    const name = this.#shared.get(shape);
    return name === undefined ? this.whole(shape) : { $ref: `#/definitions/${name}` };
  }

  #body(shape: Shape): Json {
    switch (shape.type) {
      case "string":
        return this.#text(shape);
      case "integer":
        return { type: "integer", ...(shape.minimum === undefined ? {} : { minimum: shape.minimum }) };
      case "boolean":
        return { type: "boolean" };
      case "int-or-string":
        return { type: ["integer", "string"] };
      case "raw":
        return shape.object ? { type: "object" } : {};
      case "array":
        return { type: "array", items: this.#of(shape.items) };
      case "map":
        return { type: "object", additionalProperties: this.#of(shape.values) };
      case "object":
        return this.#object(shape);
    }
  }

  #text({ enum: allowed, pattern, maxLength, format }: Extract<Shape, { type: "string" }>): Json {
    const own = {
      ...(pattern === undefined ? {} : { pattern }),
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(format === undefined ? {} : { format }),
    };
    if (allowed === undefined) return { type: "string", ...own };
    const words = { enum: [...allowed], ...own };
    return this.#rules.templated ? { anyOf: [words, template] } : words;
  }

  #object({ properties, required, opaqueInCrd }: ObjectShape): Json {
    const wanted = this.#rules.partial ? [] : [...required].sort();
    return {
      type: "object",
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, below]) => [name, this.#of(below)]),
      ),
      ...(wanted.length === 0 ? {} : { required: wanted }),
      // Metadata is the API server's business.
      ...(opaqueInCrd ? {} : { additionalProperties: false }),
    };
  }
}
