import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "bcryptjs";
import { startProcess, untilServing } from "../child-process.ts";
import { freePorts } from "../free-port.ts";
import { lacking, realProgram } from "../real-programs.ts";
import { type Credentials, createServerKeys, type LoopbackOptions } from "./loopback-server.ts";

/** The distribution project's OCI registry. */
export interface OciRegistry extends AsyncDisposable {
  /** As references begin: host and port, no scheme. */
  readonly host: string;
  readonly url: string;
  /** PEM; empty without TLS. */
  readonly certificateAuthority: string;
  output(): string;
}

export interface OciRegistryOptions extends LoopbackOptions {
  /** Without them anybody may read and push. */
  readonly credentials?: Credentials;
}

const program = "registry";

/** The reason to skip, or false. */
export const lackingOciRegistry = (): string | false => lacking(program);

export async function startOciRegistry(options: OciRegistryOptions = {}): Promise<OciRegistry> {
  const found = realProgram(program);
  if ("absent" in found) throw new Error(found.absent);
  await using opened = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-registry-"));
  opened.defer(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }));
  const [port = 0] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const certificateAuthority = await writeSettings(dir, host, options);
  const env = { PATH: process.env.PATH, OTEL_TRACES_EXPORTER: "none" };
  const server = opened.use(startProcess(found.path, ["serve", join(dir, "config.json")], { env }));
  const url = `${options.tls ? "https" : "http"}://${host}`;
  await untilServing(program, server, () => server.output().includes("listening on") || undefined);
  const closing = opened.move();
  const dispose = () => closing.disposeAsync();
  return { host, url, certificateAuthority, output: server.output, [Symbol.asyncDispose]: dispose };
}

/** Gives the authority to trust. The settings are YAML, of which JSON is a part. */
async function writeSettings(dir: string, addr: string, options: OciRegistryOptions): Promise<string> {
  const { credentials, tls } = options;
  const keys = tls ? createServerKeys() : undefined;
  const [certificate, key, htpasswd] = ["certificate", "key", "htpasswd"].map((name) => join(dir, name));
  if (keys) await writeFile(`${certificate}`, keys.certificate);
  if (keys) await writeFile(`${key}`, keys.key);
  if (credentials)
    await writeFile(`${htpasswd}`, `${credentials.username}:${await hash(credentials.password, 4)}\n`);
  const settings = {
    version: "0.1",
    log: { level: "info" },
    storage: { filesystem: { rootdirectory: join(dir, "storage") }, delete: { enabled: true } },
    http: { addr, secret: "test", ...(keys && { tls: { certificate, key } }) },
    ...(credentials && { auth: { htpasswd: { realm: "registry", path: htpasswd } } }),
  };
  await writeFile(join(dir, "config.json"), JSON.stringify(settings));
  return keys?.authority ?? "";
}
