import { type OutboundAnswer, type OutboundRequest, outbound } from "@capstan/outbound";
import type { ServiceRequest } from "../service.ts";
import { ServiceMemory } from "../service-memory.ts";

type Asked = Partial<Pick<OutboundRequest, "method" | "headers" | "body" | "redirects" | "timeoutMs">>;

/** One request to a service, with any answer; rejects where there is none. */
export type Ask = (url: string, asked: Asked, signal: AbortSignal) => Promise<OutboundAnswer>;

/** What a service works with. */
export interface Tools extends Pick<ServiceRequest, "clock" | "proxy"> {
  readonly name: string;
  readonly guarded: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly memory: ServiceMemory;
  authoritiesOf(host: string): string | undefined;
  /** What a service has been given meanwhile, and no message may show either: tokens. */
  hide(secret: string): void;
  /** `insecure`: any certificate will do (insecureSkipVerify). */
  asker(options?: { insecure?: boolean | undefined }): Ask;
}

/** Of one request; notifications-engine waits forever. */
const defaultTimeoutMs = 30_000;
const maxBytes = 2 ** 20;

interface Own {
  readonly name: string;
  hide(secret: string): void;
}

export function toolsOf(request: ServiceRequest, { name, hide }: Own): Tools {
  const { clock, proxy, guarded = false, authoritiesOf = () => undefined } = request;
  const { environment = {}, memory = new ServiceMemory() } = request;
  const asker =
    ({ insecure = false }: { insecure?: boolean | undefined } = {}): Ask =>
    (url, asked, signal) => {
      const ca = insecure || !URL.canParse(url) ? undefined : authoritiesOf(new URL(url).hostname);
      const limits = { timeoutMs: defaultTimeoutMs, maxBytes };
      return outbound(url, { ...limits, ...asked, clock, signal, proxy, guarded, tls: { insecure, ca } });
    };
  const own = guarded ? {} : environment;
  return { clock, proxy, name, guarded, environment: own, memory, authoritiesOf, hide, asker };
}
