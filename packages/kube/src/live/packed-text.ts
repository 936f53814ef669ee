/**
 * Texts that say much again, made small: what stood before is named by how far back and how long it is. zlib makes them
 * smaller still, but each answer of it is memory outside of the heap, which comes back late: who lists 10,000
 * Applications whole would collect all that is held several times for it. Here one room is used again and again.
 *
 * Packed, of numbers in bytes of seven bits, the lowest first: how many bytes the text has, whether they are ASCII; then
 * for each part how many bytes come as they are, these, how many are copied, and from how far back.
 */
let bytes = Buffer.alloc(0);
let packed = Buffer.alloc(0);
/** A longer room than this is for one text alone. */
const longestKept = 2 ** 18;

/** By the hash of four bytes, the place after the last of them. */
const places = new Int32Array(2 ** 13);
const shortestCopy = 6;
/** What is longer is copied by the processor faster than byte by byte. */
const longCopy = 24;

export function packText(text: string): string {
  const length = Buffer.byteLength(text);
  // What a copy is written as is no longer than what it stands for.
  makeRoom(length, length * 2 + 64);
  bytes.write(text);
  places.fill(0);
  let to = putNumber(length, 0);
  packed[to++] = length === text.length ? 1 : 0;
  let from = 0;
  let at = 0;
  while (at + 4 <= length) {
    const hash = hashAt(at);
    const before = (places[hash] ?? 0) - 1;
    places[hash] = at + 1;
    const same = before < 0 ? 0 : sameBytes(before, at, length);
    if (same < shortestCopy) {
      at += 1;
      continue;
    }
    to = putAsIs(from, at, to);
    to = putNumber(same, to);
    to = putNumber(at - before, to);
    at += same;
    from = at;
  }
  to = putAsIs(from, length, to);
  const made = packed.toString("latin1", 0, to);
  leaveRoom();
  return made;
}

function makeRoom(ofText: number, ofPacked: number): void {
  if (bytes.length < ofText) bytes = Buffer.alloc(ofText);
  if (packed.length < ofPacked) packed = Buffer.alloc(ofPacked);
}

function leaveRoom(): void {
  if (bytes.length > longestKept) bytes = Buffer.alloc(0);
  if (packed.length > longestKept) packed = Buffer.alloc(0);
}

function hashAt(at: number): number {
  const four =
    (bytes[at] ?? 0) |
    ((bytes[at + 1] ?? 0) << 8) |
    ((bytes[at + 2] ?? 0) << 16) |
    ((bytes[at + 3] ?? 0) << 24);
  return Math.imul(four, 0x9e3779b1) >>> 19;
}

function sameBytes(one: number, other: number, end: number): number {
  let length = 0;
  while (other + length < end && bytes[one + length] === bytes[other + length]) length += 1;
  return length;
}

function putNumber(value: number, to: number): number {
  let rest = value;
  let at = to;
  for (; rest > 127; rest >>>= 7) packed[at++] = (rest & 127) | 128;
  packed[at++] = rest;
  return at;
}

function putAsIs(from: number, end: number, to: number): number {
  const at = putNumber(end - from, to);
  bytes.copy(packed, at, from, end);
  return at + end - from;
}

/** The text that `packText` was given. */
export function unpackText(text: string): string {
  makeRoom(0, text.length);
  packed.write(text, "latin1");
  read = 0;
  const length = takeNumber();
  const isAscii = packed[read++] === 1;
  makeRoom(length, 0);
  let at = 0;
  for (;;) {
    const asIs = takeNumber();
    packed.copy(bytes, at, read, read + asIs);
    read += asIs;
    at += asIs;
    if (at >= length) break;
    const same = takeNumber();
    copyBytes(at - takeNumber(), at, same);
    at += same;
  }
  const made = bytes.toString(isAscii ? "latin1" : "utf8", 0, length);
  leaveRoom();
  return made;
}

let read = 0;

function takeNumber(): number {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = packed[read++] ?? 0;
    value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
}

/** What is copied may go on in what it makes. */
function copyBytes(from: number, to: number, length: number): void {
  if (length >= longCopy && to - from >= length) bytes.copyWithin(to, from, from + length);
  else for (let at = 0; at < length; at += 1) bytes[to + at] = bytes[from + at] ?? 0;
}
