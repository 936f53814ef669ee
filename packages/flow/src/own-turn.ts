/** Characters of a text from which on to read it, and what follows from it, is long work. */
export const longText = 32_768;

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other piece of long work has: whoever asks for little is answered between
 * two of them, however many come at once. Rejects with the signal's reason.
 */
export async function ownTurn(signal?: AbortSignal): Promise<void> {
  last = last.then(() => new Promise<void>((resolve) => void setTimeout(resolve)));
  await last;
  signal?.throwIfAborted();
}
