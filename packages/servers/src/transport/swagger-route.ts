import { swagger } from "@capstan/wire";
import type { FastifyInstance } from "fastify";
import type { RouteGuard } from "./guard.ts";

const guard: RouteGuard = { kind: "page", access: "open", streams: false, maxBody: 0 };

interface Needs {
  version: string;
  /** Whether the operator wants it known (server.disable.swagger.ui). */
  isShown(): boolean;
}

/** What the API takes, for programs and for people; the same for everybody, and in nobody's frame. */
export function mountSwagger(app: FastifyInstance, { version, isShown }: Needs): void {
  const make = () => {
    const described = swagger(version);
    return { text: JSON.stringify(described), page: pageOf(Object.entries(described.paths as object)) };
  };
  let made: ReturnType<typeof make> | undefined;
  for (const [path, type] of [
    ["/swagger.json", "application/json"],
    ["/swagger-ui", "text/html; charset=utf-8"],
  ] as const)
    app.get(path, { config: { guard } }, async (_request, reply) => {
      if (!isShown()) return reply.code(404).type("text/plain").send("not found\n");
      made ??= make();
      const { text, page } = made;
      return reply
        .header("content-type", type)
        .header("x-frame-options", "DENY")
        .header(
          "content-security-policy",
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
        )
        .send(type.startsWith("text/html") ? page : text);
    });
}

/** No script and nothing from elsewhere; names and addresses are those of the table of calls. */
function pageOf(paths: readonly [string, Record<string, { operationId: string }>][]): string {
  const rows = paths.flatMap(([path, calls]) =>
    Object.entries(calls).map(
      ([method, { operationId }]) =>
        `<tr><td>${method.toUpperCase()}</td><td><code>${path}</code></td><td>${operationId}</td></tr>`,
    ),
  );
  const style = "body{font:14px sans-serif;margin:2em}td{padding:.2em 1em .2em 0}";
  const intro = '<p>What each takes: <a href="swagger.json">swagger.json</a>.</p>';
  return `<!doctype html><html lang="en"><title>Capstan's API</title><style>${style}</style><h1>Calls</h1>${intro}<table>${rows.join("")}</table></html>\n`;
}
