import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Compares without telling by its time how much was right. */
export function isSameText(given: string | undefined, expected: string): boolean {
  if (given === undefined) return false;
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** Checks a hex HMAC-SHA256, with or without the `sha256=` in front. */
export function isSigned(body: Buffer, secret: string, signature: string | undefined): boolean {
  const expected = createHmac("sha256", secret).update(body).digest("hex");
  return isSameText(signature?.replace(/^sha256=/, "").toLowerCase(), expected);
}
