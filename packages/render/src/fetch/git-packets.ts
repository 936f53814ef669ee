/** A line of git's protocol, or what stands between its sections (gitprotocol-common(5), pkt-line; gitprotocol-v2(5)). */
export type Packet = Buffer | "flush" | "delimiter";

export const flush = "0000";
export const delimiter = "0001";
const lengthBytes = 4;

export function writePacket(line: string): string {
  return (Buffer.byteLength(line) + lengthBytes).toString(16).padStart(lengthBytes, "0") + line;
}

/** Each has its length before it. Undefined where the last one is cut off, or something else stands in a length's place. */
export function readPackets(body: Buffer): Packet[] | undefined {
  const packets: Packet[] = [];
  for (let at = 0; at < body.length; ) {
    const digits = body.toString("latin1", at, at + lengthBytes);
    if (digits === flush || digits === delimiter) {
      packets.push(digits === flush ? "flush" : "delimiter");
      at += lengthBytes;
      continue;
    }
    const length = /^[0-9a-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : 0;
    if (length <= lengthBytes || at + length > body.length) return undefined;
    packets.push(body.subarray(at + lengthBytes, at + length));
    at += length;
  }
  return packets;
}

/** A line as text, without its end. */
export function textOf(line: Buffer): string {
  return line.toString().replace(/\n$/, "");
}
