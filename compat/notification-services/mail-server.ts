/** A server of SMTP with TLS and logins. */
import { once } from "node:events";
import { SMTPServer } from "smtp-server";
import type { Recorded } from "./recorder.ts";

interface MailServer {
  readonly port: number;
  stop(): void;
}

/** `add` gets each letter as a request: MAIL, with its envelope in place of the path. */
export async function startMailServer(
  keys: { cert: string; key: string },
  add: (letter: Recorded) => void,
): Promise<MailServer> {
  const server = new SMTPServer({
    ...keys,
    authOptional: true,
    onAuth({ username, password }, _, done) {
      if (username === "me" && password === "secret") done(null, { user: username });
      else done(new Error("who are you?"));
    },
    async onData(stream, { envelope, user, secure }, done) {
      const chunks: Buffer[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
      const to = envelope.rcptTo.map(({ address }) => address).join(",");
      const { headers, body } = readLetter(Buffer.concat(chunks).toString());
      const how = { "x-user": String(user ?? ""), "x-secure": String(secure) };
      add({ method: "MAIL", path: `${from} -> ${to}`, headers: { ...headers, ...how }, body });
      done();
    },
  });
  // A client that goes without a word is no trouble of ours.
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const at = listener.address();
  return { port: typeof at === "object" && at ? at.port : 0, stop: () => server.close() };
}

const compared = ["from", "to", "subject", "content-type"];

function readLetter(text: string): { headers: Record<string, string>; body: string } {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  const all = Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(":");
      return [line.slice(0, at).toLowerCase(), decodeWords(line.slice(at + 1).trim())];
    }),
  );
  const headers = compared.map((name) => [
    name,
    (all[name] ?? "").replace(/charset="?utf-8"?/i, "charset=utf-8"),
  ]);
  const body = decodeBody(rest.join("\r\n\r\n"), (all["content-transfer-encoding"] ?? "").toLowerCase());
  return { headers: Object.fromEntries(headers), body: body.replace(/\r\n/g, "\n").trimEnd() };
}

/** RFC 2047. */
function decodeWords(text: string): string {
  return text
    .replace(/\?=\s+=\?/g, "?==?")
    .replace(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(word, "base64").toString()
        : decodeQuoted(word.replaceAll("_", " ")),
    );
}

function decodeBody(text: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(text, "base64").toString();
  return encoding === "quoted-printable" ? decodeQuoted(text.replace(/=\r\n/g, "")) : text;
}

function decodeQuoted(text: string): string {
  const bytes = text.replace(/=([0-9A-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}
