/** What a simulated process is given: the standard streams that its caller asked for. */
export interface Terminal {
  /** Ends when the caller closes it; empty where none was asked for. */
  readonly input: AsyncIterable<Uint8Array>;
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** The caller has left, or the cluster stops. */
  readonly signal: AbortSignal;
}

/** Which of the standard streams the caller asked for (core/v1 PodExecOptions, PodAttachOptions). */
export interface WantedStreams {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** A process in a Pod, or its log: runs until it ends by itself or the caller leaves. Returns the exit code. */
export interface RunSession {
  readonly kind: "run";
  readonly wants: WantedStreams;
  run(terminal: Terminal): Promise<number>;
}

export interface Connection {
  readonly port: number;
  readonly input: AsyncIterable<Uint8Array>;
  write(bytes: Uint8Array): void;
  readonly signal: AbortSignal;
}

/** Ports of a Pod: each connection is served until it ends. */
export interface ForwardSession {
  readonly kind: "forward";
  serve(connection: Connection): Promise<void>;
}

export type PodSession = RunSession | ForwardSession;

/** What kubelet's remotecommand writes at the end (k8s.io/apimachinery util/remotecommand, v4 and later). */
export function exitStatus(code: number): string {
  if (code === 0) return JSON.stringify({ metadata: {}, status: "Success" });
  return JSON.stringify({
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });
}

export function failureStatus(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return JSON.stringify({ metadata: {}, status: "Failure", message, reason: "InternalError", code: 500 });
}
