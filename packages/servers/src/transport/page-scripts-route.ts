import type { FastifyInstance } from "fastify";
import type { RouteGuard } from "./guard.ts";
import { staticAnswer } from "./static-files.ts";

const guard: RouteGuard = { kind: "page", access: "open", streams: false, maxBody: 0 };

/** The operator's scripts for the page, where Argo CD's page finds them; an empty one where there is none. */
export function mountPageScripts(app: FastifyInstance, scripts: { readonly text: string | undefined }): void {
  const answer = staticAnswer("text/javascript; charset=utf-8");
  app.get("/extensions.js", { config: { guard } }, async (request, reply) => {
    const { status, headers, body } = await answer(scripts.text ?? "", request.headers);
    return reply.code(status).headers(headers).send(body);
  });
}
