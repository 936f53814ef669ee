interface Facts {
  /** Milliseconds since 1970 before which the host is not asked again with this credential. */
  readonly retryAtMs?: number;
  /** The host knows nothing of this name, or does not show it with this credential. */
  readonly isMissing?: boolean;
}

/** Why a host has given no answer; its text is for people and holds neither credentials nor what the host said. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly retryAtMs: number | undefined;
  readonly isMissing: boolean;

  constructor(message: string, { retryAtMs, isMissing = false }: Facts = {}) {
    super(message);
    this.retryAtMs = retryAtMs;
    this.isMissing = isMissing;
  }
}

/** undefined where the host knows nothing of this name. */
export async function unlessMissing<Value>(asked: Promise<Value>): Promise<Value | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof HostError && error.isMissing) return undefined;
    throw error;
  }
}
