import type { IncomingHttpHeaders } from "node:http";
import { isRecord } from "@capstan/formats";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RouteGuard } from "./guard.ts";

interface Refusal {
  readonly kind: "refused";
  readonly status: number;
  readonly message: string;
}

/** What the route asks of whoever knows senders and their secrets. */
export interface WebhookPort<Admission extends { readonly kind: "admitted"; readonly maxBytes: number }> {
  admit(headers: IncomingHttpHeaders, query: Readonly<Record<string, unknown>>): Admission | Refusal;
  receive(
    admission: Admission,
    request: { headers: IncomingHttpHeaders; body: Buffer },
  ): { status: number; message: string };
}

/** Above it one message at a time is held in memory: its secret can be checked only when the whole is there. */
const largeBytes = 5 * 1024 * 1024;

class BodyRefused extends Error {
  readonly statusCode: 413 | 503;

  constructor(statusCode: 413 | 503, message: string) {
    super(message);
    this.statusCode = statusCode;
  }
}

/** Webhooks: judged by their headers before any of the body is read, which a sender may make as long as it is trusted. */
export function mountWebhook<Admission extends { readonly kind: "admitted"; readonly maxBytes: number }>(
  app: FastifyInstance,
  { admit, receive }: WebhookPort<Admission>,
): void {
  const admissions = new WeakMap<FastifyRequest, Admission>();
  const read = createBodyReader();
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", async (request: FastifyRequest, payload: AsyncIterable<Buffer>) =>
      read(payload, admissions.get(request)?.maxBytes ?? 0),
    );
    const guard: RouteGuard = { kind: "message", access: "open", streams: false, maxBody: largeBytes };
    scope.post("/api/webhook", {
      config: { guard },
      onRequest: async (request, reply) => {
        const query = isRecord(request.query) ? request.query : {};
        const admission = admit(request.headers, query);
        if (admission.kind === "admitted") admissions.set(request, admission);
        else
          return reply
            .code(admission.status)
            .header("connection", "close")
            .type("text/plain")
            .send(admission.message);
      },
      errorHandler: (error, _request, reply) => {
        const status = error instanceof BodyRefused ? error.statusCode : 400;
        return reply.code(status).header("connection", "close").type("text/plain").send(error.message);
      },
      handler: async (request, reply) => {
        const { headers, body } = request;
        const admission = admissions.get(request);
        if (!admission) return reply.code(400).send();
        const answer = receive(admission, { headers, body: Buffer.isBuffer(body) ? body : Buffer.alloc(0) });
        return reply.code(answer.status).type("text/plain").send(answer.message);
      },
    });
  });
}

function createBodyReader() {
  let largeOnes = 0;
  return async (stream: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let [bytes, isLarge] = [0, false];
    try {
      for await (const chunk of stream) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw new BodyRefused(413, tooLarge(maxBytes));
        if (bytes > largeBytes && !isLarge) {
          if (largeOnes > 0) throw new BodyRefused(503, "another large webhook is being read: send it again");
          isLarge = true;
          largeOnes += 1;
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, bytes);
    } finally {
      if (isLarge) largeOnes -= 1;
    }
  };
}

const tooLarge = (maxBytes: number): string =>
  `the body is larger than ${maxBytes} bytes: 5 MB without a secret that is proved, webhook.maxPayloadSizeMB of argocd-cm with one`;
