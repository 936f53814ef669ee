import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { type TestContext, test } from "node:test";
import { createAuthority, createServerCertificate } from "@capstan/cluster/certificates";
import { createService } from "@capstan/notification-services";
import { realClock } from "@capstan/testkit";
import { startMailServer } from "./mail-server.ts";
import type { Recorded } from "./recorder.ts";

const clock = realClock;
const { signal } = new AbortController();

function makeKeys() {
  const authority = createAuthority("mail", Date.now());
  const subject = { commonName: "mail", names: ["127.0.0.1"] };
  const { certificate: cert, key } = createServerCertificate(authority, subject, Date.now());
  return { cert, key, authority: authority.certificate };
}

test("a certificate that nobody trusts is refused, unless the entry says that any will do", async (t) => {
  const letters: Recorded[] = [];
  const { authority, ...keys } = makeKeys();
  const { port, stop } = await startMailServer(keys, (letter) => letters.push(letter));
  t.after(stop);
  const config = { host: "127.0.0.1", port, from: "a@example.com" };
  const send = (more: object, authorities?: string) =>
    createService({
      type: "email",
      config: { ...config, ...more },
      clock,
      authoritiesOf: () => authorities,
    }).send({ message: "m" }, "b@example.com", { signal });
  await assert.rejects(send({}), /^SendError: email to b@example\.com: .*certificate/i);
  assert.equal(letters.length, 0);
  await send({}, authority);
  await send({ insecure_skip_verify: true });
  assert.equal(letters.length, 2);
});

test("what stands in a recipient or a subject makes no further header and no further letter", async (t) => {
  const letters: Recorded[] = [];
  const { authority, ...keys } = makeKeys();
  const { port, stop } = await startMailServer(keys, (letter) => letters.push(letter));
  t.after(stop);
  const config = { host: "127.0.0.1", port, from: "a@example.com" };
  const service = createService({ type: "email", config, clock, authoritiesOf: () => authority });
  const evil = "\r\nBcc: c@example.com\r\n\r\nmine\r\n.\r\nMAIL FROM:<x@example.com>";
  await service.send({ message: "m", email: { subject: `s${evil}`, body: `b${evil}` } }, "b@example.com", {
    signal,
  });
  await service.send({ message: "m" }, `b@example.com${evil}`, { signal }).catch(() => undefined);
  for (const { path } of letters) assert.doesNotMatch(path, /c@example|x@example.com ->/);
  assert.equal(letters[0]?.path, "a@example.com -> b@example.com");
  assert.match(letters[0]?.headers.subject ?? "", /^s Bcc: c@example\.com/);
});

/** One that greets, offers no TLS, and keeps what it is told. */
async function startPlain(t: TestContext, told: string[]): Promise<number> {
  const server = createServer((socket) => {
    t.after(() => socket.destroy());
    socket.on("error", () => undefined);
    socket.write("220 plain\r\n");
    socket.on("data", (chunk: Buffer) => {
      told.push(chunk.toString());
      socket.write(/^EHLO/i.test(chunk.toString()) ? "250-plain\r\n250 AUTH PLAIN LOGIN\r\n" : "250 ok\r\n");
    });
  }).listen(0, "127.0.0.2");
  await once(server, "listening");
  t.after(() => server.close());
  const at = server.address();
  return typeof at === "object" && at ? at.port : 0;
}

const lacks = process.platform !== "linux" && "127.0.0.2 is no address of this machine";

test("a password goes to no server that could be listened to", { skip: lacks }, async (t) => {
  const told: string[] = [];
  const port = await startPlain(t, told);
  const config = { host: "127.0.0.2", port, from: "a@example.com", username: "me", password: "topsecret" };
  const service = createService({ type: "email", config, clock });
  await assert.rejects(
    service.send({ message: "m" }, "b@example.com", { signal }),
    /^SendError: email to b@/,
  );
  assert.match(told.join(""), /EHLO/);
  assert.doesNotMatch(told.join(""), /AUTH (PLAIN|LOGIN)/i);
});

test("a server that says nothing holds nobody up for longer than a minute, nor one who waits no longer", async (t) => {
  const server = createServer((socket) => void t.after(() => socket.destroy())).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const at = server.address();
  const config = {
    host: "127.0.0.1",
    port: typeof at === "object" && at ? at.port : 0,
    from: "a@example.com",
  };
  const hasty = { now: () => 0, sleep: (ms: number, stop: AbortSignal) => realClock.sleep(ms / 1000, stop) };
  const late = createService({ type: "email", config, clock: hasty }).send({}, "b@example.com", { signal });
  await assert.rejects(late, /did not take the message within 60 s/);
  const abort = new AbortController();
  const waiting = createService({ type: "email", config, clock }).send({}, "b@example.com", {
    signal: abort.signal,
  });
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /^Error: enough$/);
});
