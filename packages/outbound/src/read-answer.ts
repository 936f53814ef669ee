import type { IncomingMessage } from "node:http";

/** The body of an answer; `tooLarge` makes the error where it has more than `maxBytes`. */
export async function readAnswer(
  response: IncomingMessage,
  { maxBytes, tooLarge }: { maxBytes: number; tooLarge: (bytes: number) => Error },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(bytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
