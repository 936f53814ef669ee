import { type Clock, Limiter } from "@capstan/flow";
import { parseBoundedJson, stringifyJson } from "@capstan/formats";
import { outbound } from "@capstan/outbound";
import type { JsonObject } from "../schema/json.ts";
import type { WebhookAddress } from "./webhook-address.ts";

/** An object of 3 MB twice, as JSON in JSON. */
const maxBytes = 8 * 1_048_576;
const calls = new Limiter({ atOnce: 32, maxWaiting: 1_000 });

export interface WebhookCall {
  readonly address: WebhookAddress;
  /** PEM in base64, as it stands in the configuration; "" where there is none. */
  readonly caBundle: string;
  readonly timeoutSeconds: number;
  readonly body: JsonObject;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Why a call failed, in the words of client-go as far as they are known. */
export class WebhookCallError extends Error {}

/**
 * Posts a review. Who may write a configuration may be a stranger who deploys with Capstan, so this machine, link-local
 * addresses and metadata services are refused, redirects are not followed, and the answer has a limit. The loopback
 * alone is called where a caBundle is given: what does not have a certificate of that authority never sees the request.
 */
export async function callWebhook(call: WebhookCall): Promise<unknown> {
  const { address, caBundle, timeoutSeconds, body, clock, signal } = call;
  const url = new URL(address.url);
  url.searchParams.set("timeout", `${timeoutSeconds}s`);
  try {
    const answer = await calls.run(
      () =>
        outbound(url, {
          method: "POST",
          headers: { "content-type": "application/json", accept: "application/json, */*" },
          body: stringifyJson(body),
          maxBytes,
          timeoutMs: timeoutSeconds * 1_000,
          clock,
          signal,
          guarded: !(isLoopback(url) && caBundle !== ""),
          tls: {
            ...(caBundle !== "" && { ca: Buffer.from(caBundle, "base64").toString() }),
            ...(address.servername !== undefined && { servername: address.servername }),
          },
        }),
      signal,
    );
    if (answer.status !== 200) throw new WebhookCallError(statusText(answer.status));
    return parseAnswer(answer.body.toString());
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof WebhookCallError) throw error;
    throw new WebhookCallError(`Post ${JSON.stringify(url.href)}: ${reasonOf(error)}`);
  }
}

function parseAnswer(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    throw new WebhookCallError(
      `couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`,
    );
  }
}

const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if ("code" in cause && cause.code === "ECONNREFUSED" && "address" in cause && "port" in cause)
    return `dial tcp ${cause.address}:${cause.port}: connect: connection refused`;
  return /gave no answer within/.test(cause.message) ? "context deadline exceeded" : cause.message;
}

/** k8s.io/apimachinery pkg/api/errors NewGenericServerResponse */
function statusText(status: number): string {
  if (status === 404) return "the server could not find the requested resource";
  if (status >= 300 && status < 400) return `the webhook redirects, which is not followed (status ${status})`;
  return `an error on the server ("unknown") has prevented the request from succeeding`;
}
