import type { Clock } from "@capstan/flow";
/** A function's image, unpacked on this machine. */
export type FunctionImage = ContainerImage | WasmImage;

export interface ContainerImage {
  /** Its root file system. */
  readonly root: string;
  /** Entrypoint and its arguments. */
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly directory: string;
}

export interface WasmImage {
  /** The file of its program, of Go for GOOS=js GOARCH=wasm. */
  readonly wasm: string;
}

/**
 * Brings an image, `host/name:tag` or `@sha256:…`, and keeps it until the work is done. `env`: where the logins of
 * registries are found (DOCKER_CONFIG, HOME).
 */
export type WithImage = <T>(
  image: string,
  around: { signal: AbortSignal; clock: Clock; env: Readonly<Record<string, string | undefined>> },
  work: (image: FunctionImage) => Promise<T>,
) => Promise<T>;
