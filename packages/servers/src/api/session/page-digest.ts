import { createHash } from "node:crypto";
import { unauthenticated } from "./check-subject.ts";

/** Whoever ends a session need not show the page that it is of: a browser that follows a link does not. */
export const anyPage = Symbol("any page");

/** Secret of the page that asks, if one does. */
export type ShownPage = string | undefined | typeof anyPage;

/** What a session holds of the secret of its page. */
export function pageDigest(page: string): string {
  return createHash("sha256").update(page).digest("base64url");
}

/** `bound`: what the session holds, if it is that of a page. Throws UNAUTHENTICATED. */
export function checkPage(bound: unknown, page: ShownPage): void {
  if (bound === undefined || page === anyPage) return;
  if (page === undefined || bound !== pageDigest(page))
    throw unauthenticated("the session is that of a page, and this is another one: log in again");
}
