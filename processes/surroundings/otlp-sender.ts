import { connect } from "node:http2";
import type { OtlpPlace } from "./otlp-flags.ts";

type Send = (body: Buffer, signal: AbortSignal) => Promise<void>;

/** Of an answer, of which nothing is wanted. */
const maxAnswerBytes = 64 * 1024;

/** How a request comes to the collector; rejects where it does not take it. */
export function otlpSender({ url, headers }: Pick<OtlpPlace, "url" | "headers">): Send {
  return url.protocol.startsWith("grpc") ? grpcSender(url, headers) : httpSender(url, headers);
}

function httpSender(url: URL, headers: OtlpPlace["headers"]): Send {
  return async (body, signal) => {
    const answer = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-protobuf" },
      body: new Uint8Array(body),
      signal,
      redirect: "error",
    });
    await answer.body?.cancel();
    if (!answer.ok) throw new Error(`it answered ${answer.status}`);
  };
}

/**
 * One call of gRPC, as its protocol over HTTP/2 has it: a connection for each, since one goes in some seconds, and what
 * was away is found again.
 */
function grpcSender(url: URL, headers: OtlpPlace["headers"]): Send {
  const origin = `${url.protocol === "grpcs:" ? "https" : "http"}://${url.host}`;
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const request = {
    ...lower,
    ":method": "POST",
    ":path": "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
    "content-type": "application/grpc",
    te: "trailers",
  };
  return async (body, signal) => {
    signal.throwIfAborted();
    const answered = Promise.withResolvers<void>();
    const session = connect(origin);
    const giveUp = (): void => answered.reject(signal.reason);
    signal.addEventListener("abort", giveUp, { once: true });
    try {
      session.on("error", answered.reject);
      const stream = session.request(request);
      let [bytes, status, why] = [0, "", ""];
      stream.on("error", answered.reject);
      for (const event of ["response", "trailers"])
        stream.on(event, (told) => {
          status = String(told["grpc-status"] ?? status);
          why = String(told["grpc-message"] ?? why);
        });
      stream.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > maxAnswerBytes) answered.reject(new Error("its answer is far too long"));
      });
      stream.on("close", () => {
        if (status === "0") answered.resolve();
        else
          answered.reject(
            new Error(`it answered ${status === "" ? "no gRPC" : `${status} ${why.slice(0, 200)}`}`),
          );
      });
      const frame = Buffer.alloc(5);
      frame.writeUInt32BE(body.length, 1);
      stream.end(Buffer.concat([frame, body]));
      await answered.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      session.destroy();
    }
  };
}
