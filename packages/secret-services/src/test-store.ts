import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";

export interface Call {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
  text: string;
}

export type Answer = [status: number, body: unknown];

/** A store written from its published API description: it checks what the real one would check. */
export async function startStore(answer: (call: Call) => Answer) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = new URL(request.url ?? "", `http://${request.headers.host}`);
      const { method = "", headers } = request;
      asked.push(`${method} ${url.pathname}`);
      const bytes = Buffer.concat(chunks);
      const [status, body] = answer({ method, url, headers, bytes, text: bytes.toString() });
      response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const address = `http://127.0.0.1:${typeof at === "object" && at ? at.port : 0}`;
  const dispose = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address, asked, [Symbol.asyncDispose]: dispose };
}

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha = (text: string) => createHash("sha256").update(text).digest("hex");

/** AWS's signature version 4, worked out again from what arrived. */
export function isSigned({ method, url, headers, text }: Call, secret: string): boolean {
  const { authorization = "" } = headers;
  const shape =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/([^/]+)\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/;
  const [, , day = "", region = "", service = "", names = "", signature] = shape.exec(authorization) ?? [];
  const lines = names.split(";").map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = [method, url.pathname, "", lines.join(""), names, sha(text)].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const toSign = ["AWS4-HMAC-SHA256", String(headers["x-amz-date"]), scope, sha(canonical)].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString("hex") === signature;
}
