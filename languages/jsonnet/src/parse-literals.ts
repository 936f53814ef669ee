import { JsonnetError } from "./jsonnet-error.ts";
import type { Parser } from "./parse.ts";
import { parseBind, parseClauses, parseParams } from "./parse-lists.ts";
import type { Bind, FieldNode, Node, ObjectNode, Visibility } from "./syntax.ts";

export function parseArray(parser: Parser): Node {
  const { at } = parser.expect("[");
  const items: Node[] = [];
  while (!parser.is("]")) {
    items.push(parser.expression());
    const comma = parser.accept(",");
    const [body] = items;
    if (parser.is("for") && items.length === 1 && body) {
      const clauses = parseClauses(parser);
      parser.expect("]");
      return { type: "array-comprehension", body, clauses, at };
    }
    if (!comma) break;
  }
  parser.expect("]");
  return { type: "array", items, at };
}

interface Members {
  locals: Bind[];
  asserts: { condition: Node; message?: Node | undefined }[];
  fields: FieldNode[];
}

export function parseObject(parser: Parser): Node {
  const { at } = parser.expect("{");
  const outermost = parser.objectDepth === 0;
  parser.objectDepth += 1;
  const members: Members = { locals: [], asserts: [], fields: [] };
  const object: ObjectNode = { outermost, ...members };
  let comprehension: Node | undefined;
  while (!parser.is("}")) {
    parseMember(parser, members);
    const comma = parser.accept(",");
    if (parser.is("for")) {
      comprehension = { type: "object-comprehension", object, clauses: parseClauses(parser), at };
      checkComprehension(members, comprehension);
      break;
    }
    if (!comma) break;
  }
  parser.expect("}");
  parser.objectDepth -= 1;
  checkNames(members.fields);
  return comprehension ?? { type: "object", object, at };
}

function parseMember(parser: Parser, members: Members): void {
  if (parser.accept("local")) members.locals.push(parseBind(parser));
  else if (parser.accept("assert")) {
    const condition = parser.expression();
    members.asserts.push({ condition, message: parser.accept(":") ? parser.expression() : undefined });
  } else members.fields.push(parseField(parser));
}

function parseField(parser: Parser): FieldNode {
  const computed = parser.is("[");
  const name = parseFieldName(parser);
  const { at } = parser.peek();
  const params = parser.is("(") ? parseParams(parser) : undefined;
  const operator = parser.take();
  const match = /^(\+?)(:{1,3})$/.exec(operator.text);
  if (operator.kind !== "operator" || !match || (params && match[1] === "+"))
    throw new JsonnetError(
      `expected : after a field name, got ${JSON.stringify(operator.text)}`,
      operator.at,
    );
  const body = parser.expression();
  const value: Node = params ? { type: "function", params, body, at } : body;
  return { name, computed, visibility: visibilityOf(match[2]), adds: match[1] === "+", value };
}

function visibilityOf(colons: string | undefined): Visibility {
  return colons === "::" || colons === ":::" ? colons : ":";
}

function parseFieldName(parser: Parser): Node {
  const token = parser.take();
  if (token.kind === "name" || token.kind === "string")
    return { type: "string", value: token.text, at: token.at };
  if (token.kind === "symbol" && token.text === "[") {
    const name = parser.expression();
    parser.expect("]");
    return name;
  }
  throw new JsonnetError(`expected a field name, got ${JSON.stringify(token.text)}`, token.at);
}

function checkComprehension({ asserts, fields }: Members, { at }: Node): void {
  const [field] = fields;
  if (asserts.length > 0) throw new JsonnetError("an object comprehension cannot have asserts", at);
  if (fields.length !== 1 || !field || !field.computed)
    throw new JsonnetError("an object comprehension has one field with a computed name", at);
}

function checkNames(fields: readonly FieldNode[]): void {
  const seen = new Set<string>();
  for (const { name, computed } of fields) {
    if (computed || name.type !== "string") continue;
    if (seen.has(name.value)) throw new JsonnetError(`duplicate field: ${name.value}`, name.at);
    seen.add(name.value);
  }
}
