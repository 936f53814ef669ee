import type { Terminal } from "../../streams/session.ts";

const longestLine = 65_536;

/** Lines of the input. Of a terminal each character is shown as it comes, as a tty does: its client shows none. */
export async function* linesTyped({ input, out }: Terminal, tty: boolean): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let line = "";
  for await (const piece of input) {
    for (const char of decoder.decode(piece, { stream: true })) {
      if (char === "\n" || (tty && char === "\r")) {
        if (tty) out("\n");
        yield line;
        line = "";
      } else if (tty && char === "\u0004" && line === "") return;
      else if (tty && char === "\u0003") {
        out("^C\n");
        yield "";
        line = "";
      } else if (tty && (char === "\u007f" || char === "\b")) {
        if (line !== "") out("\b \b");
        line = [...line].slice(0, -1).join("");
      } else if (line.length < longestLine && (!tty || char >= " " || char === "\t")) {
        if (tty) out(char);
        line += char;
      }
    }
  }
  if (line !== "") yield line;
}
