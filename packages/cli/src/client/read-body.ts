import { ExitError } from "../command.ts";

interface Answer {
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** As text; no more is read of it than its size may be. */
export async function readBody({ body }: Answer, limit: { from: string; maxBytes: number }): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > limit.maxBytes) throw new ExitError(`the answer of ${limit.from} is too long`, 20);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
