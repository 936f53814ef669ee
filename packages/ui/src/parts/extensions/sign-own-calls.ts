import { pageSecretHeader } from "@capstan/wire";
import { pageSecret } from "../../queries/page-secret.ts";
import { serverUrl } from "../../server-url.ts";

/**
 * Extensions call the server with the session's cookie alone, as in Argo CD's page. Our sessions are bound to the page's
 * secret: it goes with every request to this server's own calls, and with no other.
 */
export function signOwnCalls(): void {
  const plainFetch = window.fetch.bind(window);
  window.fetch = (input, init) => {
    const secret = secretFor(input instanceof Request ? input.url : String(input));
    if (secret === undefined) return plainFetch(input, init);
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    headers.set(pageSecretHeader, secret);
    return plainFetch(input, { ...init, headers });
  };
  const { prototype } = XMLHttpRequest;
  const open = Reflect.get(prototype, "open");
  Reflect.set(prototype, "open", function (this: XMLHttpRequest, ...given: [string, string | URL]) {
    Reflect.apply(open, this, given);
    const secret = secretFor(String(given[1]));
    if (secret !== undefined) this.setRequestHeader(pageSecretHeader, secret);
  });
}

function secretFor(address: string): string | undefined {
  const url = URL.parse(address, document.baseURI);
  if (url === null || url.origin !== window.location.origin) return undefined;
  const isCall = ["/api/", "/extensions/"].some((path) => url.pathname.startsWith(serverUrl(path)));
  return isCall ? pageSecret() : undefined;
}
