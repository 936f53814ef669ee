import { isIP } from "node:net";
import { connect } from "node:tls";

export interface TlsProbe {
  readonly speaksTls: boolean;
  /** Why the certificate is not trusted. */
  readonly problem?: string;
}

const patienceMs = 30_000;
const unreachable = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT)$/;

/** Whether a server speaks TLS, and with a certificate that is trusted (util/grpc TestTLS). `authority` is a PEM text. */
export async function probeTls(
  url: URL,
  { authority, signal }: { authority: string | undefined; signal: AbortSignal },
): Promise<TlsProbe> {
  const { promise, resolve, reject } = Promise.withResolvers<TlsProbe>();
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const socket = connect({
    host,
    port: Number(url.port || 443),
    rejectUnauthorized: false,
    timeout: patienceMs,
    ...(isIP(host) ? {} : { servername: host }),
    ...(authority ? { ca: authority } : {}),
  });
  const onAbort = () => socket.destroy(new Error("interrupted"));
  signal.addEventListener("abort", onAbort);
  socket.once("secureConnect", () => {
    const problem = socket.authorizationError;
    resolve({ speaksTls: true, ...(socket.authorized ? {} : { problem: reasonOf(problem) }) });
  });
  socket.once("timeout", () => reject(new Error(`${url.host} does not answer`)));
  socket.once("error", (error) => {
    const code = "code" in error ? String(error.code) : "";
    if (unreachable.test(code)) reject(new Error(`cannot reach ${url.host}: ${error.message || code}`));
    else resolve({ speaksTls: false });
  });
  try {
    return await promise;
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
