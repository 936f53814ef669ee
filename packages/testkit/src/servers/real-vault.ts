import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@capstan/formats";
import { httpTransport, type Transport } from "@capstan/kube";
import { startProcess, untilServing } from "../child-process.ts";
import { freePorts } from "../free-port.ts";
import { realClock } from "../real-clock.ts";

/** A real Vault or OpenBao in its dev mode: in memory, unsealed, with a key-value engine of version 2 at secret/. */
export interface RealVault extends AsyncDisposable {
  readonly address: string;
  readonly rootToken: string;
  readonly unsealKey: string;
  /** File of the authority to trust; with TLS. */
  readonly authority: string;
  readonly pid: number;
  /** One request as root, or with another token; what is refused rejects. The answer's body. */
  ask(what: string, body?: unknown, options?: AskOptions): Promise<Readonly<Record<string, unknown>>>;
  /** What was asked since the start by operation and path, as the server's own audit log has it. */
  audited(): Promise<readonly string[]>;
  output(): string;
}

interface AskOptions {
  readonly token?: string;
  readonly namespace?: string;
}

const rootToken = "only-for-this-test";
const programVariable = "CAPSTAN_VAULT_PROGRAM";

/** The reason to skip, or false. Nothing here builds the program: the variable names OpenBao's `bao`, or `vault`. */
export function lackingRealVault(): string | false {
  const path = process.env[programVariable];
  if (!path) return `${programVariable} does not name a program: OpenBao's bao, or vault`;
  return existsSync(path) ? false : `${programVariable}: there is no ${path}`;
}

export async function startRealVault({ tls = false }: { tls?: boolean } = {}): Promise<RealVault> {
  const missing = lackingRealVault();
  const program = process.env[programVariable];
  if (missing !== false || !program) throw new Error(missing || programVariable);
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-vault-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const [port = 0] = await freePorts(1);
  const settings = join(dir, "settings.hcl");
  // OpenBao's word, which Vault does not know and passes over.
  await writeFile(settings, "unsafe_allow_api_audit_creation = true\n");
  const flags = ["-dev", `-config=${settings}`, `-dev-root-token-id=${rootToken}`, "-dev-no-store-token"];
  flags.push(`-dev-listen-address=127.0.0.1:${port}`);
  if (tls) flags.push("-dev-tls", `-dev-tls-cert-dir=${dir}`);
  const env = { PATH: process.env.PATH, HOME: dir, TMPDIR: dir };
  const server = opened.use(startProcess(program, ["server", ...flags], { env, cwd: dir }));
  const address = `${tls ? "https" : "http"}://127.0.0.1:${port}`;
  const transport = opened.use(httpTransport({ server: address, insecure: true }, { clock: realClock }));
  await untilServing("the vault", server, async () => {
    const signal = AbortSignal.timeout(5_000);
    const asked = transport({ method: "GET", url: "/v1/sys/health", headers: {}, signal });
    const answer = await asked.catch(() => undefined);
    return (answer?.status === 200 && server.output().includes("Root Token")) || undefined;
  });
  const ask = asker(transport);
  const log = join(dir, "audit.log");
  await ask("PUT sys/audit/file", { type: "file", options: { file_path: log } });
  const closing = opened.move();
  return {
    address,
    rootToken,
    unsealKey: /Unseal Key: (\S+)/.exec(server.output())?.[1] ?? "",
    authority: join(dir, "vault-ca.pem"),
    pid: server.pid,
    ask,
    audited: () => readAudit(log),
    output: server.output,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

function asker(transport: Transport): RealVault["ask"] {
  return async (what, body, { token = rootToken, namespace } = {}) => {
    const [method = "", path = ""] = what.split(" ");
    const headers = { "x-vault-token": token, ...(namespace && { "x-vault-namespace": namespace }) };
    const { status, body: answer } = await transport({
      method,
      url: `/v1/${path}`,
      headers,
      signal: AbortSignal.timeout(30_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = String(answer);
    if (status >= 400) throw new Error(`${what}: ${status} ${text}`);
    const parsed: unknown = text === "" ? {} : JSON.parse(text);
    return isRecord(parsed) ? parsed : {};
  };
}

async function readAudit(log: string): Promise<readonly string[]> {
  const lines = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
  return lines.flatMap((line) => {
    const { type, request } = JSON.parse(line);
    return type === "request" ? [`${request.operation} ${request.path}`] : [];
  });
}
