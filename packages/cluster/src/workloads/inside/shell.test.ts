import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@capstan/flow";
import type { Files } from "./files-of.ts";
import { runProcess } from "./shell.ts";

const content = new Map([["/etc/app/a", Buffer.from("text\n")]]);
const files: Files = {
  read: (path) => content.get(path),
  write: () => "Read-only file system",
  list: (path) => ({ "/": ["etc"], "/etc": ["app"], "/etc/app": ["a"] })[path],
};

interface Typed {
  input?: readonly string[];
  tty?: boolean;
}

async function run(words: readonly string[], { input = [], tty = false }: Typed = {}) {
  const around = { files, variables: new Map([["NAME", "web"]]), folder: "/", now: () => 0 };
  let out = "";
  let err = "";
  const code = await runProcess(
    { words, tty, container: "main", around, clock: systemClock },
    {
      input: (async function* () {
        for (const text of input) yield Buffer.from(text);
      })(),
      out: (text) => {
        out += Buffer.from(text).toString();
      },
      err: (text) => {
        err += text;
      },
      signal: new AbortController().signal,
    },
  );
  return { code, out, err };
}

test("commands of a simulated container end with their codes", async () => {
  assert.deepEqual(await run(["/bin/echo", "-n", "a", "b"]), { code: 0, out: "a b", err: "" });
  assert.deepEqual(await run(["sh", "-c", "cd /etc/app && cat a && false || exit 9"]), {
    code: 9,
    out: "text\n",
    err: "",
  });
  assert.equal((await run(["ls", "/none"])).code, 1);
  assert.equal((await run(["constructor"])).code, 127);
  assert.match((await run(["sh", "-c", "echo a | wc"])).err, /no pipes/);
});

test("a shell reads its input line after line, in parts as they come", async () => {
  const typed = await run(["bash"], { input: ["A=1\nec", "ho $A $NA", "ME\nexit 4\necho no\n"] });
  assert.deepEqual(typed, { code: 4, out: "1 web\n", err: "" });
});

test("at a terminal what is typed is shown, and lines cross back", async () => {
  const { code, out } = await run(["sh"], { tty: true, input: ["hostnamx\u007fe\r", "\u0004"] });
  assert.equal(code, 0);
  assert.match(out, /is simulated by capstan: nothing really runs/);
  assert.ok(out.includes("hostnamx\b \be\r\n"));
  assert.ok(out.endsWith("exit\r\n"));
});
