import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { KeptSecret } from "./kept-secret.ts";
import { LoginThrottle, type LoginTry, type ThrottleEntry } from "./login-throttle.ts";

type Needs = Omit<ConstructorParameters<typeof KeptSecret>[0], "name"> & { readonly clock: Clock };

/**
 * The throttle of logins; what it blocks is kept before the guesser hears of it, so that a restart lets nobody in, nor
 * another server.
 */
export interface Throttle {
  isBlocked(attempt: LoginTry): Promise<boolean>;
  failed(attempt: LoginTry): Promise<void>;
  succeeded(attempt: LoginTry): void;
}

const key = "failures";

export function keptThrottle(needs: Needs): Throttle {
  const throttle = new LoginThrottle(needs.clock);
  const kept = new KeptSecret({ ...needs, name: "capstan-failed-logins" });
  const take = (values: ReadonlyMap<string, unknown>) => throttle.restore(readEntries(values.get(key)));
  return {
    async isBlocked(attempt) {
      await kept.follow(take);
      return throttle.isBlocked(attempt);
    },
    async failed(attempt) {
      if (!throttle.failed(attempt)) return;
      // What others block stays blocked.
      take(await kept.read());
      await kept.write({ [key]: throttle.blocking() });
    },
    succeeded: (attempt) => throttle.succeeded(attempt),
  };
}

function readEntries(value: unknown): ThrottleEntry[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one) => {
    if (!isRecord(one)) return [];
    const { key: of, count, lastMs } = one;
    if (typeof of !== "string" || typeof count !== "number" || typeof lastMs !== "number") return [];
    return [{ key: of, count, lastMs }];
  });
}
