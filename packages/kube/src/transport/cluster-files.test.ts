import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { TLSSocket } from "node:tls";
import { clusterFiles } from "./cluster-files.ts";
import { httpTransport } from "./http-transport.ts";

const noOpenssl = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";
const minuteMs = 60_000;
const server = "https://localhost";

function standingClock() {
  let now = 0;
  return {
    now: () => now,
    sleep: () => Promise.reject(new Error("nothing sleeps here")),
    move: (ms: number) => {
      now += ms;
    },
  };
}

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-kubeconfig-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

test("a file is read again after a minute, or when it was forgotten, and not before", async (t) => {
  const bearerTokenFile = join(await temporaryFolder(t), "token");
  const clock = standingClock();
  const files = clusterFiles({ server, bearerToken: "first", bearerTokenFile }, clock);
  await writeFile(bearerTokenFile, "one\n");
  assert.deepEqual(await files.current(), { token: "one" });
  await writeFile(bearerTokenFile, "two\n");
  assert.deepEqual(await files.current(), { token: "one" });
  clock.move(minuteMs + 1);
  assert.deepEqual(await files.current(), { token: "two" });
  await writeFile(bearerTokenFile, "three\n");
  files.forget();
  assert.deepEqual(await files.current(), { token: "three" });
});

test("a file that is being replaced counts as it was; one that never was there is named", async (t) => {
  const caFile = join(await temporaryFolder(t), "ca.crt");
  const files = clusterFiles({ server, caFile }, standingClock());
  await assert.rejects(files.current(), /cluster https:\/\/localhost is not available: ENOENT.*ca\.crt/);
  await writeFile(caFile, "authority");
  files.forget();
  assert.deepEqual(await files.current(), { ca: "authority" });
  await rm(caFile);
  files.forget();
  assert.deepEqual(await files.current(), { ca: "authority" });
});

test("a file of unbounded size is not read to its end", async () => {
  const files = clusterFiles({ server, caFile: "/dev/zero" }, standingClock());
  await assert.rejects(files.current(), /\/dev\/zero has more than 1048576 bytes/);
});

async function makeCertificate(folder: string, name: string): Promise<void> {
  const made = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-days",
    "2",
  ];
  const files = ["-keyout", join(folder, `${name}.key`), "-out", join(folder, `${name}.crt`)];
  const names = ["-subj", `/CN=${name}`, "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync("openssl", [...made, ...names, ...files], { stdio: "ignore" });
}

/** Answers with the name in the client's certificate; 401 to those who are not `allowed`. */
async function listenFor(t: TestContext, folder: string, allowed: () => string): Promise<string> {
  const [key, cert] = await Promise.all(["a.key", "a.crt"].map((file) => readFile(join(folder, file))));
  const listener = createServer(
    { key, cert, requestCert: true, rejectUnauthorized: false },
    (request, answer) => {
      const { socket } = request;
      const name = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
      answer.writeHead(name === allowed() ? 200 : 401).end(String(name));
    },
  );
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    listener.closeAllConnections();
    listener.close();
  });
  const { port } = listener.address() as AddressInfo;
  return `https://127.0.0.1:${port}`;
}

test("a certificate that was replaced is used once the old one is refused", {
  skip: noOpenssl,
}, async (t) => {
  const folder = await temporaryFolder(t);
  await makeCertificate(folder, "a");
  await makeCertificate(folder, "b");
  let allowed = "a";
  const url = await listenFor(t, folder, () => allowed);
  const [certFile, keyFile] = [join(folder, "me.crt"), join(folder, "me.key")];
  const become = async (name: string) => {
    await writeFile(certFile, await readFile(join(folder, `${name}.crt`)));
    await writeFile(keyFile, await readFile(join(folder, `${name}.key`)));
  };
  await become("a");
  const config = { server: url, caFile: join(folder, "a.crt"), certFile, keyFile };
  await using transport = httpTransport(config, { clock: standingClock() });
  const ask = () => transport({ method: "GET", url: "/", headers: {}, signal: AbortSignal.timeout(100_000) });
  assert.deepEqual(await ask().then(({ status, body }) => [status, body]), [200, "a"]);
  await become("b");
  assert.equal((await ask()).body, "a", "the old one still holds");
  allowed = "b";
  assert.deepEqual(await ask().then(({ status, body }) => [status, body]), [200, "b"]);
});
