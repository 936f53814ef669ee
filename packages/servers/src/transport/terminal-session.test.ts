import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import { CapstanError } from "@capstan/model";
import { type StoppedClock, stoppedClock } from "@capstan/testkit";
import { WebSocket, WebSocketServer } from "ws";
import type { Identity } from "../call.ts";
import { runTerminal, type TerminalPlace, type TerminalResult } from "./terminal-session.ts";

const ada: Identity = { name: "ada", groups: [], issuer: "argocd" };

interface Played {
  readonly page: WebSocket;
  /** Texts that the page got. */
  readonly got: string[];
  readonly result: Promise<TerminalResult>;
  readonly closed: Promise<number>;
  readonly clock: StoppedClock;
}

type Process = Awaited<ReturnType<TerminalPlace["start"]>>;

/** A shell that says `hello`, gives back what is typed, and ends at `exit CODE`. */
function echoing(sizes: object[] = []): Process {
  const ended = Promise.withResolvers<{ exitCode: number | undefined; message: string }>();
  const pieces = [Buffer.from("hello ")];
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const end = (exitCode: number | undefined, message = "") => {
    isOver = true;
    ended.resolve({ exitCode, message });
    wake.resolve();
  };
  return {
    output: (async function* () {
      for (;;) {
        const piece = pieces.shift();
        if (piece) yield piece;
        else if (isOver) return;
        else await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    })(),
    async write(bytes) {
      const [, code] = /^exit (\d+)/.exec(Buffer.from(bytes).toString()) ?? [];
      if (code === undefined) pieces.push(Buffer.from(bytes));
      else end(Number(code));
      wake.resolve();
    },
    resize: (size) => void sizes.push(size),
    ended: ended.promise,
    [Symbol.asyncDispose]: async () => end(undefined),
  };
}

async function play(
  t: TestContext,
  place: Partial<TerminalPlace>,
  identify: () => Promise<Identity> = async () => ada,
): Promise<Played> {
  const clock = stoppedClock();
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 64 * 1024 });
  const server = createServer().listen(0, "127.0.0.1");
  const result = Promise.withResolvers<TerminalResult>();
  const start: TerminalPlace["start"] = async (shell, signal) => {
    const process = await (place.start?.(shell, signal) ?? echoing());
    const end = () => void process[Symbol.asyncDispose]();
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    return process;
  };
  const whole = { facts: {}, shells: ["sh"], mayGoOn: () => true, ...place, start };
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const options = { place: whole, user: ada, identify, clock, signal: t.signal };
      runTerminal(opened, options).then(result.resolve, result.reject);
    }),
  );
  await once(server, "listening");
  const address = server.address();
  const page = new WebSocket(`ws://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`);
  const got: string[] = [];
  page.on("message", (data) => got.push(String(data)));
  const closed = new Promise<number>((resolve) => page.once("close", resolve));
  t.after(() => {
    page.terminate();
    server.close();
  });
  await once(page, "open");
  return { page, got, result: result.promise, closed, clock };
}

const say = ({ page }: Played, message: unknown) =>
  page.send(typeof message === "string" ? message : JSON.stringify(message));

async function until({ got }: Played, text: string): Promise<void> {
  while (!got.some((one) => one.includes(text))) await new Promise((resolve) => setTimeout(resolve, 2));
}

test("what is typed and what comes back are messages of Argo CD's server; the end of the shell is the end", async (t) => {
  const sizes: object[] = [];
  const played = await play(t, { start: async () => echoing(sizes) });
  await until(played, "hello");
  say(played, { operation: "resize", cols: 90, rows: 30 });
  say(played, { operation: "stdin", data: "grüß\r" });
  await until(played, "grüß");
  say(played, { operation: "stdin", data: "exit 1" });
  assert.equal(await played.result, "ENDED");
  assert.equal(await played.closed, 1000);
  assert.deepEqual(played.got, [
    '{"operation":"stdout","data":"hello ","rows":0,"cols":0}',
    '{"operation":"stdout","data":"grüß\\r","rows":0,"cols":0}',
  ]);
  assert.deepEqual(sizes, [{ columns: 90, rows: 30 }]);
});

test("what comes at once while the token is verified is typed in its order", async (t) => {
  const verified = Promise.withResolvers<Identity>();
  const played = await play(t, {}, () => verified.promise);
  await until(played, "hello");
  await played.clock.advance(1_500);
  const letters = [..."echo one two"];
  for (const data of letters) say(played, { operation: "stdin", data });
  await new Promise((resolve) => setTimeout(resolve, 50));
  verified.resolve(ada);
  const typed = () =>
    played.got
      .slice(1)
      .map((text) => JSON.parse(text).data)
      .join("");
  while (typed().length < letters.length) await new Promise((resolve) => setTimeout(resolve, 2));
  assert.equal(typed(), letters.join(""));
});

test("shells are tried until one is there; where none is, it is said", async (t) => {
  const tried: string[] = [];
  const absent = (exitCode: number | undefined): Process => ({
    ...echoing(),
    output: (async function* () {
      yield* [];
    })(),
    ended: Promise.resolve({ exitCode, message: "no such file" }),
  });
  const refused = new CapstanError({ code: "NOT_FOUND", what: "the shell" });
  const starts = [async () => absent(127), async () => absent(undefined), () => Promise.reject(refused)];
  const start = async (shell: string) => {
    tried.push(shell);
    return (starts[tried.length - 1] ?? (async () => echoing()))();
  };
  const shells = ["bash", "sh", "powershell", "cmd"];
  const played = await play(t, { shells, start });
  await until(played, "hello");
  assert.deepEqual(tried, shells);
  const none = await play(t, { shells: ["bash", "sh"], start: async () => absent(126) });
  assert.equal(await none.result, "FAILED");
  assert.equal(await none.closed, 1011);
  assert.match(none.got.join(), /no such file/);
});

test("what is no message ends the terminal, and so does one that is too long", async (t) => {
  for (const message of ["{", "[]", { operation: "toast" }, { operation: "resize", cols: -1, rows: 1 }]) {
    const played = await play(t, {});
    say(played, message);
    assert.equal(await played.result, "UNREADABLE");
    assert.equal(await played.closed, 1008);
  }
  const long = await play(t, {});
  say(long, { operation: "stdin", data: "x".repeat(70_000) });
  assert.equal(await long.closed, 1009);
});

test("who may no longer types nothing more, and is sent away without typing too", async (t) => {
  let may = true;
  const written: string[] = [];
  const start = async () => ({
    ...echoing(),
    write: async (bytes: Uint8Array) => void written.push(String(bytes)),
  });
  const typing = await play(t, { mayGoOn: () => may, start });
  const watching = await play(t, { mayGoOn: () => may });
  await until(watching, "hello");
  may = false;
  say(typing, { operation: "stdin", data: "x" });
  assert.equal(await typing.result, "RIGHT_MISSING");
  assert.equal(await typing.closed, 1008);
  assert.match(typing.got.join(), /"Permission denied"/);
  assert.deepEqual(written, []);
  await watching.clock.advance(5_000);
  assert.equal(await watching.result, "RIGHT_MISSING");
});

test("a token that counts no more, or is about to end, asks the page to come again", async (t) => {
  const revoked = () => Promise.reject(new CapstanError({ code: "UNAUTHENTICATED", problem: "revoked" }));
  for (const identify of [revoked, async () => ({ ...ada, renewal: "next" })]) {
    const played = await play(t, {}, identify);
    await until(played, "hello");
    await played.clock.advance(5_000);
    assert.equal(await played.result, "TOKEN_ENDED");
    assert.equal(await played.closed, 1008);
    assert.equal(played.got.at(-1), '{"Code":1}');
  }
});

test("a terminal into which nothing is typed ends, and one that gives no sign of life", async (t) => {
  const idle = await play(t, {});
  await until(idle, "hello");
  for (let at = 0; at <= 30 * 60_000; at += 5_000) {
    const pinged = once(idle.page, "ping");
    await idle.clock.advance(5_000);
    if (at < 30 * 60_000) await pinged;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.equal(await idle.result, "IDLE");
  const silent = await play(t, {});
  await until(silent, "hello");
  silent.page.pause();
  for (let at = 0; at <= 25_000; at += 5_000) await silent.clock.advance(5_000);
  assert.equal(await silent.result, "LEFT");
});
