import { bytesOf, textOf } from "../values/text-bytes.ts";

interface Wrapping {
  /** In bytes; at least 1. */
  readonly width: number;
  /** Between lines; "" is a line feed. */
  readonly newLine: string;
  /** Whether words longer than a line are cut. */
  readonly breaksWords: boolean;
}

/** Lines of at most that width, broken at spaces (Masterminds/goutils WrapCustom). */
export function wrapText(text: string, { width, newLine, breaksWords }: Wrapping): string {
  const bytes = bytesOf(text).toString("latin1");
  const size = Math.max(width, 1);
  const lineEnd = newLine === "" ? "\n" : bytesOf(newLine).toString("latin1");
  let wrapped = "";
  let at = 0;
  while (bytes.length - at > size) {
    if (bytes[at] === " ") {
      at += 1;
      continue;
    }
    const broken = bytes.slice(at, at + size + 1).lastIndexOf(" ");
    const isLong = broken < 0;
    let end = at + broken;
    if (isLong) end = breaksWords ? at + size : bytes.indexOf(" ", at + size);
    if (end < 0) {
      wrapped += bytes.slice(at);
      at = bytes.length;
      break;
    }
    wrapped += bytes.slice(at, end) + lineEnd;
    at = isLong && breaksWords ? end : end + 1;
  }
  return textOf(Buffer.from(wrapped + bytes.slice(at), "latin1"));
}
