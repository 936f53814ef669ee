import type { FastifyInstance } from "fastify";
import type { RouteGuard } from "./guard.ts";
import { queryOf } from "./query-of.ts";

const guard: RouteGuard = { kind: "page", access: "open", streams: false, maxBody: 0 };

/** Pictures for other sites' pages, never kept (server/badge). */
export function mountBadge(app: FastifyInstance, draw: (query: URLSearchParams) => string): void {
  app.get("/api/badge", { config: { guard } }, async (request, reply) => {
    const query = new URLSearchParams(queryOf(request));
    return reply
      .header("content-type", "image/svg+xml")
      .header("cache-control", "private, no-store")
      .header("access-control-allow-origin", "*")
      .header("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
      .send(draw(query));
  });
}
