import { type ExecFileException, execFile } from "node:child_process";
import type { Clock } from "@capstan/flow";
import { isRecord } from "@capstan/formats";
import { CapstanError } from "@capstan/model";
import type { ClusterConfig, ExecConfig } from "./cluster-config.ts";

export interface ExecCredential {
  token?: string;
  certData?: string;
  keyData?: string;
  expiresAt?: number;
}

interface Needs {
  clock: Clock;
  env?: Readonly<Record<string, string | undefined>>;
}

const timeoutMs = 30_000;
const maxOutputBytes = 1024 * 1024;
const earlyMs = 10_000;
const maxSaid = 300;

/**
 * Credentials from a program, kept until they expire.
 * The contract is client-go's plugin/pkg/client/auth/exec (KEP-541).
 */
export function execCredentials(config: ClusterConfig, exec: ExecConfig, { clock, env }: Needs) {
  let held: Promise<ExecCredential> | undefined;
  return {
    /** `ca` is the cluster's authority as it is now, for a program that wants to know. */
    async current(signal: AbortSignal, ca: string | undefined): Promise<ExecCredential> {
      signal.throwIfAborted();
      const before = held;
      const known = await before;
      if (known && (known.expiresAt === undefined || known.expiresAt - earlyMs > clock.now())) return known;
      // Of those that wait for the same one, the first to go on asks for the next.
      if (held && held !== before) return held;
      const asked = run({ ...config, ...(ca ? { caData: ca } : {}) }, exec, env ?? {}).catch(
        (error: unknown) => {
          held = undefined;
          throw error;
        },
      );
      held = asked;
      return asked;
    },
    forget(): void {
      held = undefined;
    },
  };
}

function run(
  config: ClusterConfig,
  exec: ExecConfig,
  env: NonNullable<Needs["env"]>,
): Promise<ExecCredential> {
  const info = {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster: clusterInfo(config) } : {}) },
  };
  const options = {
    env: { ...env, ...exec.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    timeout: timeoutMs,
    maxBuffer: maxOutputBytes,
  };
  return new Promise((resolve, reject) => {
    const child = execFile(exec.command, [...exec.args], options, (error, stdout, stderr) => {
      if (error) return reject(failure(config, exec, problemOf(error, stderr)));
      try {
        resolve(readCredential(JSON.parse(stdout)));
      } catch {
        reject(failure(config, exec, "its output is not an ExecCredential with a token or a certificate"));
      }
    });
    child.stdin?.end();
  });
}

/** Neither its arguments, which may hold a client's secret, nor its output; what it says of itself is for people. */
function problemOf(error: ExecFileException, stderr: string): string {
  const said = stderr.trim().split("\n", 1)[0]?.slice(0, maxSaid) ?? "";
  const end =
    error.code === "ENOENT"
      ? "there is no such program"
      : error.killed
        ? `no answer in ${timeoutMs / 1000} s, or too long a one`
        : `exit code ${error.code ?? error.signal}`;
  return said === "" ? end : `${end}: ${said}`;
}

function clusterInfo(config: ClusterConfig): Record<string, unknown> {
  return {
    server: config.server,
    ...(config.caData ? { "certificate-authority-data": Buffer.from(config.caData).toString("base64") } : {}),
    ...(config.insecure ? { "insecure-skip-tls-verify": true } : {}),
    ...(config.serverName ? { "tls-server-name": config.serverName } : {}),
    ...(config.proxyUrl ? { "proxy-url": config.proxyUrl } : {}),
  };
}

function failure(config: ClusterConfig, exec: ExecConfig, problem: string): CapstanError {
  const hint = exec.installHint ? ` ${exec.installHint.trim()}` : "";
  return new CapstanError({
    code: "UNAVAILABLE",
    what: `cluster ${config.server}`,
    problem: `the credential program ${exec.command} failed: ${problem}${/[.!?]$/.test(problem) ? "" : "."}${hint}`,
  });
}

function readCredential(value: unknown): ExecCredential {
  const status = isRecord(value) && isRecord(value.status) ? value.status : {};
  const text = (name: string) => (typeof status[name] === "string" ? status[name] : undefined);
  const token = text("token");
  const certData = text("clientCertificateData");
  const keyData = text("clientKeyData");
  const expires = text("expirationTimestamp");
  if (token === undefined && certData === undefined) throw new Error("no credential");
  return {
    ...(token === undefined ? {} : { token }),
    ...(certData === undefined ? {} : { certData }),
    ...(keyData === undefined ? {} : { keyData }),
    ...(expires === undefined ? {} : { expiresAt: Date.parse(expires) }),
  };
}
