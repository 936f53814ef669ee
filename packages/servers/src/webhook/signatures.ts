import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookProof, WebhookRequest } from "./push-event.ts";

/** Compares without telling by its time how much was right. */
export function isSameText(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** A message that is signed by its secret, in a header that `signatureOf` reads. */
export function signedBody(
  secret: string,
  signatureOf: (headers: WebhookRequest["headers"]) => string | undefined,
): WebhookProof {
  return {
    by: "body",
    isSigned: (headers) => signatureOf(headers) !== undefined,
    holds: ({ headers, body }) => isSigned(body, secret, signatureOf(headers)),
  };
}

/** Checks a hex HMAC-SHA256, with or without the `sha256=` in front. */
function isSigned(body: Buffer, secret: string, signature: string | undefined): boolean {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return isSameText(signature?.replace(/^sha256=/, "").toLowerCase(), expected);
}
