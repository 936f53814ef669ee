import type { Clock } from "@capstan/flow";
import { readRetryAfter } from "@capstan/outbound";
import type { RegistryAnswer } from "./registry-access.ts";

/** The registry has said when it may be asked again; until then nobody asks. */
export class RegistryHeld extends Error {
  override readonly name = "RegistryHeld";
  readonly untilMs: number;

  constructor(host: string, untilMs: number, now: number) {
    super(
      `${host} has answered that it is asked too often, and is asked again in ${Math.ceil((untilMs - now) / 1000)} s`,
    );
    this.untilMs = untilMs;
  }
}

export interface PaceOptions {
  /** As people know the registry. */
  readonly host: string;
  readonly clock: Clock;
  /** Questions a second; undefined: as many as there are. */
  readonly perSecond?: number | undefined;
}

const defaultHoldMs = 60_000;
const maxHoldMs = 60 * 60_000;

/**
 * How often one registry is asked: at most so many times a second, and not at all while it says that it was too often
 * (429 or 503 with Retry-After, RFC 9110 10.2.3; ratelimit-remaining, as Docker Hub counts pulls).
 */
export class RegistryPace {
  readonly #options: PaceOptions;
  #freeAt = 0;
  #heldUntil = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Rejects with RegistryHeld while the registry wants not to be asked. */
  async run(ask: () => Promise<RegistryAnswer>, signal: AbortSignal): Promise<RegistryAnswer> {
    await this.#turn(signal);
    const answer = await ask();
    const { clock, host } = this.#options;
    const now = clock.now();
    const isRefused =
      answer.status === 429 || (answer.status === 503 && answer.headers["retry-after"] !== undefined);
    const holdMs = isRefused
      ? (readRetryAfter(String(answer.headers["retry-after"] ?? ""), now) ?? defaultHoldMs)
      : exhaustedMs(answer);
    if (holdMs > 0) this.#heldUntil = Math.max(this.#heldUntil, now + Math.min(holdMs, maxHoldMs));
    if (isRefused) throw new RegistryHeld(host, this.#heldUntil, now);
    return answer;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { clock, perSecond, host } = this.#options;
    const now = clock.now();
    if (this.#heldUntil > now) throw new RegistryHeld(host, this.#heldUntil, now);
    if (perSecond === undefined) return;
    const at = Math.max(now, this.#freeAt);
    this.#freeAt = at + 1000 / perSecond;
    if (at > now) await clock.sleep(at - now, signal);
    if (this.#heldUntil > clock.now()) throw new RegistryHeld(host, this.#heldUntil, clock.now());
  }
}

/** Nothing is left: until the part of the window has passed in which one more is given (`0;w=21600` of `100;w=21600`). */
function exhaustedMs({ headers }: RegistryAnswer): number {
  const left = /^\s*(\d+)(?:;\s*w=(\d+))?/.exec(String(headers["ratelimit-remaining"] ?? ""));
  if (!left || Number(left[1]) > 0) return 0;
  const limit = Number(/^\s*(\d+)/.exec(String(headers["ratelimit-limit"] ?? ""))?.[1] ?? 1);
  return (Number(left[2] ?? 60) * 1000) / Math.max(limit, 1);
}
