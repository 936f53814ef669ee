import { crdSchema } from "@capstan/model/shapes";
import type { AnyRoute, FieldKind } from "./route.ts";
import { everyRoute } from "./routes.ts";

type Json = Record<string, unknown>;

const kinds: Readonly<Record<FieldKind, Json>> = {
  string: { type: "string" },
  boolean: { type: "boolean" },
  integer: { type: "integer", format: "int64" },
  strings: { type: "array", items: { type: "string" }, collectionFormat: "multi" },
  integers: { type: "array", items: { type: "integer", format: "int64" }, collectionFormat: "multi" },
};

/**
 * Every call as OpenAPI 2.0 describes it (https://swagger.io/specification/v2), with grpc-gateway's names of operations.
 * What answers hold is not described.
 */
export function swagger(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of everyRoute) {
    const { method, path } = route;
    const calls = paths[path] ?? {};
    calls[method.toLowerCase()] = describeCall(name, route);
    paths[path] = calls;
  }
  return {
    swagger: "2.0",
    info: { title: "Capstan, by the API of Argo CD", version },
    consumes: ["application/json"],
    produces: ["application/json"],
    securityDefinitions: { token: { type: "apiKey", in: "header", name: "Authorization" } },
    paths,
  };
}

function describeCall(name: string, { path, query, body, bodyShape, access, stream, rpc }: AnyRoute): Json {
  const [service = "", method = ""] = (rpc?.methods[0] ?? "").split("/");
  const tag = service.split(".").at(-1) || "Capstan";
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, field]) => ({
    name: field,
    in: "path",
    required: true,
    type: "string",
  }));
  const asked = Object.entries(query).map(([field, kind]) => ({
    name: field,
    in: "query",
    required: false,
    ...kinds[kind],
  }));
  const sent =
    body === undefined
      ? []
      : [{ name: "body", in: "body", required: true, schema: bodyShape ? crdSchema(bodyShape) : {} }];
  return {
    tags: [tag],
    operationId: method === "" ? name : `${tag}_${method}`,
    parameters: [...named, ...asked, ...sent],
    responses: {
      200: { description: stream ? "One message after the other" : "A successful answer" },
      default: { description: "What is wrong, in words" },
    },
    ...(access === "token" ? { security: [{ token: [] }] } : {}),
  };
}
