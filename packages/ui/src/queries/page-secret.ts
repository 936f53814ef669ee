import { serverUrl } from "../server-url.ts";

/** Two servers below one name keep each their own. */
const key = `capstan.page-secret${serverUrl("")}`;
let own: string | undefined;

/** What the session of this page is bound to (pageSecretHeader); undefined before anybody has logged in. */
export function pageSecret(): string | undefined {
  try {
    return localStorage.getItem(key) ?? own;
  } catch {
    // The browser keeps nothing: the session lasts as long as the page is open.
    return own;
  }
}

/** For a session that is about to begin. */
export function renewPageSecret(): void {
  own = Array.from(crypto.getRandomValues(new Uint8Array(32)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
  try {
    localStorage.setItem(key, own);
  } catch {
    // As above.
  }
}
